/** The body of a request as it came over the wire. */
export type Body = Record<string, unknown>;

export type Outcome = 'completed' | 'failed' | 'cancelled';

/** How the callback of one task behaves; `early` is sent while the task still runs. */
export type CallbackMode = 'normal' | 'lost' | 'doubled' | 'early';

export interface PixelSize {
	width: number;
	height: number;
}

/**
 * Everything about the sandbox that a test or a demo can change.
 * The object is live: what is changed takes effect with the next request.
 */
export interface Settings {
	/** The address in links (`urls`, results) when others reach the sandbox by another name. */
	publicUrl?: string;
	/** Milliseconds a task takes; `Infinity` waits for `finish()`. */
	taskMs: number | ((body: Body) => number);
	/** Why a task will fail: `'failed'` or a reason. A prompt with "[fail]" always fails. */
	fail: (body: Body) => string | undefined;
	/** The fields a failed task carries; the gateway does not show them (section 7). */
	failure: (reason: string) => Body;
	/** Unit of `created_at` in replies to a submission; status replies are always in seconds. */
	createdAtUnit: 'ms' | 's';
	/** The status of a completed task. */
	terminalWord: 'completed' | 'succeeded';
	/** The status between `queued` and the final one; the spec does not show it. */
	runningWord: string;
	/** Progress of a running task: `"45%"`, `45`, `0.45` or none. */
	progressStyle: 'percent' | 'number' | 'fraction' | 'none';
	/** Quota charged at the end for what was held at submission. */
	settle: (held: number, body: Body) => number;
	/** Links of a result instead of the sandbox's own pictures; undefined for those. */
	resultLinks: (body: Body) => string[] | undefined;
	/** Seconds until the links of a result stop working. */
	linkValiditySeconds: number;
	/** Every endpoint that costs answers 402; lists and asset calls still work. */
	quotaExhausted: boolean;
	/** API calls in flight at once; one more is answered 429. */
	concurrencyLimit: number;
	/** `Retry-After` of that 429: seconds or an HTTP date. */
	retryAfter: string;
	/**
	 * Submissions in each window of that many milliseconds of the clock; one more is answered 429,
	 * with `Retry-After` where that is wanted.
	 */
	submissionLimit?: { requests: number; windowMs: number; hasRetryAfter?: boolean };
	/** Keys and the account each belongs to. */
	accounts: Record<string, string>;
	/** Keys that are known and not allowed: 403. */
	forbiddenKeys: string[];
	/** Extra milliseconds before any API call is looked at. */
	apiLatencyMs: number;
	/** Milliseconds a text, speech or embedding model thinks. */
	chatMs: number;
	/** Milliseconds between two chunks of a stream. */
	chunkMs: number;
	/** The `finish_reason` of a chat completion that calls a tool (2.5 lists `function_call`). */
	toolFinishReason: string;
	/** Whether chat completions take the `tool` role, which 2.5 does not list and agents need. */
	acceptToolRole: boolean;
	/** Seconds that `Prefer: wait=N` is cut to. */
	maxWaitSeconds: number;
	/** Milliseconds an asset is under review. */
	assetReviewMs: number;
	/** Milliseconds for which a read asset status is not looked at again (the service: 5000). */
	assetRefreshMs: number;
	/** Assets in `processing` plus `active` per account. */
	assetLimit: number;
	/** Uploads per account and minute; one more is answered 429. */
	assetUploadsPerMinute: number;
	/** Whether an asset cannot be used on the model's current route. */
	routeMismatch: (asset: { id: string; name: string; model: string }, body: Body) => boolean;
	/** Size of a reference image, or undefined when it cannot be read. */
	imageSize: (link: string) => PixelSize | undefined;
	/** Whether links to private hosts are refused; off, so that tests can serve files. */
	refusePrivateLinks: boolean;
	callbacks: CallbackMode | ((body: Body) => CallbackMode);
	/** Payload of a callback; the gateway does not show it. */
	callbackPayload: (task: Body) => unknown;
	/** Deliveries tried in all, and the pause before each further one. */
	callbackRetry: { attempts: number; delayMs: number; timeoutMs: number };
	/** What `GET /v1/models` lists instead of the models that are served. */
	listModels: (served: Body[]) => Body[];
	/** Text and speech models beyond the listed ones ("more are added over time"). */
	extraTextModels: string[];
	/** Seed of the random numbers behind `probability` of faults. */
	seed: number;
	/** The clock in Unix milliseconds; replace it to travel in time. */
	now: () => number;
}

/** "…/cat-2048x1536.png" is that large, "unreadable" cannot be read, all else is a quarter megapixel. */
function sizeFromLink(link: string): PixelSize | undefined {
	if (link.includes('unreadable')) return undefined;
	const hint = /(\d{2,5})x(\d{2,5})/.exec(link);
	return hint ? { width: Number(hint[1]), height: Number(hint[2]) } : { width: 512, height: 512 };
}

export function defaultSettings(): Settings {
	return {
		taskMs: 400,
		fail: () => undefined,
		failure: (reason) => ({ error: { code: 'generation_failed', message: reason } }),
		createdAtUnit: 'ms',
		terminalWord: 'completed',
		runningWord: 'processing',
		progressStyle: 'percent',
		settle: (held) => held,
		resultLinks: () => undefined,
		linkValiditySeconds: 86_400,
		quotaExhausted: false,
		concurrencyLimit: Infinity,
		retryAfter: '1',
		accounts: {
			'sandbox-key': 'main',
			'sandbox-key-2': 'main',
			'other-key': 'other',
		},
		forbiddenKeys: [],
		apiLatencyMs: 0,
		chatMs: 0,
		chunkMs: 0,
		toolFinishReason: 'function_call',
		acceptToolRole: true,
		maxWaitSeconds: 60,
		assetReviewMs: 300,
		assetRefreshMs: 0,
		assetLimit: 500,
		assetUploadsPerMinute: Infinity,
		routeMismatch: (asset) => asset.name.includes('[route]'),
		imageSize: sizeFromLink,
		refusePrivateLinks: false,
		callbacks: 'normal',
		callbackPayload: (task) => task,
		callbackRetry: { attempts: 3, delayMs: 100, timeoutMs: 5_000 },
		listModels: (served) => served,
		extraTextModels: [],
		seed: 1,
		now: () => Date.now(),
	};
}
