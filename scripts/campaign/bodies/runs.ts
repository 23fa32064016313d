import type { IDataObject } from 'n8n-workflow';
import { isPrimary } from '../../../nodes/catalog/visibility';
import { modelSpecs, getModelSpec, type ModelSpec } from '../../../nodes/catalog/modelSpec';
import { itemsNode, linear, type NodeSpec, type WorkflowJson } from '../../engine';
import { typeOf } from '../../package';
import type { SeededRandom } from '../random';
import { createRandomBody, createRandomOption } from './randomBody';

export const NODE_NAME = 'Gateway';

/** One run: a model, by panel or by JSON, and the bodies that are its items. */
export interface BodyRun {
	name: string;
	model: string;
	isPanel: boolean;
	bodies: Record<string, unknown>[];
	workflow: WorkflowJson;
}

/** Options that are filled for every item, with what they are for. */
export const OPTIONS: Record<string, unknown> = {
	maximumCost: 50,
	maximumRunCost: 100_000,
	timeout: 60,
	idempotencyKey: '',
	callback_events: [],
	simplify: true,
	dryRun: false,
	unknownPrice: 'send',
};
const UNKNOWN_MODEL = 'model-that-no-table-knows';

/** Every model by JSON and by its panel, `each` bodies a run. */
export function createBodyRuns(random: SeededRandom, each: number): BodyRun[] {
	return [...modelSpecs.map(({ id }) => id), UNKNOWN_MODEL].flatMap((id) => {
		const spec = getModelSpec(id);
		return [false, true].map((isPanel): BodyRun => {
			const name = `${id} by ${isPanel ? 'panel' : 'JSON'}`;
			const bodies = Array.from({ length: each }, (_, number) =>
				createRandomBody(spec, random, number + (isPanel ? each : 0)),
			);
			return {
				name,
				model: id,
				isPanel,
				bodies,
				workflow: isPanel
					? createPanelWorkflow(spec, bodies, random)
					: createJsonWorkflow(spec, bodies, random),
			};
		});
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

const createOptions = (random: SeededRandom, ...about: (string | number)[]) =>
	Object.fromEntries(
		Object.entries(OPTIONS).map(([name, usual]) => [
			name,
			createRandomOption(usual, random, name, ...about),
		]),
	);

function createJsonWorkflow(
	spec: ModelSpec,
	bodies: Record<string, unknown>[],
	random: SeededRandom,
): WorkflowJson {
	const given = bodies.map((body, at) => ({
		given: at % 2 ? JSON.stringify(body) : body,
		options: createOptions(random, spec.id, 'json', at),
	}));
	return createWorkflow(spec, given, {
		resource: 'task',
		operation: 'submit',
		parameters: '={{ $json.given }}',
	});
}

/** Every field of the panel is an expression on the body, as in a table whose cells may hold anything. */
function createPanelWorkflow(
	spec: ModelSpec,
	bodies: Record<string, unknown>[],
	random: SeededRandom,
): WorkflowJson {
	const names = Object.keys(spec.fields);
	const cell = (name: string) => [name, `={{ $json.body[${JSON.stringify(name)}] }}`] as const;
	const isTop = (name: string) => name === 'action' || isPrimary(spec, name);
	const given = bodies.map((body, at) => ({
		body,
		rest: at % 5 ? undefined : body,
		options: createOptions(random, spec.id, 'panel', at),
	}));
	return createWorkflow(spec, given, {
		resource: spec.media === 'video' ? 'video' : 'image',
		operation: 'generate',
		...Object.fromEntries(names.filter(isTop).map(cell)),
		extra_body: '={{ $json.rest }}',
		additionalFields: Object.fromEntries(names.filter((name) => !isTop(name)).map(cell)),
	});
}
