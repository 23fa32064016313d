import { NodeHelpers } from 'n8n-workflow';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import { panelProperties } from '../../nodes/n8n/panel/panel';
import { storedParameters } from '../support/editor';

it('asks for what only one model always requires with that model, and not where Model is an expression', () => {
	const spec = getModelSpec('clipk-v3');
	const style = { ...spec.fields.resolution!, required: true };
	const changed = jest.replaceProperty(spec, 'fields', { ...spec.fields, style } as never);
	const properties = panelProperties('video').filter(({ name }) => name === 'style');
	changed.restore();
	const areMarked = (model: string) =>
		properties
			.filter((one) =>
				NodeHelpers.displayParameter(storedParameters('video', model), one, null, null),
			)
			.map(({ required }) => required);

	expect(areMarked('clipk-v3')).toEqual([true]);
	expect(areMarked('kite-1')).toEqual([]);
	expect(areMarked('={{ $json.model }}')).toEqual([]);
});
