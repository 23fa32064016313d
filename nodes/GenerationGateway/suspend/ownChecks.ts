import { nextPollDelay } from '../../gateway/tasks/pollInterval';
import { createClientAfterStop, type CredentialContext } from '../../n8n/gatewayContext';
import { systemClock, wallTime } from '../../n8n/systemClock';
import { cancelStopped } from '../tasks/cancelOnStop';
import { findRunning } from './findRunning';
import { callOwnLink, type Caller } from './ownCall';
import type { Period } from './storedSuspension';

/** Seconds after which the node polls its tasks, each time three times as long, half an hour at most. */
const FIRST_SECONDS = 3;
const GROWTH = 3;
const LONGEST_SECONDS = 1_800;
/** n8n answers 409 while it still saves the suspended execution, and also when the execution has gone on. */
const SAVING_SECONDS = 30;
/** Between two tries of the last poll, when the time of the suspension is nearly up. */
const CLOSING_SECONDS = 20;
/** Seconds after a resume at which the node asks n8n whether the execution has gone on: n8n may have refused it. */
const CONFIRM_SECONDS = [5, 15, 45, 135];

/**
 * Where no callback will come, the tasks are polled as Wait Mode: Poll does: a twentieth of the time that
 * has passed lies between two polls, but 3 seconds at least.
 */
const uncalledSeconds = (elapsed: number): number =>
	Math.max(
		FIRST_SECONDS,
		nextPollDelay({ elapsed, progress: 0, longest: LONGEST_SECONDS * 1000 }) / 1000,
	);

/** What an execution is suspended for. */
export interface Suspension {
	taskIds: readonly string[];
	period: Period;
	/** Its link. */
	url: string;
	/** Those of the tasks that are cancelled when the user stops the execution. */
	cancelledOnStop: readonly string[];
}

/** Ends what was planned, and lets go of what it holds. */
export type Stop = () => void;

/**
 * Polls the tasks of the suspended execution now and then and calls its own link when none runs any
 * more, so that it goes on also when a callback met it too early, was lost, or went to the execution
 * that had made the task. The link is not called before, since n8n reads the whole execution for each
 * call, and shortly before its time is up, for a last poll. Where tasks are to be cancelled when the user
 * stops the execution, the link is called now and then as well, since nobody tells a node that waits. It
 * ends when the execution waits here no longer, which `onOver` is told, and with this process; then the
 * next callback starts it anew.
 * @param getNode what n8n gives the node to send requests with; undefined where it is forgotten
 */
export function startOwnChecks(
	getNode: () => (CredentialContext & Caller) | undefined,
	{ taskIds, url, period: { closesAt, until, isCalledBack }, cancelledOnStop }: Suspension,
	onOver: () => void,
): Stop {
	const startedAt = systemClock.now();
	const elapsed = () => systemClock.now() - startedAt;
	const chain = createChain();
	const isStopWatched = cancelledOnStop.length > 0;
	let callsAfterMs = FIRST_SECONDS * 1000;
	const plan = (seconds: number): void => {
		const left = (closesAt - wallTime()) / 1000;
		const next = left > 0 ? Math.min(seconds, left) : CLOSING_SECONDS;
		if (wallTime() + next * 1000 < until) chain.plan(next, () => void check(seconds));
		else onOver();
	};
	const check = async (seconds: number): Promise<void> => {
		const node = getNode();
		if (!node) return onOver();
		// From then on the call lets the execution go on, and an error may be that of a later node.
		const isClosing = wallTime() >= closesAt;
		const isDue = isClosing || (isStopWatched && elapsed() >= callsAfterMs);
		if (isDue || (await haveEnded(node))) {
			if (chain.isStopped) return;
			const outcome = await callOwnLink(node, url, taskIds[0]!);
			if (chain.isStopped) return;
			const isSaved = elapsed() > SAVING_SECONDS * 1000;
			if (outcome === 'failed' && !isClosing) cancelAll(node, cancelledOnStop);
			const isOver = outcome === 'over' || outcome === 'failed';
			if (isOver || (outcome === 'running' && isSaved)) return onOver();
			callsAfterMs = Math.min(callsAfterMs * GROWTH, elapsed() + LONGEST_SECONDS * 1000);
		}
		const growing = Math.min(LONGEST_SECONDS, seconds * GROWTH);
		plan(isCalledBack ? growing : uncalledSeconds(elapsed()));
	};
	const haveEnded = async (node: CredentialContext): Promise<boolean> => {
		const { hasRunning, hasAnswer } = await findRunning(createClientAfterStop(node), taskIds);
		return hasAnswer && !hasRunning;
	};
	plan(FIRST_SECONDS);
	return chain.stop;
}

/** Cancels tasks of an execution that was stopped. */
function cancelAll(node: CredentialContext, taskIds: readonly string[]): void {
	const client = createClientAfterStop(node);
	for (const taskId of taskIds)
		cancelStopped(client, node.logger, taskId).catch((error: unknown) =>
			node.logger.warn(`Generation Gateway: could not cancel ${taskId}: ${String(error)}`),
		);
}

/**
 * Calls the link of an execution that was just resumed, until n8n says that it has gone on. n8n starts it
 * after the caller got its answer, and may refuse; then the call resumes it again.
 */
export function confirmResume(
	node: Caller,
	url: string,
	taskId: string,
	onConfirmed: () => void,
): Stop {
	const chain = createChain();
	const plan = (at: number): void => {
		const seconds = CONFIRM_SECONDS[at];
		if (seconds !== undefined) chain.plan(seconds, () => void request(at));
	};
	const request = async (at: number): Promise<void> => {
		const outcome = await callOwnLink(node, url, taskId);
		if (outcome === 'unknown') plan(at + 1);
		else if (!chain.isStopped) onConfirmed();
	};
	plan(0);
	return chain.stop;
}

/** Timers of which each plans the next one, until it is stopped. */
function createChain() {
	let cancel = () => {};
	const chain = {
		isStopped: false,
		plan(seconds: number, callback: () => void): void {
			if (!chain.isStopped) cancel = systemClock.after(seconds * 1000, callback);
		},
		stop(): void {
			chain.isStopped = true;
			cancel();
		},
	};
	return chain;
}
