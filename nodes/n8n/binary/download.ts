import type { IBinaryData, IBinaryKeyData } from 'n8n-workflow';
import { isHttpLink } from '../../catalog/links';
import type { Limiter } from '../../gateway/concurrency';
import { onAbort } from '../../gateway/abort';
import { delay } from '../../gateway/delay';
import { GatewayError, stoppedError } from '../../gateway/errors';
import { isMetadataAddress, isPrivateAddress } from '../../gateway/privateAddress';
import { DEFAULT_RETRY, isRetryable, retryAfterOf, retryDelayMs } from '../../gateway/retry';
import type { Task } from '../../gateway/tasks/schema';
import { isGatewayPrivate } from '../gatewayAddress';
import { toFileName } from '../outsideNames';
import { systemClock } from '../systemClock';
import {
	fetchFile,
	messageOf,
	StatusError,
	StorageError,
	type Downloader,
	type FetchOptions,
	type Headers,
} from './fetchFile';
import { endingOf } from './mediaTypes';

/** The file may follow. */
const NOT_READY_STATUSES = new Set<number | undefined>([202, 204]);
const LINK_DEAD_STATUSES = new Set([401, 403, 404, 410]);
const MOST_REDIRECTS = 5;
/** A full disk stays full. */
const STORAGE_ATTEMPTS = 2;
/** Whatever Retry-After says. */
const LONGEST_DELAY_MS = 60_000;

/**
 * Streams a result file into n8n's binary data, without the API key: the link leads to another host, and
 * expires (spec section 1.7). Each redirect is checked as the link is. `allowsPrivate`: the link may lead to this
 * machine or network, because the gateway is there. Never to metadata.
 */
export async function downloadFile(
	node: Downloader,
	link: string,
	name: string,
	options: FetchOptions & { allowsPrivate?: boolean } = {},
): Promise<IBinaryData> {
	const { signal, allowsPrivate = false } = options;
	let url = link;
	for (let attempt = 1, redirects = 0; ;) {
		if (signal?.aborted) throw stoppedError();
		if (!isHttpLink(url) || isMetadataAddress(url) || (!allowsPrivate && isPrivateAddress(url)))
			throw privateLinkError(url);
		try {
			return await fetchFile(node, url, (type) => fileNameOf(link, name, type), options);
		} catch (error) {
			if (signal?.aborted) throw stoppedError();
			const { status, headers = {} } = error instanceof StatusError ? error : {};
			const next = redirectTarget(status, headers, url);
			if (next && redirects < MOST_REDIRECTS) {
				redirects += 1;
				url = next;
				continue;
			}
			const failure = toDownloadError(url, error);
			const most = error instanceof StorageError ? STORAGE_ATTEMPTS : DEFAULT_RETRY.attempts;
			const isOpen = NOT_READY_STATUSES.has(status) || isRetryable('read', status);
			const isFinal = failure === error || !failure.details.retry;
			if (isFinal || attempt >= most || !isOpen) throw failure;
			const requestedMs = retryAfterOf(headers, systemClock.now()) ?? 0;
			const ms = Math.min(LONGEST_DELAY_MS, retryDelayMs(attempt, DEFAULT_RETRY, requestedMs));
			await delay({ clock: systemClock, signal }, ms);
			attempt += 1;
		}
	}
}

type OnMissing = (reason: GatewayError) => void;

/** The outputs of a task, in `field`, `field_1`, …. With `onMissing`, which gets the reasons, those that can be had. */
export async function downloadResults(
	node: Downloader,
	{ urls }: Task,
	{ field, file }: { field: string; file: string },
	{ limit, onMissing, ...options }: FetchOptions & { limit: Limiter; onMissing?: OnMissing },
): Promise<IBinaryKeyData> {
	// A public file needs no credential, which may be gone.
	const allowsPrivate = await isGatewayPrivate(node).catch(() => false);
	const group = new AbortController();
	const forget = onAbort(options.signal, () => group.abort());
	const stored = urls.map(async (url, index) => {
		const name = index ? `${field}_${index}` : field;
		const fileName = urls.length > 1 ? `${file}-${index + 1}` : file;
		const { signal } = group;
		const load = () => downloadFile(node, url, fileName, { ...options, signal, allowsPrivate });
		return await limit(load).then(
			(data) => [[name, data] as const],
			(error: unknown) => {
				if (!onMissing || !(error instanceof GatewayError) || error.code === 'stopped') throw error;
				onMissing(error);
				return [];
			},
		);
	});
	const all = Promise.all(stored).catch(async (error: unknown) => {
		// The others would go on after the run, and nobody could stop them.
		group.abort();
		await Promise.allSettled(stored);
		throw error;
	});
	return Object.fromEntries((await all.finally(forget)).flat());
}

function fileNameOf(url: string, name: string, type: string | undefined): string {
	const [, ending] = /\.(\w{2,5})$/.exec(new URL(url).pathname) ?? [];
	return `${toFileName(name)}.${endingOf(type ?? '') ?? ending ?? 'bin'}`;
}

function redirectTarget(
	status: number | undefined,
	{ location }: Headers,
	from: string,
): string | undefined {
	const isRedirect = status !== undefined && status >= 300 && status < 400;
	if (!location || !isRedirect || !URL.canParse(location, from)) return undefined;
	return new URL(location, from).href;
}

const privateLinkError = (url: string): GatewayError =>
	new GatewayError(
		'link_not_public',
		`The task is done, but the link to its file (${url.slice(0, 80)}) does not lead to a public address`,
	);

/** What was refused on the way says itself why. */
function toDownloadError(url: string, cause: unknown): GatewayError {
	if (cause instanceof GatewayError) return cause;
	if (cause instanceof StorageError)
		return new GatewayError(
			'download_failed',
			`The task is done, but n8n could not store its file (${cause.message})`,
			{
				hint: 'Check the storage of n8n. Then get the file with Task > Get.',
				// In the words of n8n.
				details: cause.message.includes('max size limit') ? { retry: false } : {},
				cause,
			},
		);
	const status = cause instanceof StatusError ? cause.status : undefined;
	const host = URL.canParse(url) ? new URL(url).host : url;
	const isLinkDead = status !== undefined && LINK_DEAD_STATUSES.has(status);
	const reason = status ?? messageOf(cause);
	return new GatewayError(
		isLinkDead ? 'link_expired' : 'download_failed',
		`The task is done, but its file on ${host} ${isLinkDead ? 'is no longer available' : 'could not be downloaded'} (${reason})`,
		{ details: { http_status: status }, cause },
	);
}
