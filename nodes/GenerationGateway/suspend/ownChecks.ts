import { nextPollDelay } from '../../gateway/tasks/pollInterval';
import {
	createClientAfterStop,
	createGatewayContext,
	type CredentialContext,
} from '../../n8n/gatewayContext';
import { systemClock, wallTime } from '../../n8n/systemClock';
import { cancelStopped } from '../tasks/cancelOnStop';
import { findRunning } from './findRunning';
import { callOwnLink, type Caller } from './ownCall';
import type { Period, StoredExecution } from './storedSuspension';

/** First poll, in seconds. Each next delay is three times as long, up to half an hour. */
const FIRST_SECONDS = 3;
const GROWTH = 3;
const LONGEST_SECONDS = 1_800;
/** n8n answers 409 while it saves the execution, and after it has gone on. */
const SAVING_SECONDS = 30;
/** Until the next check when n8n cannot answer; then delays grow anew. Also between two tries of the last poll. */
const AGAIN_SECONDS = 20;
/** First call after a resume. Each next delay is three times as long, too. */
const CONFIRM_SECONDS = 5;

const DELETED =
	'Generation Gateway: n8n does not know a suspended execution any more, so its running tasks are cancelled. If nobody has deleted it, check that WEBHOOK_URL leads to this n8n.';

const UNREACHABLE =
	'Generation Gateway: n8n cannot reach its own address, so a suspended execution may go on late or without its results, and a stop may not cancel its tasks. Set WEBHOOK_URL to an address that n8n can reach, too. Where n8n uses a proxy, name the host of WEBHOOK_URL in NO_PROXY. Where N8N_SSRF_PROTECTION_ENABLED is set, name it in N8N_SSRF_ALLOWED_HOSTNAMES.';

/** Without callbacks, tasks are polled as with Wait Mode: Poll, but every 3 s at most. */
const uncalledSeconds = (elapsed: number): number =>
	Math.max(
		FIRST_SECONDS,
		nextPollDelay({ elapsed, progress: 0, longest: LONGEST_SECONDS * 1000 }) / 1000,
	);

export type Suspension = Omit<StoredExecution, 'items'> & { period: Period };

export type Stop = () => void;

/**
 * Polls the tasks of a suspended execution now and then, and calls its link when all have ended: a callback
 * may be lost, come too early, or go to another execution. n8n reads the whole execution for each call, so
 * others come only near the end, and to notice a stop where tasks are to be cancelled. Ends with this
 * process, and when the execution does not wait here any more (`onOver`). `getNode`: undefined where it was
 * evicted.
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
	let isWarned = false;
	/** n8n could not answer the last call. */
	let isAway = false;
	let callsAfterMs = FIRST_SECONDS * 1000;
	const plan = (seconds: number): void => {
		const left = (closesAt - wallTime()) / 1000;
		const next = left > 0 ? Math.min(seconds, left) : AGAIN_SECONDS;
		if (wallTime() + next * 1000 < until) chain.plan(next, () => void check(seconds));
		else if (!chain.isStopped) onOver();
	};
	const check = async (seconds: number): Promise<void> => {
		const node = getNode();
		if (!node) return onOver();
		// The call lets the execution go on, so an error may be that of a later node.
		const isClosing = wallTime() >= closesAt;
		const isDue = isClosing || (isStopWatched && elapsed() >= callsAfterMs);
		// Also where a call is due: if another process has resumed it, the costs of its tasks count here, too.
		const hasEnded = (await findState(node)) === 'ended';
		if (isDue || hasEnded) {
			if (chain.isStopped) return;
			const outcome = await callOwnLink(node, url, taskIds[0]!);
			if (chain.isStopped) return;
			if (outcome === 'unreachable' && !isWarned) node.logger.warn(UNREACHABLE);
			isWarned ||= outcome === 'unreachable';
			if (outcome === 'failed' && !isClosing) cancelAll(node, cancelledOnStop);
			// n8n may not keep an execution that has gone on, but then its tasks have ended.
			const isDeleted = outcome === 'deleted' && !isClosing && isStopWatched;
			const state = isDeleted ? await findState(node) : undefined;
			if (chain.isStopped) return;
			if (state === 'running') {
				node.logger.warn(DELETED);
				cancelAll(node, cancelledOnStop);
			}
			const isSaved = elapsed() > SAVING_SECONDS * 1000;
			const isOver = ['over', 'failed', 'deleted'].includes(outcome) && state !== 'unknown';
			if (isOver || (outcome === 'running' && isSaved)) return onOver();
			callsAfterMs = Math.min(callsAfterMs * GROWTH, elapsed() + LONGEST_SECONDS * 1000);
			const isFirst = outcome === 'again' && !isAway;
			isAway = outcome === 'again';
			if (isFirst) return plan(AGAIN_SECONDS);
		}
		const growing = Math.min(LONGEST_SECONDS, seconds * GROWTH);
		plan(isCalledBack ? growing : uncalledSeconds(elapsed()));
	};
	const findState = async (node: CredentialContext): Promise<'ended' | 'running' | 'unknown'> => {
		const { hasRunning, hasAnswer, failure } = await findRunning(createClient(node), taskIds);
		if (hasAnswer) return hasRunning ? 'running' : 'ended';
		node.logger.warn(
			`Generation Gateway: ${taskIds[0]} of a suspended execution cannot be fetched: ${(failure as Error).message}`,
		);
		return 'unknown';
	};
	plan(FIRST_SECONDS);
	return chain.stop;
}

function cancelAll(node: CredentialContext, taskIds: readonly string[]): void {
	const client = createClient(node);
	for (const taskId of taskIds)
		cancelStopped(client, node.logger, taskId).catch((error: unknown) =>
			node.logger.warn(`Generation Gateway: could not cancel ${taskId}: ${String(error)}`),
		);
}

/** Calls the link until n8n says that the execution has gone on, or its time is over. */
export function confirmResume(
	getNode: () => Caller | undefined,
	{ taskIds, url, period: { until } }: Suspension,
	onConfirmed: () => void,
): Stop {
	const chain = createChain();
	const plan = (seconds: number): void => {
		if (wallTime() + seconds * 1000 < until) chain.plan(seconds, () => void request(seconds));
		else onConfirmed();
	};
	const request = async (seconds: number): Promise<void> => {
		const node = getNode();
		if (!node) return onConfirmed();
		const outcome = await callOwnLink(node, url, taskIds[0]!);
		if (['again', 'unknown', 'unreachable'].includes(outcome))
			plan(Math.min(LONGEST_SECONDS, seconds * GROWTH));
		else if (!chain.isStopped) onConfirmed();
	};
	plan(CONFIRM_SECONDS);
	return chain.stop;
}

const createClient = (node: CredentialContext) => createClientAfterStop(createGatewayContext(node));

/** A chain of timers, each of which plans the next one. */
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
