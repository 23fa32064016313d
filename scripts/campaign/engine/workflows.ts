import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, type NodeSpec, type WorkflowJson } from '../../engine';
import { typeOf } from '../../package';
import type { Batch } from './batches';

/** Names of the nodes whose items tell what became of the rows; the first that ran last counts. */
export const GENERATE_NODE = 'Made';
export const AWAIT_NODE = 'Awaited';

const CONTINUE_ON_ERROR: Partial<NodeSpec> = { onError: 'continueRegularOutput' };
const RETRY_ON_FAIL: Partial<NodeSpec> = { retryOnFail: true, maxTries: 5, waitBetweenTries: 50 };

function createNode(
	menu: string,
	name: string,
	parameters: IDataObject,
	more: Partial<NodeSpec> = CONTINUE_ON_ERROR,
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

const toLocator = (value: string) => ({ __rl: true, mode: 'id', value });
const ROW_KEY = { idempotencyKey: '={{ $json.name }}' };

/** Max Wait of hurried rows in the first round, in seconds. */
const HURRIED_SECONDS = 4;

/**
 * The first way a wave is run. Only the rows given are sent; their order is what derived keys rest on.
 * Hurried rows wait longer in each round: what they get must not depend on how busy the machine is.
 */
export function createWorkflow(
	{ kind, rows, concurrency }: Batch,
	sent: Batch['rows'] = rows,
	round = 1,
): WorkflowJson {
	const items = itemsNode(sent.map(({ name, model, body }) => ({ name, model, body })));
	const base = { concurrency, pollInterval: 1 };
	const submit = {
		model: toLocator('={{ $json.model }}'),
		parameters: '={{ $json.body }}',
		options: { concurrency, ...ROW_KEY },
	};
	const { model } = rows[0]!;
	const createPanelWorkflow = (media: string, options: IDataObject, more?: Partial<NodeSpec>) => {
		const filled = {
			model: toLocator(model),
			prompt: '={{ $json.name }}',
			...REQUIRED_PARAMETERS[model],
			options: { ...base, ...options },
		};
		return linear(items, createNode(`${media}:generate`, GENERATE_NODE, filled, more));
	};
	switch (kind) {
		case 'image':
		case 'video':
			return createPanelWorkflow(kind, ROW_KEY);
		case 'submit':
			return linear(
				items,
				createNode('task:submit', GENERATE_NODE, submit),
				createNode('task:await', AWAIT_NODE, { taskId: '={{ $json.task_id }}', options: base }),
			);
		case 'hurried':
			return linear(
				items,
				createNode('task:submit', GENERATE_NODE, {
					...submit,
					wait: 'poll',
					options: { ...submit.options, timeout: HURRIED_SECONDS * round, simplify: false },
				}),
			);
		case 'stored':
			return linear(items, createNode('task:submit', GENERATE_NODE, submit));
		case 'stopped':
			return createPanelWorkflow('image', { ...ROW_KEY, cancelOnStop: true });
		case 'files':
			return createPanelWorkflow('image', { ...ROW_KEY, download: 'data' });
		case 'derived':
			return createPanelWorkflow('image', {});
		case 'retried':
			return createPanelWorkflow('image', ROW_KEY, { ...CONTINUE_ON_ERROR, ...RETRY_ON_FAIL });
		case 'strict':
			return createPanelWorkflow('image', {}, RETRY_ON_FAIL);
	}
}

/** What the panel of a model must have filled beside the prompt. */
const REQUIRED_PARAMETERS: Record<string, IDataObject> = { 'pxv-v6': { duration: 5 } };

/** How rows whose task is known are followed up: awaited by its ID. */
export function createAwaitWorkflow(batch: Batch, ids: string[]): WorkflowJson {
	const options = {
		concurrency: batch.concurrency,
		pollInterval: 1,
		...(batch.kind === 'files' && { download: 'data' }),
	};
	return linear(
		itemsNode(ids.map((task_id) => ({ task_id }))),
		createNode('task:await', AWAIT_NODE, { taskId: '={{ $json.task_id }}', options }),
	);
}
