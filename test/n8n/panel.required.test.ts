import { NodeHelpers, type INodeParameters, type INodeTypeDescription } from 'n8n-workflow';
import { getModelSpec, modelSpecs } from '../../nodes/catalog/modelSpec';
import type { Field } from '../../nodes/catalog/families';
import { panelProperties } from '../../nodes/n8n/panel/panel';
import { description } from '../support/editor';

/** No model has a field of this name. */
const SPARKLE: Field = {
	type: 'string',
	primary: true,
	enum: ['film', 'cartoon'],
	description: 'Look of the video',
};
const EXPRESSION = '={{ $json.model }}';
const served = modelSpecs.filter(({ media, deprecated }) => media === 'video' && !deprecated);
const MODELS = [...served.map(({ id }) => id), 'brand-new-1'];
const ACTIONS = [...new Set(modelSpecs.flatMap(({ actions }) => actions))];

/** The video panel where models have fields of their own. */
function openPanel(added: Record<string, Field>) {
	for (const [id, sparkle] of Object.entries(added)) {
		const spec = getModelSpec(id);
		jest.replaceProperty(spec, 'fields', { ...spec.fields, sparkle });
	}
	const model = description.properties.find(({ name }) => name === 'model')!;
	const properties = [{ ...model, displayOptions: {} }, ...panelProperties('video')];
	jest.restoreAllMocks();
	const toNode = (id: string, parameters: INodeParameters) => ({
		id: 'a',
		name: 'Generation Gateway',
		type: 'generationGateway',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {
			model: { __rl: true, mode: 'list', value: id },
			action: 'generate',
			prompt: 'a kite',
			...parameters,
		},
	});
	const type = { ...description, properties } as INodeTypeDescription;
	return {
		/** The properties of that name that n8n shows. */
		listShown(id: string, parameters: INodeParameters = {}) {
			const node = toNode(id, parameters);
			return properties.filter((property) =>
				NodeHelpers.displayParameter(node.parameters, property, node, type),
			);
		},
		findIssues(id: string, parameters: INodeParameters = {}) {
			const node = toNode(id, parameters);
			const full = NodeHelpers.getNodeParameters(
				properties,
				node.parameters,
				true,
				false,
				node,
				type,
			)!;
			const run = { ...node, parameters: full };
			return NodeHelpers.getNodeParametersIssues(properties, run, type)?.parameters;
		},
	};
}

const REQUIRED: Field = { ...SPARKLE, required: true };
const MISSING = { sparkle: ['Parameter "Sparkle" is required.'] };

type Case = [string, added: Record<string, Field>, requiring: string[], optional: string[]];
describe.each<Case>([
	['one model', { 'clipk-v3': REQUIRED }, ['clipk-v3'], []],
	['a model that takes any field', { 'sdn-2.0': REQUIRED }, ['sdn-2.0'], []],
	['two models', { 'clipk-v3': REQUIRED, 'pxv-v6': REQUIRED }, ['clipk-v3', 'pxv-v6'], []],
	[
		'one model, while another may have it',
		{ 'clipk-v3': REQUIRED, 'pxv-v6': SPARKLE },
		['clipk-v3'],
		['pxv-v6'],
	],
])('a choice that is required under every action of %s', (_, added, requiring, optional) => {
	const { listShown, findIssues } = openPanel(added);
	const sparkles = (id: string, parameters?: INodeParameters) =>
		listShown(id, parameters).filter(({ name }) => name === 'sparkle');

	it.each(requiring)('is shown once and marked for %s, whatever the action is', (id) => {
		for (const action of [...ACTIONS, 'of-another-model', '={{ $json.action }}']) {
			expect(sparkles(id, { action })).toEqual([expect.objectContaining({ required: true })]);
			expect(findIssues(id, { action, sparkle: '' })).toMatchObject(MISSING);
			expect(Object.keys(findIssues(id, { action, sparkle: 'film' }) ?? {})).not.toContain(
				'sparkle',
			);
		}
	});

	it('is shown once without a mark where Model is an expression, and n8n runs the node', () => {
		for (const action of [...ACTIONS, '={{ $json.action }}']) {
			expect(sparkles(EXPRESSION, { action }).map(({ required }) => required)).toEqual([undefined]);
			expect(findIssues(EXPRESSION, { action })).toBeUndefined();
		}
	});

	it('is not shown for a model that does not have it, and no name is shown twice', () => {
		for (const id of MODELS)
			for (const action of [...ACTIONS, '={{ $json.action }}']) {
				const names = listShown(id, { action }).map(({ name }) => name);
				const twice = names.filter((name, at) => names.indexOf(name) !== at);
				expect({ id, action, twice }).toEqual({ id, action, twice: [] });
				expect(names.includes('sparkle')).toBe([...requiring, ...optional].includes(id));
			}
	});
});
