import { quotaToUsd } from '../../catalog/pricing';
import type { Task } from '../../gateway/tasks/schema';
import type { TextResult } from '../../gateway/text/schema';
import type { ExecutionRecord } from './executionRecord';

export type TraceAttributes = Record<string, string | number>;

/** An answer of a text model. */
export type TracedAnswer = Pick<TextResult, 'usage'> & { model: string };

/** There may be thousands. */
const LISTED_IDS = 20;

/**
 * Attributes of the node's span: ours for tasks, and OpenTelemetry's for generative AI. With several models
 * there is no `gen_ai.request.model`.
 */
export function describeTrace(
	tasks: readonly Task[],
	answers: readonly TracedAnswer[],
	record: ExecutionRecord,
): TraceAttributes | undefined {
	if (!tasks.length && !answers.length) return undefined;
	const models = [...new Set([...tasks, ...answers].flatMap(({ model }) => model ?? []))];
	const ids = tasks.map(({ taskId }) => taskId);
	return {
		...(tasks.length && {
			'gateway.tasks': tasks.length,
			'gateway.task_ids': ids.slice(0, LISTED_IDS).join(', '),
			'gateway.models': models.join(', '),
			'gateway.cost_usd': quotaToUsd(sum(ids.map((id) => record.costOf(id)))),
		}),
		'gen_ai.operation.name': tasks.length ? 'generate_content' : 'chat',
		...(models.length === 1 && { 'gen_ai.request.model': models[0] }),
		...(answers.length && {
			'gen_ai.usage.input_tokens': sum(answers.map(({ usage }) => usage?.input)),
			'gen_ai.usage.output_tokens': sum(answers.map(({ usage }) => usage?.output)),
		}),
	};
}

const sum = (numbers: readonly (number | undefined)[]): number =>
	numbers.reduce<number>((total, number = 0) => total + number, 0);
