import { isObject, parseJson, type JsonObject } from '../json';
import type { GatewayClient } from '../client';
import type { GatewayRequest, ResponseReader } from '../request';
import { errorFromStatus, statusInBody } from '../response';
import { readErrorBody } from '../errorBody';
import { GatewayError, NOT_SENT } from '../errors';
import { redact } from '../redact';
import type { TextAdapter } from './adapter';
import type { TextResult } from './schema';
import { SseReader } from './sse';
import type { StreamParser } from './streamParser';
import { TextBatcher } from './textBatcher';

export interface CompleteOptions extends Pick<GatewayRequest, 'signal' | 'hasFallback'> {
	/** A part of some paths. */
	model: string;
	/** A function, because files are read when it is sent. */
	body: () => Promise<JsonObject>;
	/** Read the answer while it is written. */
	isStream: boolean;
	/** Longest silence within a streamed answer, in milliseconds. */
	silenceMs: number;
	/** Longest silence before an answer begins, in milliseconds. */
	timeoutMs?: number;
	/** Called with the first alternative, at most every 10 ms. */
	onText?: (text: string) => void;
	/** What the user does when nothing has come in time. */
	timeoutHint?: string;
}

/** Ten minutes: long answers of thinking models. */
const TIMEOUT_MS = 600_000;
const STOPPED_HINT = 'The rest of the answer was not read.';
/** After a single answer only its usage may follow. Some gateways keep the connection open. */
const USAGE_MS = 5_000;

/** Asks a model, in one piece or as a stream. Returns the whole answer either way. */
export async function completeText(
	client: GatewayClient,
	adapter: TextAdapter,
	options: CompleteOptions,
): Promise<TextResult> {
	const { model, body, isStream, silenceMs, timeoutMs = TIMEOUT_MS, onText } = options;
	const { hasFallback, signal } = options;
	const request: GatewayRequest = {
		hasFallback,
		signal,
		kind: 'write',
		method: 'POST',
		path: adapter.path(model),
		body,
		timeoutMs,
		until: client.context.clock.now() + timeoutMs,
	};
	const { createStreamParser } = adapter;
	const reader: ResponseReader<JsonObject> = {
		expects: 'text',
		read: (response) =>
			isObject(response) && isReadable(adapter, response) ? response : undefined,
	};
	const explain = (error: unknown): never => {
		if (!(error instanceof GatewayError)) throw error;
		const { code, details, hint } = error;
		if (code === 'timeout') error.hint = options.timeoutHint ?? hint;
		if (code === 'stopped') error.hint = details.billed === 0 ? NOT_SENT : STOPPED_HINT;
		throw error;
	};
	if (!isStream || !createStreamParser) {
		const { body: response } = await client.request({ ...request, reader }).catch(explain);
		const result = readResult(adapter, response);
		onText?.(result.texts[0] ?? '');
		return result;
	}
	const { clock } = client.context;
	const secret = await client.context.getSecret();
	let parser = createStreamParser();
	let beginsBy = 0;
	let usageMs = silenceMs;
	const streaming = {
		...request,
		body: async () => {
			// A new attempt.
			parser = createStreamParser();
			beginsBy = clock.now() + timeoutMs;
			const sent = await body();
			if (!(Number(sent.n) > 1)) usageMs = Math.min(USAGE_MS, silenceMs);
			return { ...sent, stream: true };
		},
	};
	const getSilenceMs = () => {
		if (parser.isComplete) return usageMs;
		return parser.words ? silenceMs : Math.max(silenceMs, beginsBy - clock.now());
	};
	const streamed = client.stream(streaming, getSilenceMs, async (pieces) => {
		const show = (text: string) => onText?.(redact(text, secret));
		const batcher = new TextBatcher(clock, show);
		const fail = (cause?: unknown) => interrupted(parser, secret, cause);
		const reading = readEvents(pieces, parser, batcher, fail);
		const rest = await reading.finally(() => batcher.flush());
		if (parser.hasStarted) {
			if (!parser.isComplete) throw fail();
			// An error behind the answer is none of it.
			parser.failure = adapter.findFailure(parser.result().raw as JsonObject);
			if (parser.failure) throw fail();
		}
		const result = parser.hasStarted
			? redact(parser.result(), secret)
			: readResult(adapter, redact(parseJson(rest), secret));
		// A gateway that does not stream, or sends the answer as one event.
		if (!batcher.hasSent && result.texts[0]) onText?.(result.texts[0]);
		return result;
	});
	return await streamed.catch(explain);
}

