import type { ErrorCode } from '../../nodes/gateway/errorCodes';

/** What has happened, for docs/errors.md. The message of an error says it to the user. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
	invalid_input:
		'A field or an option of the item has a wrong value. `details.issues` lists each of them.',
	cost_limit_exceeded: 'The task or request would cost more than a cost limit allows.',
	unknown_price: 'A cost limit is set, but no price is known for the task or request.',
	hold_above_limit:
		'The gateway put more money on hold for the task than a cost limit allows, so the node cancelled the task.',
	invalid_credential:
		'No credential is chosen, its Base URL is not a web address, n8n cannot evaluate an expression in it, or n8n cannot decrypt it: it runs with another N8N_ENCRYPTION_KEY.',
	file_unavailable: 'n8n cannot read an input file, or cannot give the gateway a link to it.',
	instance_unreachable: 'The gateway cannot reach this n8n for a callback or a file.',
	bad_request: 'The gateway refused the request (400, and any 4xx without a code of its own).',
	invalid_asset_reference:
		'The gateway refused an asset reference. `details.gateway_code` says why.',
	invalid_api_key: 'The gateway does not accept the API key (401).',
	insufficient_balance: 'The balance of the account is too low (402).',
	forbidden: 'The API key has no access to this (403).',
	not_found:
		'The gateway does not know the model, the ID or the address (404), or something before the gateway has answered, e.g. a proxy, a firewall or a login page.',
	unknown_outcome: 'The gateway did not say whether it carried out the request (408, 409, 425).',
	rate_limited:
		'The gateway receives too many requests (429), or the request was not sent in time. `details.retry_after` is the number of seconds to wait, where the gateway gives one.',
	gateway_error:
		'The gateway could not process the request (5xx), or had no capacity (503) until it was too late to send it. In the second case `details.billed` is 0.',
	connection_failed:
		'The gateway could not be reached, the connection broke, or n8n could not read the credential.',
	timeout: 'The gateway sent nothing for too long, or an answer that did not end.',
	redirected: 'The gateway points to another address (3xx). The API key is not sent there.',
	unreadable_response: 'The gateway sent a response that cannot be read.',
	task_failed: 'The task failed.',
	task_cancelled: 'The task was cancelled.',
	idempotency_key_conflict:
		'The Idempotency Key has already made a task with a model of another family.',
	download_failed: 'The task is done and paid, but its file could not be downloaded or stored.',
	link_expired: 'The task is done and paid, but the link to its file no longer works.',
	link_not_public:
		'The task is done and paid, but the link to its file is not a public web address.',
	asset_rejected:
		'The gateway did not accept the asset, e.g. because of its format or its review, or because the review took too long. The asset cannot be used. `details.retry` says whether the same file may pass in a new upload.',
	text_refused:
		'The model gave no answer. The message has the reason, where the gateway gives one.',
	text_interrupted:
		'The stream of an answer broke off. `details.text` holds the part that arrived.',
	text_not_json:
		'The answer, or what a tool is called with, should be JSON, but is not. `details.text` holds it.',
	stopped: 'The execution was stopped.',
	unexpected: 'Something went wrong inside n8n or this node.',
};
