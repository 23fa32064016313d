import type { IBinaryData, IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';
import { getOwn } from '../../catalog/json';
import { isHttpLink } from '../../catalog/links';
import type { Limiter } from '../../gateway/concurrency';
import { onAbort } from '../../gateway/abort';
import { delay } from '../../gateway/delay';
import { GatewayError } from '../../gateway/errors';
import { isMetadataAddress, isPrivateAddress } from '../../gateway/privateAddress';
import { DEFAULT_RETRY, isRetryable, retryAfterOf, retryDelayMs } from '../../gateway/retry';
import type { Task } from '../../gateway/tasks/schema';
import type { CredentialReader } from '../credential';
import { isGatewayPrivate } from '../gatewayAddress';
import { toFileName } from '../outsideNames';
import { systemClock } from '../systemClock';
import { isTextType, guardFile, tooLargeError, type FileStream } from './fileGuard';

export type Downloader = CredentialReader & {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'prepareBinaryData'>;
};

const LINK_DEAD_STATUSES = new Set([401, 403, 404, 410]);
const EXTENSIONS = {
	'image/jpeg': 'jpg',
	'image/png': 'png',
	'image/webp': 'webp',
	'video/mp4': 'mp4',
};

/** Without a byte. A long file may take as long as it takes. */
const LONGEST_SILENCE_MS = 60_000;
const MOST_REDIRECTS = 5;
/** Whatever Retry-After says. */
const LONGEST_DELAY_MS = 60_000;

/** Changes the bytes of a file. `size`: where the host states it. */
export type MarkFile = (
	pieces: AsyncIterable<Uint8Array>,
	file: { name: string; size?: number },
) => AsyncIterable<Uint8Array>;

export interface DownloadOptions {
	signal?: AbortSignal;
	silenceMs?: number;
	/** Bytes, where n8n keeps files in memory. */
	longestInMemory?: number;
	mark?: MarkFile;
	/** The link may lead to this machine or network, because the gateway is there. Never to metadata. */
	allowsPrivate?: boolean;
}

/**
 * Streams a result file into n8n's binary data, without the API key: the link leads to another host, and
 * expires (spec section 1.7). Each redirect is checked as the link is.
 */
export async function download(
	node: Downloader,
	link: string,
	name: string,
	options: DownloadOptions = {},
): Promise<IBinaryData> {
	const { signal, allowsPrivate = false } = options;
	let url = link;
	for (let attempt = 1, redirects = 0; ;) {
		if (!isHttpLink(url) || isMetadataAddress(url) || (!allowsPrivate && isPrivateAddress(url)))
			throw privateLinkError(url);
		try {
			return await fetchFile(node, url, (type) => fileNameOf(link, name, type), options);
		} catch (error) {
			const failure = error as FailedDownload;
			failure.response?.data?.destroy?.();
			const next = redirectTarget(failure, url);
			if (next && redirects < MOST_REDIRECTS) {
				redirects += 1;
				url = next;
				continue;
			}
			const status = statusOf(failure);
			const isRefused = error instanceof GatewayError;
			if (
				isRefused ||
				attempt >= DEFAULT_RETRY.attempts ||
				signal?.aborted ||
				!isRetryable('read', status)
			)
				throw isRefused ? error : downloadError(url, status, error);
			const now = systemClock.now();
			const requestedMs = retryAfterOf(failure.response?.headers ?? {}, now) ?? 0;
			const ms = Math.min(LONGEST_DELAY_MS, retryDelayMs(attempt, DEFAULT_RETRY, requestedMs));
			await delay(systemClock, ms, signal);
			attempt += 1;
		}
	}
}

async function fetchFile(
	node: Downloader,
	url: string,
	nameOf: (type: string | undefined) => string,
	{ signal, silenceMs = LONGEST_SILENCE_MS, longestInMemory, mark }: DownloadOptions,
): Promise<IBinaryData> {
	const { helpers } = node;
	const controller = new AbortController();
	const abort = () => controller.abort();
	const forget = onAbort(signal, abort);
	const load = async () => {
		const { body, headers } = (await helpers.httpRequest({
			method: 'GET',
			url,
			encoding: 'stream',
			json: false,
			returnFullResponse: true,
			disableFollowRedirect: true,
			timeout: silenceMs,
			abortSignal: controller.signal,
		})) as { body: FileStream; headers: Record<string, string | undefined> };
		const label = headers['content-type']?.split(';')[0]?.trim();
		const isDoubtful = isTextType(label);
		const type = isDoubtful ? undefined : label;
		const size = Number(headers['content-length'] ?? 0);
		const mayFit = size > 0 && size <= (longestInMemory ?? Infinity);
		const isLimited = longestInMemory && !mayFit && (await isKeptInMemory(node));
		const most = isLimited ? longestInMemory : Infinity;
		if (size > most) {
			body.destroy();
			throw tooLargeError(most);
		}
		const textLabel = isDoubtful ? label : undefined;
		const pieces = guardFile(body, { silenceMs, signal, most, textLabel });
		const name = nameOf(type);
		const file = mark ? mark(pieces, { name, size: size || undefined }) : pieces;
		return await helpers.prepareBinaryData(toStream(body, file), name, type);
	};
	return await load()
		.catch((error: unknown) => {
			abort();
			throw error;
		})
		.finally(forget);
}

/** A stored file has an ID. */
export async function isKeptInMemory({ helpers }: Pick<Downloader, 'helpers'>): Promise<boolean> {
	return !(await helpers.prepareBinaryData(Buffer.from(' '), 'probe.txt', 'text/plain')).id;
}

/** A stream of Node's class, which a community node must not import. */
const toStream = (body: FileStream, pieces: AsyncIterable<Uint8Array>): FileStream =>
	(body.constructor as unknown as { from: (pieces: unknown) => FileStream }).from(pieces);

/** All outputs of a task, in the binary fields `field`, `field_1`, `field_2`, …. */
export async function downloadResults(
	node: Downloader,
	{ urls }: Task,
	{ field, file }: { field: string; file: string },
	{
		limit,
		...options
	}: { limit: Limiter } & Pick<DownloadOptions, 'signal' | 'longestInMemory' | 'mark'>,
): Promise<IBinaryKeyData> {
	const allowsPrivate = await isGatewayPrivate(node);
	const stored = urls.map(async (url, index) => {
		const name = index ? `${field}_${index}` : field;
		const fileName = urls.length > 1 ? `${file}-${index + 1}` : file;
		const load = () => download(node, url, fileName, { ...options, allowsPrivate });
		return [name, await limit(load)] as const;
	});
	return Object.fromEntries(await Promise.all(stored));
}

function fileNameOf(url: string, name: string, type: string | undefined): string {
	const [, ending] = /\.(\w{2,5})$/.exec(new URL(url).pathname) ?? [];
	return `${toFileName(name)}.${getOwn(EXTENSIONS, type ?? '') ?? ending ?? 'bin'}`;
}

/** What n8n throws. The body holds the connection. */
interface FailedDownload {
	response?: {
		status?: number;
		headers?: { location?: string; 'retry-after'?: string };
		data?: { destroy?: () => void };
	};
	httpCode?: string;
	status?: number;
}

function redirectTarget({ response }: FailedDownload, from: string): string | undefined {
	const { location } = response?.headers ?? {};
	const status = response?.status ?? 0;
	if (!location || status < 300 || status > 399 || !URL.canParse(location, from)) return undefined;
	return new URL(location, from).href;
}

const statusOf = ({ response, status, httpCode }: FailedDownload): number | undefined =>
	response?.status ?? status ?? (httpCode ? Number(httpCode) : undefined);

const privateLinkError = (url: string): GatewayError =>
	new GatewayError(
		'link_not_public',
		`The task is done, but the link to its file (${url.slice(0, 80)}) does not lead to a public address`,
	);

function downloadError(url: string, status: number | undefined, cause: unknown): GatewayError {
	const host = URL.canParse(url) ? new URL(url).host : url;
	const isLinkDead = status !== undefined && LINK_DEAD_STATUSES.has(status);
	const reason = status ?? (cause instanceof Error ? cause.message.slice(0, 100) : 'no response');
	return new GatewayError(
		isLinkDead ? 'link_expired' : 'download_failed',
		`The task is done, but its file on ${host} ${isLinkDead ? 'is no longer available' : 'could not be downloaded'} (${reason})`,
		{ details: { http_status: status }, cause },
	);
}
