/** What an error code means. docs/errors.md is generated from it. */
export interface ErrorCodeInfo {
	/** What happened, for the docs. */
	meaning: string;
	/** What the user does next: the default hint. */
	action: string;
	/** Whether running the same again makes sense. Default: false. */
	retry?: boolean;
	/** Whether it was billed. `unknown`: no response told. `see details`: `details.billed` tells. */
	billed: 'no' | 'unknown' | 'see details';
}

/** Every way in which an item can fail. Codes are stable: workflows branch on `details.code`, never on a message. */
export const ERROR_CODES = {
	invalid_input: {
		meaning:
			'A field or an option of the item has a wrong value. `details.issues` lists each of them.',
		action: 'Correct the fields named in the message.',
		billed: 'no',
	},
	cost_limit_exceeded: {
		meaning: 'The task or request would cost more than a cost limit allows.',
		action: 'Nothing was sent. Raise the limit or ask for less.',
		billed: 'no',
	},
	unknown_price: {
		meaning: 'A cost limit is set, but no price is known for the task or request.',
		action: 'Nothing was sent. Set Cost If Price Is Unknown to Send, or remove the limit.',
		billed: 'no',
	},
	hold_above_limit: {
		meaning:
			'The gateway put more money on hold for the task than a cost limit allows, so the node cancelled the task.',
		action: 'Raise the limit or ask for less.',
		billed: 'see details',
	},
	invalid_credential: {
		meaning:
			'No credential is chosen, its Base URL is not a web address, n8n cannot evaluate an expression in it, or n8n cannot decrypt it: it runs with another N8N_ENCRYPTION_KEY.',
		action: 'Open the Generation Gateway credential and correct it.',
		billed: 'no',
	},
	file_unavailable: {
		meaning: 'n8n cannot read an input file, or cannot give the gateway a link to it.',
		action:
			'Let n8n store files (N8N_DEFAULT_BINARY_DATA_MODE: filesystem; in queue mode s3 or database), or give a public link.',
		billed: 'no',
	},
	instance_unreachable: {
		meaning: 'The gateway cannot reach this n8n for a callback or a file.',
		action: 'Set WEBHOOK_URL to the public address of n8n.',
		billed: 'no',
	},
	bad_request: {
		meaning: 'The gateway refused the request (400, and any 4xx without a code of its own).',
		action: 'Correct what the message names, then run again.',
		billed: 'no',
	},
	invalid_asset_reference: {
		meaning: 'The gateway refused an asset reference. `details.gateway_code` says why.',
		action: 'Check the asset: it must be active, of this account, and of the right type.',
		billed: 'no',
	},
	invalid_api_key: {
		meaning: 'The gateway does not accept the API key (401).',
		action: 'Check API Key in the credential. Keys come from the console of the gateway.',
		billed: 'no',
	},
	insufficient_balance: {
		meaning: 'The balance of the account is too low (402).',
		action: 'Top up the account in the console of the gateway, then run again.',
		billed: 'no',
	},
	forbidden: {
		meaning: 'The API key has no access to this (403).',
		action: 'Use a key with access to this model or endpoint.',
		billed: 'no',
	},
	not_found: {
		meaning:
			'The gateway does not know the model, the ID or the address (404), or something before the gateway has answered, e.g. a proxy, a firewall or a login page.',
		action:
			'Check the ID and the Base URL of the credential. IDs of other accounts are not visible.',
		billed: 'no',
	},
	unknown_outcome: {
		meaning: 'The gateway did not say whether it carried out the request (408, 409, 425).',
		action: 'Check in the console of the gateway whether it was done, before you run it again.',
		billed: 'unknown',
	},
	rate_limited: {
		meaning:
			'The gateway receives too many requests (429), or the request was not sent in time. `details.retry_after` is the number of seconds to wait, where the gateway gives one.',
		action: 'Run again later. Where the node has the option Concurrency, lower it.',
		retry: true,
		billed: 'no',
	},
	gateway_error: {
		meaning:
			'The gateway could not process the request (5xx), or had no capacity (503) until it was too late to send it. In the second case `details.billed` is 0.',
		action: 'This error usually goes away. Run again later.',
		retry: true,
		billed: 'unknown',
	},
	connection_failed: {
		meaning:
			'The gateway could not be reached, the connection broke, or n8n could not read the credential.',
		action: 'Check Base URL in the credential, and that this n8n can reach the gateway.',
		retry: true,
		billed: 'see details',
	},
	timeout: {
		meaning: 'The gateway sent nothing for too long, or an answer that did not end.',
		action: 'Run again later.',
		retry: true,
		billed: 'unknown',
	},
	redirected: {
		meaning: 'The gateway points to another address (3xx). The API key is not sent there.',
		action: 'If that is your gateway, enter its address as Base URL in the credential.',
		billed: 'no',
	},
	unreadable_response: {
		meaning: 'The gateway sent a response that cannot be read.',
		action:
			'Run again later. If it comes back, check that Base URL in the credential is the address of a gateway, not of a web page.',
		retry: true,
		billed: 'unknown',
	},
	task_failed: {
		meaning: 'The task failed.',
		action: 'Run it again for a new task, or change the request.',
		retry: true,
		billed: 'see details',
	},
	task_cancelled: {
		meaning: 'The task was cancelled.',
		action: 'If you still need it, run it again for a new task.',
		billed: 'see details',
	},
	idempotency_key_conflict: {
		meaning: 'The Idempotency Key has already made a task with a model of another family.',
		action: 'Give each request its own key, e.g. the row ID and the kind of output.',
		billed: 'no',
	},
	download_failed: {
		meaning: 'The task is done and paid, but its file could not be downloaded or stored.',
		action: 'Nothing is lost: get the file again with Task > Get and Output set to Files.',
		retry: true,
		billed: 'see details',
	},
	link_expired: {
		meaning: 'The task is done and paid, but the link to its file no longer works.',
		action:
			'Output links expire, usually after 24 hours. Download in the run that makes the file: set Output to Files there.',
		billed: 'see details',
	},
	link_not_public: {
		meaning: 'The task is done and paid, but the link to its file is not a public web address.',
		action: 'Open the link yourself if you trust it.',
		billed: 'see details',
	},
	asset_rejected: {
		meaning:
			'The gateway did not accept the asset, e.g. because of its format or its review, or because the review took too long. The asset cannot be used. `details.retry` says whether the same file may pass in a new upload.',
		action: 'Correct the file and upload it again.',
		billed: 'no',
	},
	text_refused: {
		meaning: 'The model gave no answer. The message has the reason, where the gateway gives one.',
		action: 'Run again, or try another model.',
		retry: true,
		billed: 'unknown',
	},
	text_interrupted: {
		meaning: 'The stream of an answer broke off. `details.text` holds the part that arrived.',
		action: 'Run again for a whole answer.',
		retry: true,
		billed: 'unknown',
	},
	text_not_json: {
		meaning:
			'The answer, or what a tool is called with, should be JSON, but is not. `details.text` holds it.',
		action:
			'Run again, or use another model. Where no JSON Schema is set, set it or describe the JSON in a message.',
		retry: true,
		billed: 'unknown',
	},
	stopped: {
		meaning: 'The execution was stopped.',
		action:
			"With Cancel Tasks on Stop, the running tasks of the node are cancelled. Their IDs are in n8n's log and, outside queue mode, in the custom data of the execution.",
		billed: 'unknown',
	},
	unexpected: {
		meaning: 'Something went wrong inside n8n or this node.',
		action: 'Run again. If it comes back, report it with the message.',
		retry: true,
		billed: 'unknown',
	},
} as const satisfies Record<string, ErrorCodeInfo>;

export type ErrorCode = keyof typeof ERROR_CODES;
