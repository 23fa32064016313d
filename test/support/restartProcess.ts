import { forgetAccounts } from '../../nodes/gateway/rateLimit/accounts';
import { BoundedMap } from '../../nodes/gateway/boundedMap';
import { RetiredKeys } from '../../nodes/gateway/tasks/idempotencyKeys';
import { ExecutionRecord } from '../../nodes/GenerationGateway/account/executionRecord';
import { RowMemory } from '../../nodes/GenerationGateway/account/rowMemory';
import { outputMemory, OutputMemory } from '../../nodes/GenerationGateway/outputMemory';
import { retiredKeys } from '../../nodes/GenerationGateway/tasks/taskKey';

/** Forgets all that a process knows. */
export function restartProcess(): void {
	forgetAccounts();
	Object.assign(ExecutionRecord, { known: new BoundedMap(200), makers: new BoundedMap(20_000) });
	Object.assign(RowMemory, { plans: new BoundedMap(20_000) });
	Object.assign(retiredKeys, new RetiredKeys());
	Object.assign(outputMemory, new OutputMemory());
}
