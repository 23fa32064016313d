import { getModelSpec } from '../../nodes/catalog/modelSpec';
import { toFieldsOf } from '../../nodes/catalog/requestSpec';
import { listPanelFields } from '../../nodes/n8n/panel/panelFields';
import { readPanel } from '../../nodes/n8n/panel/readPanel';

describe('a field that the gateway has renamed', () => {
	const spec = getModelSpec('clipk-v3');
	const { resolution, watermark, ...others } = spec.fields;
	const fields = {
		...others,
		size_tier: { ...resolution!, parameter: 'resolution' },
		mark: { ...watermark!, parameter: 'watermark' },
	};
	const renamed = { ...spec, fields };

	it('keeps its parameter, so that saved values are still sent', () => {
		const top = { prompt: 'a kite', resolution: '1080p' };
		expect(readPanel(renamed, { top, additionalFields: { watermark: true } })).toEqual({
			prompt: 'a kite',
			size_tier: '1080p',
			mark: true,
		});
		const names = listPanelFields(renamed).map(({ property }) => property.name);
		expect(names).toEqual(expect.arrayContaining(['resolution', 'watermark']));
		expect(names).not.toContain('size_tier');
	});

	it('goes to a fallback model under the name that it has there', () => {
		const body = { prompt: 'a kite', resolution: '1080p', watermark: true, more: 1 };
		const there = toFieldsOf(renamed, spec, body);
		expect(there).toEqual({ prompt: 'a kite', size_tier: '1080p', mark: true, more: 1 });
		expect(toFieldsOf(spec, renamed, there)).toEqual(body);
	});

	it('is sent where JSON has its old name, unless it has the new one too', () => {
		const saved = { prompt: 'a kite', resolution: '1080p' };
		expect(toFieldsOf(renamed, renamed, saved)).toEqual({ prompt: 'a kite', size_tier: '1080p' });
		const both = { ...saved, size_tier: '720p' };
		expect(toFieldsOf(renamed, renamed, both)).toEqual(both);
		const top = { prompt: 'a kite', extra_body: { resolution: '1080p' } };
		expect(readPanel({ ...renamed, open: true }, { top, additionalFields: {} })).toEqual({
			prompt: 'a kite',
			size_tier: '1080p',
		});
	});

	it('goes to a fallback model where another field has taken its name', () => {
		const { aspect_ratio, ...rest } = others;
		const to = {
			...spec,
			fields: {
				...rest,
				frame: { ...aspect_ratio!, parameter: 'aspect_ratio' },
				aspect_ratio: { ...resolution!, parameter: 'resolution' },
			},
		};
		const body = { aspect_ratio: '16:9', resolution: '1080p' };
		expect(toFieldsOf(to, spec, body)).toEqual({ frame: '16:9', aspect_ratio: '1080p' });
	});
});
