/** What follows from an error code. docs/errors.md is generated from it, and from scripts/docs/errorMeanings.ts. */
export interface ErrorCodeInfo {
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
		action: 'Correct the fields named in the message.',
		billed: 'no',
	},
	cost_limit_exceeded: {
		action: 'Nothing was sent. Raise the limit or ask for less.',
		billed: 'no',
	},
	unknown_price: {
		action: 'Nothing was sent. Set Cost If Price Is Unknown to Send, or remove the limit.',
		billed: 'no',
	},
	hold_above_limit: {
		action: 'Raise the limit or ask for less.',
		billed: 'see details',
	},
	invalid_credential: {
		action: 'Open the Generation Gateway credential and correct it.',
		billed: 'no',
	},
	file_unavailable: {
		action:
			'Let n8n store files (N8N_DEFAULT_BINARY_DATA_MODE: filesystem; in queue mode s3 or database), or give a public link.',
		billed: 'no',
	},
	instance_unreachable: {
		action: 'Set WEBHOOK_URL to the public address of n8n.',
		billed: 'no',
	},
	bad_request: {
		action: 'Correct what the message names, then run again.',
		billed: 'no',
	},
	invalid_asset_reference: {
		action: 'Check the asset: it must be active, of this account, and of the right type.',
		billed: 'no',
	},
	invalid_api_key: {
		action: 'Check API Key in the credential. Keys come from the console of the gateway.',
		billed: 'no',
	},
	insufficient_balance: {
		action: 'Top up the account in the console of the gateway, then run again.',
		billed: 'no',
	},
	forbidden: {
		action: 'Use a key with access to this model or endpoint.',
		billed: 'no',
	},
	not_found: {
		action:
			'Check the ID and the Base URL of the credential. IDs of other accounts are not visible.',
		billed: 'no',
	},
	unknown_outcome: {
		action: 'Check in the console of the gateway whether it was done, before you run it again.',
		billed: 'unknown',
	},
	rate_limited: {
		action: 'Run again later. Where the node has the option Concurrency, lower it.',
		retry: true,
		billed: 'no',
	},
	gateway_error: {
		action: 'This error usually goes away. Run again later.',
		retry: true,
		billed: 'unknown',
	},
	connection_failed: {
		action: 'Check Base URL in the credential, and that this n8n can reach the gateway.',
		retry: true,
		billed: 'see details',
	},
	timeout: {
		action: 'Run again later.',
		retry: true,
		billed: 'unknown',
	},
	redirected: {
		action: 'If that is your gateway, enter its address as Base URL in the credential.',
		billed: 'no',
	},
	unreadable_response: {
		action:
			'Run again later. If it comes back, check that Base URL in the credential is the address of a gateway, not of a web page.',
		retry: true,
		billed: 'unknown',
	},
	task_failed: {
		action: 'Run it again for a new task, or change the request.',
		retry: true,
		billed: 'see details',
	},
	task_cancelled: {
		action: 'If you still need it, run it again for a new task.',
		billed: 'see details',
	},
	idempotency_key_conflict: {
		action: 'Give each request its own key, e.g. the row ID and the kind of output.',
		billed: 'no',
	},
	download_failed: {
		action: 'Nothing is lost: get the file again with Task > Get and Output set to Files.',
		retry: true,
		billed: 'see details',
	},
	link_expired: {
		action:
			'Output links expire, usually after 24 hours. Download in the run that makes the file: set Output to Files there.',
		billed: 'see details',
	},
	link_not_public: {
		action: 'Open the link yourself if you trust it.',
		billed: 'see details',
	},
	asset_rejected: {
		action: 'Correct the file and upload it again.',
		billed: 'no',
	},
	text_refused: {
		action: 'Run again, or try another model.',
		retry: true,
		billed: 'unknown',
	},
	text_interrupted: {
		action: 'Run again for a whole answer.',
		retry: true,
		billed: 'unknown',
	},
	text_not_json: {
		action:
			'Run again, or use another model. Where no JSON Schema is set, set it or describe the JSON in a message.',
		retry: true,
		billed: 'unknown',
	},
	stopped: {
		action:
			"With Cancel Tasks on Stop, the running tasks of the node are cancelled. Their IDs are in n8n's log and, outside queue mode, in the custom data of the execution.",
		billed: 'unknown',
	},
	unexpected: {
		action: 'Run again. If it comes back, report it with the message.',
		retry: true,
		billed: 'unknown',
	},
} as const satisfies Record<string, ErrorCodeInfo>;

export type ErrorCode = keyof typeof ERROR_CODES;
