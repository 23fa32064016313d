import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { onAbort } from '../../gateway/abort';
import type { CredentialReader } from '../credential';
import { guardFile, type FileGuardOptions, type FileStream } from './fileGuard';
import { findFormat, markFileAsAi } from './mark/markAsAi';
import type { AiDetails } from './mark/xmpPacket';
import { PieceReader } from './pieceReader';

export type Downloader = CredentialReader & {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequest' | 'prepareBinaryData'>;
};

/** 203: from a proxy that has changed the headers, or the file. */
const FILE_STATUSES = new Set([200, 203]);
const PART = 206;
/** Without a byte. */
const LONGEST_SILENCE_MS = 60_000;

type Limits = Pick<FileGuardOptions, 'signal' | 'silenceMs' | 'longestInMemory'>;
export type FetchOptions = Partial<Limits> & {
	/** The file is marked as made by AI. `onUnmarked` gets its name, and why it is not. */
	mark?: { details: AiDetails; onUnmarked: (name: string, reason: string) => void };
};

export type Headers = Record<string, string | undefined>;

/** The host of the file has not sent it. */
export class StatusError extends Error {
	constructor(
		readonly status: number,
		readonly headers: Headers,
	) {
		super(`status ${status}`);
	}
}

/** n8n could not store the file. */
export class StorageError extends Error {}

export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message.slice(0, 300) : 'no response';

/** Fetches a file once. Throws a StatusError, a StorageError, or what is wrong with the file. */
export async function fetchFile(
	node: Downloader,
	url: string,
	nameOf: (type: string | undefined) => string,
	{ signal, silenceMs = LONGEST_SILENCE_MS, longestInMemory, mark }: FetchOptions,
): Promise<IBinaryData> {
	const { helpers } = node;
	const controller = new AbortController();
	const abort = () => controller.abort();
	const forget = onAbort(signal, abort);
	const load = async () => {
		const { body, headers, statusCode } = (await helpers.httpRequest({
			method: 'GET',
			url,
			// Otherwise the stated size is that of a compressed file.
			headers: { 'accept-encoding': 'identity' },
			encoding: 'stream',
			json: false,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: silenceMs,
			abortSignal: controller.signal,
		})) as { body: FileStream; headers: Headers; statusCode: number };
		if (!isWholeFile(statusCode, headers)) {
			body.destroy();
			throw new StatusError(statusCode, headers);
		}
		const { type: label, refuses } = readLabel(headers);
		const size = Number(headers['content-length']) || undefined;
		const isInMemory = () => isKeptInMemory(node);
		let hostError: Error | undefined;
		const onError = (error: Error) => (hostError = error);
		const limits = { refuses, size, silenceMs, signal, longestInMemory, isInMemory, onError };
		const reader = new PieceReader(guardFile(body, limits));
		const type = label ?? (await findFormat(reader))?.type;
		const name = nameOf(type);
		const onUnmarked = (reason: string) => mark?.onUnmarked(name, reason);
		const rest = reader.rest();
		const file = mark ? markFileAsAi(rest, mark.details, { size, onUnmarked }) : rest;
		const stored = helpers.prepareBinaryData(toStream(body, file), name, type);
		return await stored.catch((error: unknown) => {
			// Where n8n has not begun to read.
			void reader.close();
			throw hostError ?? new StorageError(messageOf(error));
		});
	};
	return await load()
		.catch((error: unknown) => {
			abort();
			throw error;
		})
		.finally(forget);
}

/** A part may be the whole. */
function isWholeFile(status: number, headers: Headers): boolean {
	const [, last, size] = /^bytes 0-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
	return FILE_STATUSES.has(status) || (status === PART && Number(last) + 1 === Number(size));
}

/** By a label that may be wrong: a host may send a page in place of the file. */
function readLabel(headers: Headers): Pick<FileGuardOptions, 'refuses'> & { type?: string } {
	const label = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
	// Without a type the file itself tells.
	if (/^(text\/|application\/(problem\+)?json$)/.test(label)) return { refuses: 'texts' };
	if (/^((application|binary)\/octet-stream)?$/.test(label)) return { refuses: 'pages' };
	return { type: label, refuses: label === 'image/svg+xml' ? 'nothing' : 'pages' };
}

/** A stored file has an ID. */
export async function isKeptInMemory({ helpers }: Pick<Downloader, 'helpers'>): Promise<boolean> {
	const storing = helpers.prepareBinaryData(Buffer.from(' '), 'probe.txt', 'text/plain');
	const { id } = await storing.catch((error: unknown) => {
		throw new StorageError(messageOf(error));
	});
	return !id;
}

/** A stream of Node's class, which a community node must not import. */
const toStream = (body: FileStream, pieces: AsyncIterable<Uint8Array>): FileStream =>
	(body.constructor as unknown as { from: (pieces: unknown) => FileStream }).from(pieces);
