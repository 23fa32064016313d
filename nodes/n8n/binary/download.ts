import type { IBinaryData, IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';
import type { Task } from '../../gateway/tasks/schema';
import { GatewayError } from '../../gateway/errors';
import { delay } from '../../gateway/delay';
import {
	isGatewayPrivate,
	isPrivateAddress,
	type CredentialContext,
} from '../../gateway/privateAddress';
import { DEFAULT_RETRY, isRetryable, retryDelayMs, retryAfterMs } from '../../gateway/retry';

type Downloader = {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'prepareBinaryData'>;
};
type FileStream = Parameters<Downloader['helpers']['prepareBinaryData']>[0];

const GONE = new Set([401, 403, 404, 410]);
const TYPES: Record<string, string> = {
	'image/jpeg': 'jpg',
	'image/png': 'png',
	'image/webp': 'webp',
	'video/mp4': 'mp4',
};

/** Milliseconds without a byte after which a host counts as gone; a long file may take as long as it takes. */
const LONGEST_SILENCE_MS = 60_000;

const MOST_REDIRECTS = 5;
/** However long the host of a file asks to wait. */
const LONGEST_REST_MS = 60_000;

export interface DownloadSettings {
	signal?: AbortSignal;
	silenceMs?: number;
	/** Whether a link may lead to this machine or network: only where the gateway is there itself. */
	mayLeadInside?: boolean;
}

/**
 * Streams a result file into n8n's binary data, with its type, name and size. The link is called without
 * the API key: it leads to another host (spec section 1.7: it also ends, usually after 24 hours). Each
 * step of a redirect is held against the same rules as the link itself.
 */
export async function download(
	{ helpers }: Downloader,
	link: string,
	name: string,
	settings: DownloadSettings = {},
): Promise<IBinaryData> {
	const { signal, silenceMs = LONGEST_SILENCE_MS, mayLeadInside = false } = settings;
	let url = link;
	for (let attempt = 1, redirects = 0; ;) {
		if (
			!/^https?:\/\/./i.test(url) ||
			!URL.canParse(url) ||
			(!mayLeadInside && isPrivateAddress(url))
		)
			throw strayLink(url);
		try {
			const { body, headers } = (await helpers.httpRequest({
				method: 'GET',
				url,
				encoding: 'stream',
				json: false,
				returnFullResponse: true,
				disableFollowRedirect: true,
				timeout: silenceMs,
				abortSignal: signal,
			})) as { body: FileStream; headers: Record<string, string | undefined> };
			const type = headers['content-type']?.split(';')[0]?.trim();
			return await helpers.prepareBinaryData(body, fileName(link, name, type), type);
		} catch (error) {
			(error as Refused).response?.data?.destroy?.();
			const next = redirectOf(error, url);
			if (next && redirects < MOST_REDIRECTS) {
				redirects += 1;
				url = next;
				continue;
			}
			const status = statusOf(error);
			if (attempt >= 3 || signal?.aborted || !isRetryable('read', status))
				throw notFetched(url, status);
			const asked =
				retryAfterMs((error as Refused).response?.headers?.['retry-after'], Date.now()) ?? 0;
			await delay(Math.min(LONGEST_REST_MS, retryDelayMs(attempt, DEFAULT_RETRY, asked)), signal);
			attempt += 1;
		}
	}
}

/** Lets only so many downloads run at once. */
export type RunLimited = <Done>(work: () => Promise<Done>) => Promise<Done>;

export interface DownloadRun {
	signal?: AbortSignal;
	limit?: RunLimited;
}

/** All outputs of a task into binary fields: `field`, `field_1`, `field_2`, … */
export async function downloadResults(
	host: Downloader & CredentialContext,
	{ taskId, urls }: Task,
	field: string,
	{ signal, limit = async (work) => await work() }: DownloadRun = {},
): Promise<IBinaryKeyData> {
	const mayLeadInside = await isGatewayPrivate(host);
	const stored = urls.map(async (url, index) => {
		const name = index ? `${field}_${index}` : field;
		return [
			name,
			await limit(
				async () => await download(host, url, `${taskId}_${index}`, { signal, mayLeadInside }),
			),
		] as const;
	});
	return Object.fromEntries(await Promise.all(stored));
}

function fileName(url: string, name: string, type: string | undefined): string {
	const last = new URL(url).pathname.split('/').pop() ?? '';
	return /\.\w{2,5}$/.test(last) ? last : `${name}.${TYPES[type ?? ''] ?? 'bin'}`;
}

/** What n8n hands over of an answer that brings no file; its body is a stream, which holds the connection. */
interface Refused {
	response?: {
		status?: number;
		headers?: { location?: string; 'retry-after'?: string };
		data?: { destroy?: () => void };
	};
}

/** Where an answer of 3xx leads, as n8n hands it over when it does not follow by itself. */
function redirectOf(error: unknown, from: string): string | undefined {
	const { response } = error as Refused;
	const location = response?.headers?.location;
	if (
		!location ||
		!response.status ||
		response.status < 300 ||
		response.status > 399 ||
		!URL.canParse(location, from)
	)
		return undefined;
	return new URL(location, from).href;
}

function statusOf(error: unknown): number | undefined {
	const { response, httpCode, status } = error as {
		response?: { status?: number };
		httpCode?: string;
		status?: number;
	};
	return response?.status ?? status ?? (httpCode ? Number(httpCode) : undefined);
}

function strayLink(url: string): GatewayError {
	return new GatewayError(
		`The task is done, but the link to its file (${url.slice(0, 80)}) does not lead to a public address and is not followed`,
		'Results are fetched from public http(s) links only, so that none reaches into your network. The link is in the details: open it yourself if you trust it.',
		{ retry: false },
	);
}

function notFetched(url: string, status: number | undefined): GatewayError {
	const host = URL.canParse(url) ? new URL(url).host : url;
	const ended = status !== undefined && GONE.has(status);
	return new GatewayError(
		`The task is done, but its file on ${host} ${ended ? `is no longer available (${status})` : 'could not be downloaded'}`,
		ended
			? 'Output links end, usually after 24 hours. Download in the run that makes the file.'
			: 'Nothing is lost: fetch it again with Task > Get and Download.',
		{ retry: !ended, http_status: status },
	);
}
