import type { IDataObject } from 'n8n-workflow';
import { textEndpoints, type TextEndpointId } from '../../catalog/families';
import type { GatewayRequest } from '../../gateway/client';
import { GatewayError } from '../../gateway/errors';
import { readErrorBody } from '../../gateway/errorBody';
import { SseReader } from '../../gateway/text/sse';
import type { TextResult } from '../../gateway/text/schema';
import { parseReply } from '../../gateway/text/replies';
import { TextStream } from '../../gateway/text/stream';
import type { Run } from '../operation';

/** A request for text that was checked. */
export interface TextPlan {
	style: TextEndpointId;
	model: string;
	/** The item it belongs to. */
	index: number;
	/** Made when it is sent, because files are read then. */
	body: () => Promise<IDataObject>;
	/** Undefined: as the workflow does. */
	stream: boolean | undefined;
	json: boolean;
	simplify: boolean;
}

/** Ten minutes: long answers of thinking models, in one piece. */
const TIMEOUT_MS = 600_000;

/** Asks the model, in one piece or as a stream, and gives the whole answer either way. */
export async function complete(plan: TextPlan, run: Run): Promise<TextResult> {
	const { style, model } = plan;
	const { path, streams } = textEndpoints[style];
	const call: GatewayRequest = {
		kind: 'write',
		method: 'POST',
		path: path(model),
		body: plan.body,
		timeoutMs: TIMEOUT_MS,
	};
	const client = isStreaming(run) && plan.stream !== false;
	if (streams && (client || plan.stream)) return await askForStream(plan, run, call, client);
	const { body } = await run.client.request(call);
	return given(parseReply(style, body) ?? unreadable());
}

/** The answer, unless its reply says that there is none. */
function given(answer: TextResult): TextResult {
	if (!answer.refusal) return answer;
	const { message } = readErrorBody(answer.refusal);
	throw new GatewayError(
		`The model did not answer${message ? `: ${message}` : ''}`,
		'Run it again, or try another model.',
		{ retry: true, ...(answer.texts[0] && { text: answer.texts[0] }) },
	);
}

const isStreaming = ({ context }: Run): boolean => context.isStreaming?.() === true;

function unreadable(): never {
	throw new GatewayError(
		'The gateway answered without text',
		'Check that Base URL in the credential is the address of the gateway.',
		{
			retry: true,
		},
	);
}

async function askForStream(
	{ style, index, body }: TextPlan,
	{ context, client }: Run,
	call: GatewayRequest,
	toClient: boolean,
): Promise<TextResult> {
	const reader = new SseReader();
	const decoder = new TextDecoder();
	const streamed = new TextStream(style);
	let plain = '';
	const take = (text: string, isLast = false) => {
		const events = [...reader.push(text), ...(isLast ? reader.end() : [])];
		if (!events.length && plain.length < 1e6) plain += text;
		for (const event of events) {
			const added = streamed.take(event);
			if (streamed.refusal) throw brokenOff(streamed);
			if (added && toClient) context.sendChunk('item', index, added);
		}
	};
	if (toClient) context.sendChunk('begin', index);
	try {
		const streaming = async () => ({ ...(await body()), stream: true });
		const flowing = client.stream({ ...call, body: streaming }, (chunk) =>
			take(decoder.decode(chunk, { stream: true })),
		);
		await flowing.catch((error: unknown) => {
			throw streamed.hasBegun && !client.signal?.aborted ? brokenOff(streamed) : error;
		});
		take(decoder.decode(), true);
	} finally {
		if (toClient) context.sendChunk('end', index);
	}
	if (streamed.isWhole) return streamed.answer();
	const answer = whole(style, plain);
	if (answer) return given(answer);
	if (!streamed.hasBegun) unreadable();
	throw brokenOff(streamed);
}

/** A gateway that does not stream answers in one piece all the same. */
function whole(style: TextEndpointId, text: string): TextResult | undefined {
	try {
		return parseReply(style, JSON.parse(text));
	} catch {
		return undefined;
	}
}

function brokenOff(streamed: TextStream): GatewayError {
	const { message } = readErrorBody(streamed.refusal);
	const said = message ? `: ${message}` : '';
	return new GatewayError(
		`The answer broke off${said}`,
		'The part that arrived is in details. Run it again for a whole answer.',
		{
			retry: true,
			text: streamed.text,
		},
	);
}
