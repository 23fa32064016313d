import { ERROR_CODES, type ErrorCode, type ErrorCodeInfo } from '../../nodes/gateway/errorCodes';
import { code, table } from '../doctor/markdown';
import { ERROR_MEANINGS } from './errorMeanings';

const INTRO = `# Error codes

\`npm run build\` writes this page. Correct the codes in \`nodes/gateway/errorCodes.ts\`, their meanings in \`scripts/docs/errorMeanings.ts\`, and the rest in \`scripts/docs/errorsPage.ts\`.

Every item that fails has a code. The codes stay the same from version to version. The sentences may change, so let workflows branch on the code.

## Where the code is

Under **Settings > On Error** of the node, choose **Continue** or **Continue (using error output)**. A failed item then looks like this:

\`\`\`json
{
  "error": "Insufficient balance: The balance does not cover this task.",
  "message": "Top up the account in the console of the gateway, then run again.",
  "details": {
    "code": "insufficient_balance",
    "retry": false,
    "billed": 0,
    "http_status": 402,
    "gateway_code": "402",
    "gateway_type": "payment_required"
  },
  "item_index": 0
}
\`\`\`

\`error\` says what happened and \`message\` says what to do. \`item_index\` is the number of the input item, from 0. If there is a task, the item also has \`task_id\` and \`status\`. If the input item has an earlier task and the node should make a new one, \`status\`, \`cost\` and \`cost_usd\` are those of the new one, or null. On the error output, the item also has the fields and files of its input item, so a row ID is still there. After a suspension, an item on the error output has the fields of its input item, \`error\`, \`message\` and \`details\`. It has no files.

With **Stop Workflow**, the error carries the details of the first failed item. In a workflow with an Error Trigger, the code is \`{{ $json.execution.error.context.details.code }}\`. \`message\` of that error says what happened. \`description\` says what to do, as HTML for n8n's editor: for a plain text, write \`{{ $json.execution.error.description.replaceAll('<br>', ' ').replaceAll('&lt;', '<').replaceAll('&gt;', '>') }}\`.

| Field of \`details\` | What it is |
| --- | --- |
| \`code\` | One of the codes below |
| \`retry\` | Whether running the same again makes sense, for this item. It may differ from the table below: after a 408, a submission may run again, because its key prevents a second bill |
| \`billed\` | Quota that was charged; 0 when nothing was, or when it was refunded. Missing when nobody knows, e.g. when an earlier try got no answer |
| \`may_have_executed\` | true when nobody knows whether the request was carried out |
| \`gateway_code\`, \`gateway_type\` | The code and the type of error that the gateway itself gave, where it gave them |
| \`param\` | The field of the request that the gateway names, e.g. of an asset it refuses |
| \`http_status\` | The HTTP status of the response |
| \`retry_after\` | Seconds to wait, where the gateway says so or the node knows |
| \`task_id\`, \`status\` | The task, where there is one: get it with Task > Get |
| \`other_task_ids\` | With Stop Workflow, further tasks of the run: get them with Task > Get |
| \`urls\`, \`expires_at\` | The links of a task whose file could not be downloaded |
| \`issues\` | What to correct before sending: a list of \`field\` (the name in the request) and \`message\` |
| \`text\`, \`finish_reason\` | The part of an answer that arrived, and why it ended. Of an embedding: how the refused text begins |
| \`model\` | The model of the task |
| \`fallback_from\`, \`fallback_reason\` | Where a fallback model was used: the chosen one, and why it was replaced |
| \`asset_id\` | The asset, where there is one |

## Branch on a code

On the error output, an **If** node with this condition (Boolean, is true):

\`\`\`
={{ $json.details.code === 'insufficient_balance' }}
\`\`\`

Without an error output, good items have no \`details\`, so write \`$json.details?.code\`. For several codes, use a **Switch** node with \`={{ $json.details.code }}\` as the value of each rule.

To run again only what may succeed, test \`={{ $json.details.retry }}\`. Retry On Fail does not read it: n8n repeats the node whatever the code is.

## All codes

**Retry**: whether running the same again makes sense. **Billed**: "no" means that the request was not billed, "see details" that \`details.billed\` has the amount, "unknown" that the answer did not tell.
`;

const row = ([name, { action, retry, billed }]: [string, ErrorCodeInfo]) => [
	code(name),
	ERROR_MEANINGS[name as ErrorCode],
	action,
	retry ? 'yes' : 'no',
	billed,
];

/** docs/errors.md: every code with which an item can fail. */
export function errorsPage(): string {
	const head = ['Code', 'Meaning', 'What to do', 'Retry', 'Billed'];
	return `${INTRO}\n${table(head, Object.entries(ERROR_CODES).map(row))}\n`;
}
