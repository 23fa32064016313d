import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { isPrimary } from '../../../nodes/catalog/visibility';
import { modelSpecs, getModelSpec, type ModelSpec } from '../../../nodes/catalog/modelSpec';
import { itemsNode, linear, type NodeSpec, type WorkflowJson } from '../../engine';
import { typeOf } from '../../package';
import { createRandomBody, createRandomOption, type Body } from './randomBody';

export const NODE_NAME = 'Gateway';

/** One run: a model, by panel or by JSON, and the arbitrary rows that are its items. */
export interface BodyRun {
	name: string;
	model: string;
	rows: fc.Arbitrary<BodyRow[]>;
	isPanel: boolean;
	createWorkflow: (rows: BodyRow[]) => WorkflowJson;
}

/** One item of a run. */
export interface BodyRow {
	body: Body;
	options: Body;
}

/** Options that are filled for every item, with what they are for. */
export const OPTIONS: Record<string, fc.Arbitrary<unknown>> = {
	maximumCost: fc.constant(50),
	maximumRunCost: fc.constant(100_000),
	timeout: fc.constant(60),
	idempotencyKey: fc.uuid(),
	callback_events: fc.constant([]),
	simplify: fc.constant(true),
	dryRun: fc.constant(false),
	unknownPrice: fc.constant('send'),
};
const UNKNOWN_MODEL = 'model-that-no-table-knows';

/** Every model by JSON and by its panel, `each` bodies a run. */
export function createBodyRuns(each: number): BodyRun[] {
	const options = fc.record(
		Object.fromEntries(
			Object.entries(OPTIONS).map(([name, usual]) => [name, createRandomOption(usual)]),
		),
	);
	return [...modelSpecs.map(({ id }) => id), UNKNOWN_MODEL].flatMap((id) => {
		const spec = getModelSpec(id);
		// A row that is hardly ever left out at first is what shrinking leaves out first.
		const optionalRow = fc.option(fc.record({ body: createRandomBody(spec), options }), {
			freq: 1_000,
			nil: undefined,
		});
		return [false, true].map((isPanel): BodyRun => ({
			name: `${id} by ${isPanel ? 'panel' : 'JSON'}`,
			model: id,
			isPanel,
			rows: fc
				.array(optionalRow, { minLength: each, maxLength: each })
				.map((rows) => rows.filter((one) => one !== undefined)),
			createWorkflow: (rows) =>
				isPanel ? createPanelWorkflow(spec, rows) : createJsonWorkflow(spec, rows),
		}));
	});
}

function createWorkflow(spec: ModelSpec, given: object[], parameters: IDataObject): WorkflowJson {
	const options = Object.fromEntries(
		Object.keys(OPTIONS).map((name) => [name, `={{ $json.options.${name} }}`]),
	);
	return linear(itemsNode(given as IDataObject[]), {
		type: typeOf('generationGateway'),
		name: NODE_NAME,
		credentials: 'generationGatewayApi',
		onError: 'continueRegularOutput',
		parameters: {
			model: { __rl: true, mode: 'id', value: spec.id },
			wait: 'none',
			options,
			...parameters,
		} as NodeSpec['parameters'],
	});
}

function createJsonWorkflow(spec: ModelSpec, rows: BodyRow[]): WorkflowJson {
	const given = rows.map(({ body, options }, at) => ({
		given: at % 2 ? JSON.stringify(body) : body,
		options,
	}));
	return createWorkflow(spec, given, {
		resource: 'task',
		operation: 'submit',
		parameters: '={{ $json.given }}',
	});
}

/** Every field of the panel is an expression on the body, as in a table whose cells may hold anything. */
function createPanelWorkflow(spec: ModelSpec, rows: BodyRow[]): WorkflowJson {
	const names = Object.keys(spec.fields);
	const cell = (name: string) => [name, `={{ $json.body[${JSON.stringify(name)}] }}`] as const;
	const isTop = (name: string) => name === 'action' || isPrimary(spec, name);
	const given = rows.map(({ body, options }, at) => ({
		body,
		rest: at % 5 ? undefined : body,
		options,
	}));
	return createWorkflow(spec, given, {
		resource: spec.media === 'video' ? 'video' : 'image',
		operation: 'generate',
		...Object.fromEntries(names.filter(isTop).map(cell)),
		extra_body: '={{ $json.rest }}',
		additionalFields: Object.fromEntries(names.filter((name) => !isTop(name)).map(cell)),
	});
}
