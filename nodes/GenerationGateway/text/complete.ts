import type { IDataObject } from 'n8n-workflow';
import { textStyles, type StyleId } from '../../catalog/families';
import type { Call } from '../../gateway/client';
import { GatewayIssue } from '../../gateway/errors';
import { readRefusal } from '../../gateway/errorBody';
import { SseReader } from '../../gateway/text/sse';
import type { Answer } from '../../gateway/text/schema';
import { readAnswer } from '../../gateway/text/replies';
import { StreamedAnswer } from '../../gateway/text/stream';
import type { Run } from '../operation';

/** A request for text that was checked. */
export interface TextPlan {
  style: StyleId;
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
export async function ask(plan: TextPlan, run: Run): Promise<Answer> {
  const { style, model } = plan;
  const { path, streams } = textStyles[style];
  const call: Call = { kind: 'write', method: 'POST', path: path(model), body: plan.body, timeoutMs: TIMEOUT_MS };
  const client = isStreaming(run) && plan.stream !== false;
  if (streams && (client || plan.stream)) return await askForStream(plan, run, call, client);
  const { body } = await run.door.call(call);
  return given(readAnswer(style, body) ?? unreadable());
}

/** The answer, unless its reply says that there is none. */
function given(answer: Answer): Answer {
  if (!answer.refusal) return answer;
  const { message } = readRefusal(answer.refusal);
  throw new GatewayIssue(
    `The model did not answer${message ? `: ${message}` : ''}`,
    'Run it again, or try another model.',
    { retry: true, ...(answer.texts[0] && { text: answer.texts[0] }) },
  );
}

const isStreaming = ({ host }: Run): boolean => host.isStreaming?.() === true;

function unreadable(): never {
  throw new GatewayIssue('The gateway answered without text', 'Check that Base URL in the credential is the address of the gateway.', {
    retry: true,
  });
}

async function askForStream({ style, index, body }: TextPlan, { host, door }: Run, call: Call, client: boolean): Promise<Answer> {
  const reader = new SseReader();
  const decoder = new TextDecoder();
  const streamed = new StreamedAnswer(style);
  let plain = '';
  const take = (text: string, isLast = false) => {
    const events = [...reader.push(text), ...(isLast ? reader.end() : [])];
    if (!events.length && plain.length < 1e6) plain += text;
    for (const event of events) {
      const added = streamed.take(event);
      if (streamed.refusal) throw brokenOff(streamed);
      if (added && client) host.sendChunk('item', index, added);
    }
  };
  if (client) host.sendChunk('begin', index);
  try {
    const streaming = async () => ({ ...(await body()), stream: true });
    const flowing = door.stream({ ...call, body: streaming }, (chunk) => take(decoder.decode(chunk, { stream: true })));
    await flowing.catch((error: unknown) => {
      throw streamed.hasBegun && !door.signal?.aborted ? brokenOff(streamed) : error;
    });
    take(decoder.decode(), true);
  } finally {
    if (client) host.sendChunk('end', index);
  }
  if (streamed.isWhole) return streamed.answer();
  const answer = whole(style, plain);
  if (answer) return given(answer);
  if (!streamed.hasBegun) unreadable();
  throw brokenOff(streamed);
}

/** A gateway that does not stream answers in one piece all the same. */
function whole(style: StyleId, text: string): Answer | undefined {
  try {
    return readAnswer(style, JSON.parse(text));
  } catch {
    return undefined;
  }
}

function brokenOff(streamed: StreamedAnswer): GatewayIssue {
  const { message } = readRefusal(streamed.refusal);
  const said = message ? `: ${message}` : '';
  return new GatewayIssue(`The answer broke off${said}`, 'The part that arrived is in details. Run it again for a whole answer.', {
    retry: true,
    text: streamed.text,
  });
}
