import { keepsFilesInJson } from '../../n8n/binaryMode';
import { hostRules } from '../../n8n/hostRules';
import { isRunByCaller, isToolNode } from '../../n8n/itemReader';
import type { Run } from '../operation';

const NOT_COMBINED =
	'The node polls here: n8n loses the tasks of a suspended execution when Binary Mode is Combined';

const NOT_STREAMED =
	'The node polls here: in a workflow that streams its response, a suspension ends the response';

const NOT_ROUTED =
	'The node polls here: this n8n sends failed items of a suspended execution to the success output. Update n8n to 2.36 or newer, or set On Error to Continue';

const NOT_IN_CALLER =
	'The node polls here: the caller of this tool runs it itself, so n8n cannot suspend the execution for it';

const NOT_IN_ORDER =
	'The node polls here: this n8n loses answers when several calls of a tool suspend the execution. Update n8n to 2.36 or newer';

/**
 * Whether the execution may be suspended. Otherwise the user reads why not, in the log before anything is paid;
 * n8n shows the hint when the node has ended. `problem`: why the caller cannot suspend.
 */
export function canSuspend({ context, share, summary }: Run, problem?: string): boolean {
	const node = context.getNode();
	const reason =
		problem ??
		(isRunByCaller(context) ? NOT_IN_CALLER : undefined) ??
		(context.isStreaming?.() ? NOT_STREAMED : undefined) ??
		(keepsFilesInJson(context) ? NOT_COMBINED : undefined) ??
		(isToolNode(node) && !hostRules.runsCallsInOrder ? NOT_IN_ORDER : undefined) ??
		(node.onError === 'continueErrorOutput' && !hostRules.routesStoredFailures
			? NOT_ROUTED
			: undefined);
	if (!reason) return true;
	share('notSuspended', () => context.logger.warn(`Generation Gateway: ${reason}`));
	summary.addWarning(reason);
	return false;
}
