import type { IDataObject } from 'n8n-workflow';
import { isPrimary } from '../../../nodes/catalog/visibility';
import { modelSpecs, getModelSpec, type ModelSpec } from '../../../nodes/catalog/modelSpec';
import { itemsNode, linear, type NodeSpec, type WorkflowJson } from '../../engine';
import { typeOf } from '../../package';
import type { Chance } from '../random';
import { wildBody, wildOption } from './randomBody';

export const ASKED = 'Asked';

/** One run: a model, a door (panel or JSON), and the bodies that go through it as items. */
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
const STRANGER = 'model-that-no-table-knows';

/** Every model through the JSON door and through its panel, `each` bodies a run. */
export function bodyRunsBy(chance: Chance, each: number): BodyRun[] {
	return [...modelSpecs.map(({ id }) => id), STRANGER].flatMap((id) => {
		const spec = getModelSpec(id);
		return [false, true].map((isPanel): BodyRun => {
			const name = `${id} by ${isPanel ? 'panel' : 'JSON'}`;
			const bodies = Array.from({ length: each }, (_, number) =>
				wildBody(spec, chance, number + (isPanel ? each : 0)),
			);
			return {
				name,
				model: id,
				isPanel,
				bodies,
				workflow: isPanel ? panel(spec, bodies, chance) : json(spec, bodies, chance),
			};
		});
	});
}

function asked(spec: ModelSpec, given: object[], parameters: IDataObject): WorkflowJson {
	const options = Object.fromEntries(
		Object.keys(OPTIONS).map((name) => [name, `={{ $json.options.${name} }}`]),
	);
	return linear(itemsNode(given as IDataObject[]), {
		type: typeOf('generationGateway'),
		name: ASKED,
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

const optionsAt = (chance: Chance, ...about: (string | number)[]) =>
	Object.fromEntries(
		Object.entries(OPTIONS).map(([name, usual]) => [
			name,
			wildOption(usual, chance, name, ...about),
		]),
	);

function json(spec: ModelSpec, bodies: Record<string, unknown>[], chance: Chance): WorkflowJson {
	const given = bodies.map((body, at) => ({
		given: at % 2 ? JSON.stringify(body) : body,
		options: optionsAt(chance, spec.id, 'json', at),
	}));
	return asked(spec, given, {
		resource: 'task',
		operation: 'submit',
		parameters: '={{ $json.given }}',
	});
}

/** Every field of the panel is an expression on the body, as in a table whose cells may hold anything. */
function panel(spec: ModelSpec, bodies: Record<string, unknown>[], chance: Chance): WorkflowJson {
	const names = Object.keys(spec.fields);
	const cell = (name: string) => [name, `={{ $json.body[${JSON.stringify(name)}] }}`] as const;
	const isTop = (name: string) => name === 'action' || isPrimary(spec, name);
	const given = bodies.map((body, at) => ({
		body,
		rest: at % 5 ? undefined : body,
		options: optionsAt(chance, spec.id, 'panel', at),
	}));
	return asked(spec, given, {
		resource: spec.media === 'video' ? 'video' : 'image',
		operation: 'generate',
		...Object.fromEntries(names.filter(isTop).map(cell)),
		extra_body: '={{ $json.rest }}',
		additionalFields: Object.fromEntries(names.filter((name) => !isTop(name)).map(cell)),
	});
}
