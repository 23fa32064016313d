import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, type NodeSpec, type WorkflowJson } from '../../engine';
import { typeOf } from '../../package';
import type { Wave } from './batches';

/** Names of the nodes whose items tell what became of the rows; the first that ran last counts. */
export const MADE = 'Made';
export const AWAITED = 'Awaited';

const GO_ON: Partial<NodeSpec> = { onError: 'continueRegularOutput' };
const AGAIN: Partial<NodeSpec> = { retryOnFail: true, maxTries: 5, waitBetweenTries: 50 };

function node(
	menu: string,
	name: string,
	parameters: IDataObject,
	more: Partial<NodeSpec> = GO_ON,
): NodeSpec {
	const [resource, operation] = menu.split(':');
	return {
		type: typeOf('generationGateway'),
		name,
		credentials: 'generationGatewayApi',
		parameters: { resource, operation, ...parameters } as NodeSpec['parameters'],
		...more,
	};
}

const located = (value: string) => ({ __rl: true, mode: 'id', value });
const ROW_KEY = { idempotencyKey: '={{ $json.name }}' };

/** The first way a wave is run. Only the rows given are sent; their order is what derived keys rest on. */
export function workflowOf(
	{ kind, rows, concurrency }: Wave,
	sent: Wave['rows'] = rows,
): WorkflowJson {
	const items = itemsNode(sent.map(({ name, model, body }) => ({ name, model, body })));
	const base = { concurrency, pollInterval: 1 };
	const submit = {
		model: located('={{ $json.model }}'),
		parameters: '={{ $json.body }}',
		options: { concurrency, ...ROW_KEY },
	};
	const { model } = rows[0]!;
	const panel = (media: string, options: IDataObject, more?: Partial<NodeSpec>) => {
		const filled = {
			model: located(model),
			prompt: '={{ $json.name }}',
			...NEEDED[model],
			options: { ...base, ...options },
		};
		return linear(items, node(`${media}:generate`, MADE, filled, more));
	};
	switch (kind) {
		case 'image':
		case 'video':
			return panel(kind, ROW_KEY);
		case 'submit':
			return linear(
				items,
				node('task:submit', MADE, submit),
				node('task:await', AWAITED, { taskId: '={{ $json.task_id }}', options: base }),
			);
		case 'hurried':
			return linear(
				items,
				node('task:submit', MADE, {
					...submit,
					wait: 'poll',
					options: { ...submit.options, timeout: 1, simplify: false },
				}),
			);
		case 'stored':
			return linear(items, node('task:submit', MADE, submit));
		case 'files':
			return panel('image', { ...ROW_KEY, download: 'data' });
		case 'derived':
			return panel('image', {});
		case 'retried':
			return panel('image', ROW_KEY, { ...GO_ON, ...AGAIN });
		case 'strict':
			return panel('image', {}, AGAIN);
	}
}

/** What the panel of a model must have filled beside the prompt. */
const NEEDED: Record<string, IDataObject> = { 'pxv-v6': { duration: 5 } };

/** How rows whose task is known are followed up: awaited by its ID. */
export function followUp(wave: Wave, ids: string[]): WorkflowJson {
	const options = {
		concurrency: wave.concurrency,
		pollInterval: 1,
		...(wave.kind === 'files' && { download: 'data' }),
	};
	return linear(
		itemsNode(ids.map((task_id) => ({ task_id }))),
		node('task:await', AWAITED, { taskId: '={{ $json.task_id }}', options }),
	);
}
