import {
	callTrigger,
	callWaiting,
	linear,
	resumeAfterWait,
	runWorkflow,
	type EngineRun,
	type NodeSpec,
} from '../../scripts/engine';
import { RESUME_PATH } from '../../nodes/GenerationGateway/suspend/resumeLink';
import { typeOf } from '../../scripts/package';
import { NODE } from '../support/gateway';
import type { CallRow } from './calls';
import type { CellRunner, Observation } from './cell';
import type { SentRequest } from './internet';
import { TASK_MS, workflowOf } from './workflow';

const HOUR_MS = 3_600_000;
/** How often a sender repeats a callback, and after which milliseconds. */
const DELIVERIES = 4;
const REDELIVERY_MS = 10_000;
/** All tries of the last poll, each with its limit on silence. */
const LONGEST_SUSPENDING_MS = 600_000;

/** The sender delivers, and repeats what is not answered 2xx. */
export async function observeCallback(
	runner: CellRunner,
	row: CallRow,
	id: string,
	longestMs: number,
): Promise<Observation> {
	const trigger: NodeSpec = {
		type: typeOf('generationGatewayTrigger'),
		name: NODE,
		webhookId: `hook-${id}`,
		credentials: 'generationGatewayApi',
	};
	const json = { ...linear(trigger), id: `workflow-${id}` };
	let run: EngineRun | undefined;
	let end = 'again';
	let slowest = 0;
	for (let delivery = 0; delivery < DELIVERIES && end === 'again'; delivery += 1) {
		const sentAt = runner.time.elapsed;
		const outcome = await runner.time.run(
			callTrigger(json, { body: { task_id: id } }, runner.options()),
			longestMs,
		);
		slowest = Math.max(slowest, runner.time.elapsed - sentAt);
		run ??= outcome?.run;
		if (outcome?.response.status === 200) end = run ? 'done' : 'nothing';
		else await runner.time.pass(REDELIVERY_MS);
	}
	const observed = await runner.observe(row, run);
	return { ...observed, end: run ? observed.end : end, minutes: slowest / 60_000 };
}

/** The callback of the gateway comes once, or not at all; beside it the node calls its own resume link. */
export async function observeResume(
	runner: CellRunner,
	row: CallRow,
	id: string,
	isCalledBack: boolean,
	longestMs: number,
): Promise<Observation> {
	const armed = runner.internet.inject;
	let polls = 0;
	const isFirstPoll = (request: SentRequest) => request.method === 'GET' && (polls += 1) === 1;
	runner.internet.inject = (request) =>
		row.isBeforeSuspending && !isFirstPoll(request) ? armed(request) : undefined;
	const suspended = await runner.time.run(
		runWorkflow(workflowOf(row, id, 'once'), runner.options()),
		LONGEST_SUSPENDING_MS,
	);
	// Its task has ended while the fault kept it from being suspended.
	if (suspended?.status !== 'waiting') return await runner.observe(row, suspended);
	runner.internet.inject = armed;
	let resumed: EngineRun | undefined;
	const callBack = async (): Promise<number> => {
		if (resumed) return 409;
		const { response, run } = await callWaiting(suspended, {
			suffix: RESUME_PATH,
			body: { task_id: id },
		});
		resumed ??= run;
		return response.status;
	};
	runner.internet.answerSelf = callBack;
	await runner.time.pass(TASK_MS);
	if (isCalledBack) await runner.time.run(callBack(), 60_000);
	const end = runner.time.elapsed + 24 * HOUR_MS;
	while (!resumed && runner.time.elapsed < end) await runner.time.pass(60_000);
	const run = resumed ?? (await runner.time.run(resumeAfterWait(suspended), longestMs));
	return await runner.observe(row, run);
}
