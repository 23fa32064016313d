import type { IDataObject, IExecuteFunctions, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';
import pLimit from 'p-limit';
import { GatewayIssue, refused, unreachable } from './errors';
import { pause, stopped } from './pause';
import { DEFAULT_RETRY, mayRepeat, pauseMs, retryAfterMs, type CallKind, type RetryPolicy } from './retry';

export const CREDENTIAL = 'generationGatewayApi';

/** The part of n8n's context that a call needs: any node that has the credential. */
export type Host = Pick<IExecuteFunctions, 'helpers' | 'getNode'> & {
  getExecutionCancelSignal?: () => AbortSignal | undefined;
};

export interface Call {
  kind: CallKind;
  method: IHttpRequestMethods;
  /** From the version prefix on, e.g. `/v1/tasks`. */
  path: string;
  body?: IDataObject;
  query?: IDataObject;
  headers?: Record<string, string>;
  /** Milliseconds one try may take. */
  timeoutMs?: number;
}

export interface Answer {
  body: unknown;
  /** When the last try began, by the gateway's clock where it tells the time; Unix milliseconds. */
  askedAt: number;
}

export interface DoorSettings {
  /** Calls under way at once. */
  concurrency: number;
  retry?: RetryPolicy;
}

/** The only way to the gateway. One door serves one run of a node, so its limit holds across items. */
export interface Door {
  call(call: Call): Promise<Answer>;
  signal?: AbortSignal;
  concurrency: number;
}

interface Reply {
  /** Undefined when no usable reply came. */
  status?: number;
  headers: Record<string, unknown>;
  body?: unknown;
  issue?: GatewayIssue;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** The door for one run. Every call is authenticated by the credential, which also knows the address. */
export function openDoor(host: Host, { concurrency, retry = DEFAULT_RETRY }: DoorSettings): Door {
  const limit = pLimit(Math.max(1, Math.floor(concurrency)));
  const signal = host.getExecutionCancelSignal?.();

  async function call(request: Call): Promise<Answer> {
    let waited = 0;
    for (let attempt = 1; ; attempt += 1) {
      let began = 0;
      const reply = await limit(() => {
        if (signal?.aborted) throw stopped();
        began = Date.now();
        return send(host, request);
      });
      if (!reply.issue) {
        const answeredAt = Date.parse(String(reply.headers.date ?? '')) || Date.now();
        return { body: reply.body, askedAt: answeredAt - (Date.now() - began) };
      }
      if (signal?.aborted) throw stopped();
      const { status, headers, issue } = reply;
      const ms = pauseMs(attempt, retry, retryAfterMs(headers['retry-after'], Date.now()));
      const spent = attempt >= retry.attempts || waited + ms > retry.budgetMs;
      if (spent || !issue.standing.retry || !mayRepeat(request.kind, status)) throw issue;
      waited += ms;
      await pause(ms, signal);
    }
  }
  return { call, signal, concurrency };
}

async function send(host: Host, { method, path, body, query, headers, timeoutMs }: Call): Promise<Reply> {
  const options: IHttpRequestOptions = {
    method,
    url: path,
    body,
    qs: query,
    headers: { accept: 'application/json', ...headers },
    json: true,
    timeout: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    sendCredentialsOnCrossOriginRedirect: false,
  };
  try {
    const reply = (await host.helpers.httpRequestWithAuthentication.call(
      host as IExecuteFunctions,
      CREDENTIAL,
      options,
    )) as { statusCode: number; headers: Record<string, unknown>; body: unknown };
    return read(reply);
  } catch (error) {
    return { headers: {}, issue: broken(error) };
  }
}

function read({ statusCode, headers, body }: { statusCode: number; headers: Record<string, unknown>; body: unknown }): Reply {
  if (statusCode >= 400) return { status: statusCode, headers, issue: refused(statusCode, body) };
  if (typeof body === 'object' && body !== null) return { status: statusCode, headers, body };
  return {
    headers,
    issue: new GatewayIssue(
      'The gateway sent a reply that cannot be read',
      'Check that Base URL in the credential is the address of the gateway and not of a web page.',
      { retry: true, http_status: statusCode },
    ),
  };
}

/** n8n wraps what went wrong on the way, some layers deep; settings that are wrong are not worth a repeat. */
function broken(error: unknown): GatewayIssue {
  const seen: { code?: string; message?: string; name?: string }[] = [];
  for (let at = error as (Error & { code?: string }) | undefined; at && seen.length < 6; at = at.cause as Error | undefined)
    seen.push(at);
  const code = seen.map((layer) => layer.code).find((word) => typeof word === 'string' && /^E[A-Z_]+$/.test(word));
  const innermost = seen.at(-1);
  const setUp = seen.find((layer) => layer.name === 'NodeOperationError' || /Base URL|credential/i.test(layer.message ?? ''));
  if (setUp)
    return new GatewayIssue(setUp.message ?? '', 'Open the Generation Gateway credential and correct it.', { retry: false });
  return unreachable(code, (innermost?.message ?? 'no reply').slice(0, 200));
}