/** Reads events until the answer ends. Returns the text when there were none. */
async function readEvents(
	pieces: AsyncIterable<Uint8Array>,
	parser: StreamParser,
	batcher: TextBatcher,
	fail: (cause?: unknown) => GatewayError,
): Promise<string> {
	const reader = new SseReader();
	const decoder = new TextDecoder();
	const plain: string[] = [];
	let failure: GatewayError | undefined;
	const take = (text: string) => {
		if (!parser.hasStarted) plain.push(text);
		for (const event of reader.push(text)) {
			if (parser.hasEnded) return;
			const wasComplete = parser.isComplete;
			const added = parser.push(event);
			if (parser.failure && !wasComplete) throw (failure = fail());
			if (added) batcher.add(added);
		}
	};
	const reading = (async () => {
		for await (const piece of pieces) {
			take(decoder.decode(piece, { stream: true }));
			if (parser.hasEnded) return;
		}
		take(`${decoder.decode()}\n\n`);
	})();
	await reading.catch((error: unknown) => {
		const isStopped = error instanceof GatewayError && error.code === 'stopped';
		if (isStopped || !parser.hasStarted || error === failure) throw error;
		// The answer is whole and paid, though the connection broke after it.
		if (!parser.isComplete) throw fail(error);
	});
	return plain.join('');
}

/** The answer of a whole response, or why there is none. */
function readResult(adapter: TextAdapter, response: unknown): TextResult {
	const body = isObject(response) ? response : {};
	const failure = adapter.findFailure(body);
	const result = adapter.parseResponse(body);
	const status = refusalIn(adapter, body);
	if (status) throw errorFromStatus(status, body, 'write');
	if (failure !== undefined) {
		const { message } = readErrorBody(failure);
		throw new GatewayError(
			'text_refused',
			`The model gave no answer${message ? `: ${message}` : ''}`,
			{ details: { http_status: 200, ...(result?.texts[0] && { text: result.texts[0] }) } },
		);
	}
	if (result) return result;
	const { message } = readErrorBody(body);
	throw new GatewayError(
		'unreadable_response',
		`The gateway answered without text${message ? `: ${message}` : ''}`,
		{ hint: message && 'Correct what it names, or run it again later.' },
	);
}

const isReadable = (adapter: TextAdapter, body: JsonObject): boolean =>
	!refusalIn(adapter, body) && Boolean(adapter.findFailure(body) ?? adapter.parseResponse(body));

/** The status in a response without an answer. Where tokens were used, the request was carried out. */
const refusalIn = (adapter: TextAdapter, body: JsonObject): number | undefined =>
	body.usage || body.usageMetadata || adapter.parseResponse(body) ? undefined : statusInBody(body);

/** They say it better than "The answer broke off". */
const EXPLAINED: ReadonlySet<unknown> = new Set(['timeout', 'unreadable_response']);

/** The error of an interrupted answer, with its text. The key may be spread over several pieces. */
function interrupted(parser: StreamParser, secret: string, cause?: unknown): GatewayError {
	const failure = redact(parser.failure, secret);
	const { texts, usage } = parser.result();
	const text = redact(texts[0] ?? '', secret);
	// Where tokens were used, the request was carried out.
	const isRefusal = parser.hasFailedAtOnce && !text && !usage;
	const status = isRefusal ? statusInBody(failure) : undefined;
	if (status) return errorFromStatus(status, failure, 'write');
	const { message } = readErrorBody(failure);
	const isExplained = cause instanceof GatewayError && EXPLAINED.has(cause.code);
	const reason = message ?? (isExplained ? cause.message : undefined);
	return new GatewayError(
		'text_interrupted',
		`The answer broke off${reason ? `: ${reason}` : ''}`,
		{ details: { text }, cause },
	);
}
