import { itemsNode, linear, type NodeSpec } from '../../scripts/engine';
import { gatewayNode } from '../support/gateway';
import type { CallRow } from './calls';

/** How long a task takes unless its row says otherwise, in milliseconds. */
export const TASK_MS = 8_000;

/** When and how often the fault strikes, and what happens beside it. */
export type Moment =
	/** The first call of its kind. */
	| 'once'
	/** The third, after two that the gateway had no time for. */
	| 'after retries'
	| 'always'
	/** Once, while the user stops the run. */
	| 'stop'
	/** Once, while the process is killed; the execution is then run again by another one. */
	| 'kill'
	/** Until the node gives up; then n8n tries it again. */
	| 'retry on fail';

export const MOMENTS: readonly Moment[] = [
	'once',
	'after retries',
	'always',
	'stop',
	'kill',
	'retry on fail',
];

/** The workflow of a cell: one item, and the node that makes the call. */
export function workflowOf(row: CallRow, id: string, moment: Moment) {
	const isRetried = moment === 'retry on fail';
	const more: Partial<NodeSpec> = isRetried
		? { id: 'gateway', retryOnFail: true, maxTries: 2, waitBetweenTries: 1000 }
		: { id: 'gateway', onError: 'continueErrorOutput' };
	return linear(itemsNode(row.items ?? [{}]), gatewayNode(row.menu, row.parameters(id), more));
}
