import { readStream, type ReadOptions } from './byteStream';
import type { ByteStream, GatewayContext, HttpResponse } from './context';
import { raceAbort, withTimeout } from './delay';
import { GatewayError, timeoutError, unreadableFileError } from './errors';
import type { GatewayRequest } from './request';
import { readResponse, type Attempt } from './response';
import { createDataDetector } from './text/sse';

const DEFAULT_TIMEOUT_MS = 60_000;
/** An attempt gets at least this time; a submission more, since it may make a task. */
const SHORTEST_READ_MS = 1_000;
const SHORTEST_SUBMISSION_MS = 10_000;
/** The HTTP layer limits the time without a byte. This limits a response that comes byte by byte. */
const GRACE_MS = 1_000;
const LONGEST_STREAM_MS = 3_600_000;
/** Uncompressed bytes. No response is as large. */
const LARGEST_BODY = 64_000_000;
/** A file on a slow line. */
const LONGEST_UPLOAD_MS = 2 * 3_600_000;

/** A response whose body has not been read. `destroy` of its body closes the connection. */
interface Exchange extends HttpResponse {
	/** When the attempt must be over, and the error then. */
	endsAt: number;
	onEnd: () => Error;
}

/** Sends requests once each. Does not throw: what went wrong is the attempt's error. */
export function createSender(
	context: GatewayContext,
	longestMs: number,
	isRefusing: () => boolean,
) {
	const { clock } = context;
	const signalOf = ({ outlivesStop, signal = context.signal }: GatewayRequest) =>
		outlivesStop ? undefined : signal;

	/** The deadline shortens reads and submissions, which are safe to repeat. Other requests get their whole time. */
	function timeoutOf({ kind, timeoutMs = DEFAULT_TIMEOUT_MS, until }: GatewayRequest): number {
		const isCut = until !== undefined && (kind === 'read' || kind === 'submit');
		const leastMs = kind === 'read' ? SHORTEST_READ_MS : SHORTEST_SUBMISSION_MS;
		const leftMs = isCut ? Math.max(leastMs, until - clock.now()) : timeoutMs;
		return Math.ceil(Math.min(timeoutMs, longestMs, leftMs));
	}

	/** Sends, and waits for the headers. */
	async function exchange(request: GatewayRequest, accept: string): Promise<Exchange> {
		const controller = new AbortController();
		const timeoutMs = timeoutOf(request);
		const { method, path, query } = request;
		const headers: Record<string, string> = { accept, ...request.headers };
		// It keeps a connection busy, which is what a gateway that refuses requests lacks.
		if (isRefusing()) delete headers.Prefer;
		const { form, body } = await readContent(request);
		const content = form ? { form: form.data } : { body };
		const target = { method, path, query, headers, ...content };
		const sent = context.send({ ...target, timeoutMs, signal: controller.signal });
		const exchangeMs = form ? LONGEST_UPLOAD_MS : timeoutMs + GRACE_MS;
		const endsAt = clock.now() + exchangeMs;
		const onEnd = () => timeoutError(timeoutMs);
		const whole = withTimeout(clock, exchangeMs, sent, onEnd);
		try {
			const response = await raceAbort(whole, signalOf(request)).catch((error: unknown) => {
				controller.abort();
				void sent.then(discard, () => undefined);
				throw error;
			});
			const stream: ByteStream = {
				[Symbol.asyncIterator]: () => response.body[Symbol.asyncIterator](),
				destroy() {
					response.body.destroy();
					controller.abort();
				},
			};
			// An upload may take longer than its response.
			return { ...response, body: stream, onEnd, endsAt: form ? clock.now() + timeoutMs : endsAt };
		} finally {
			form?.close();
		}
	}

	/** Reads the whole body within the time of the attempt. */
	async function readWhole(response: Exchange, request: GatewayRequest): Promise<Attempt> {
		const { body, endsAt, onEnd } = response;
		const ms = Math.max(0, endsAt - clock.now());
		const ending = { getSilenceMs: () => ms, onSilence: onEnd, longest: { ms, onEnd } };
		const pieces = read(body, { ...ending, signal: signalOf(request) }, request.reader?.hint);
		const decoder = new TextDecoder();
		let text = '';
		for await (const piece of pieces) text += decoder.decode(piece, { stream: true });
		return await readResponse(context, response, text + decoder.decode(), request);
	}

	/** `hint`: what to do when the body is too large. */
	async function* read(stream: ByteStream, options: ReadOptions, hint?: string) {
		let bytes = 0;
		try {
			for await (const piece of readStream(clock, stream, options)) {
				if ((bytes += piece.length) > LARGEST_BODY) throw tooLargeError(hint);
				yield piece;
			}
		} catch (error) {
			throw toGatewayError(error);
		}
	}

	/** With `getSilenceMs`, the longest time between two pieces, the body of a success is handed on in pieces. */
	return async (request: GatewayRequest, getSilenceMs?: () => number): Promise<Attempt> => {
		try {
			if (!getSilenceMs)
				return await readWhole(await exchange(request, 'application/json'), request);
			const response = await exchange(request, 'text/event-stream, application/json');
			const { status, headers, body } = response;
			if (status >= 300) return await readWhole(response, request);
			const hasData = createDataDetector();
			const onEnd = () =>
				new GatewayError('timeout', 'The gateway sent an answer for more than an hour');
			const longest = { ms: LONGEST_STREAM_MS, onEnd };
			const signal = signalOf(request);
			const options = { getSilenceMs, onSilence: timeoutError, hasData, longest, signal };
			return { status, headers, pieces: read(body, options) };
		} catch (error) {
			return { headers: {}, error: toGatewayError(error) };
		}
	};
}

/** What is sent. Its files are read now. */
async function readContent({ form, body }: GatewayRequest) {
	try {
		return { form: await form?.(), body: typeof body === 'function' ? await body() : body };
	} catch (error) {
		throw error instanceof GatewayError ? error : unreadableFileError(error);
	}
}

/** A late response. An unhandled error of its body would end the process. */
function discard({ body }: HttpResponse): void {
	const reading = body[Symbol.asyncIterator]().next();
	body.destroy();
	reading.catch(() => undefined);
}

const tooLargeError = (hint = 'Ask for less at once.'): GatewayError =>
	new GatewayError('unreadable_response', 'The gateway sent an answer with more than 64 MB', {
		hint,
	});

/** An error while a body was read. The context reports all others. */
function toGatewayError(error: unknown): GatewayError {
	if (error instanceof GatewayError) return error;
	const reason = error instanceof Error ? error.message : String(error);
	return new GatewayError('connection_failed', `The connection to the gateway broke (${reason})`, {
		cause: error,
	});
}
