import { forgetAccounts } from '../../nodes/gateway/rateLimit/accounts';
import { DailySpend } from '../../nodes/n8n/dailySpend';
import { ExecutionRecord } from '../../nodes/GenerationGateway/account/executionRecord';
import { cancellations } from '../../nodes/GenerationGateway/tasks/cancelOnStop';
import { retiredKeysByAccount } from '../../nodes/GenerationGateway/tasks/taskKey';
import { keepsKeys } from '../../nodes/GenerationGateway/tasks/waitForTask';

export function forgetDailySpend(): void {
	const { ofKeys, ofTasks } = DailySpend;
	for (const map of [DailySpend['ofAccounts'], ofKeys, ofTasks]) map.clear();
}

/** Forgets all that a process knows. */
export function restartProcess(): void {
	forgetAccounts();
	for (const map of [ExecutionRecord['known'], ExecutionRecord['makers']]) map.clear();
	forgetDailySpend();
	retiredKeysByAccount.clear();
	cancellations.clear();
	keepsKeys.clear();
}

/** What a process remembers of executions and of what their tasks cost. */
const MAPS = [
	...[ExecutionRecord['known'], ExecutionRecord['makers']],
	...[DailySpend['ofAccounts'], DailySpend['ofKeys'], DailySpend['ofTasks']],
] as never as { kept: Map<unknown, unknown> }[];

/** Another worker goes on from here; gives a function with which this one takes over again. */
export function leaveProcess(): () => void {
	const saved = MAPS.map(({ kept }) => [...kept]);
	restartProcess();
	return () => {
		for (const [at, map] of MAPS.entries()) {
			map.kept.clear();
			for (const [key, value] of saved[at]!) map.kept.set(key, value);
		}
	};
}
