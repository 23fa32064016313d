import { forgetAccounts } from '../../nodes/gateway/rateLimit/accounts';
import { DailySpend } from '../../nodes/n8n/dailySpend';
import { ExecutionRecord } from '../../nodes/GenerationGateway/account/executionRecord';
import { RowMemory } from '../../nodes/GenerationGateway/account/rowMemory';
import { retiredKeysByAccount } from '../../nodes/GenerationGateway/tasks/taskKey';
import { forgetKeyProofs } from '../../nodes/GenerationGateway/tasks/waitForTask';

/** Forgets all that a process knows. */
export function restartProcess(): void {
	forgetAccounts();
	for (const map of [ExecutionRecord['known'], ExecutionRecord['makers']]) map.clear();
	retiredKeysByAccount.clear();
	forgetKeyProofs();
	DailySpend.clear();
	RowMemory.clear();
}
