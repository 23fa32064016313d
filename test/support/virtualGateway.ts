import { createClient, type ClientOptions, type GatewayClient } from '../../nodes/gateway/client';
import type { ByteStream, HttpRequest, HttpResponse } from '../../nodes/gateway/context';
import { byteStreamOf } from './byteStreamOf';
import { VirtualClock } from './virtualClock';

/** Its body is JSON, a text, or a stream. */
export type VirtualResponse = Omit<HttpResponse, 'body'> & { body: unknown };
type Answer = (request: HttpRequest, index: number) => Promise<VirtualResponse> | VirtualResponse;

export interface VirtualGateway {
	client: GatewayClient;
	clock: VirtualClock;
	/** All requests, oldest first. */
	requests: HttpRequest[];
}

type VirtualOptions = Partial<ClientOptions> & { signal?: AbortSignal };

/** The real client on virtual time, with a function instead of HTTP. */
export function createVirtualGateway(
	answer: Answer,
	{ signal, concurrency = 20, ...options }: VirtualOptions = {},
): VirtualGateway {
	const clock = new VirtualClock();
	const requests: HttpRequest[] = [];
	const send = async (request: HttpRequest) =>
		toResponse(await answer(request, requests.push(request) - 1));
	const getSecret = async () => 'sk-virtual-key';
	const client = createClient({ clock, signal, send, getSecret }, { concurrency, ...options });
	return { client, clock, requests };
}

export const toResponse = (response: VirtualResponse): HttpResponse => ({
	...response,
	body: byteStreamOf(response.body),
});
export const ok = (body: unknown, headers: HttpResponse['headers'] = {}): VirtualResponse => ({
	status: 200,
	headers,
	body,
});
export const refusal = (status: number, message = 'No', headers = {}): VirtualResponse => ({
	status,
	headers,
	body: { error: { message } },
});

/** Pieces of a body and the delays between them, in milliseconds. A body that ends with `stall` never does. */
export interface PacedBody {
	stream: ByteStream;
	isDestroyed: () => boolean;
}

/** A body whose pieces come on virtual time: a number is a delay in milliseconds, `stall` is silence for good. */
export function createBody(
	clock: VirtualClock,
	steps: readonly (string | number | 'stall' | Error)[],
): PacedBody {
	let isDestroyed = false;
	let abort: (reason: Error) => void = () => undefined;
	const destroyed = new Promise<never>((_, reject) => (abort = reject));
	destroyed.catch(() => undefined);
	async function* pieces(): AsyncGenerator<Uint8Array> {
		for (const step of steps) {
			if (step instanceof Error) throw step;
			if (step === 'stall') await destroyed;
			else if (typeof step === 'number') await Promise.race([clock.sleep(step), destroyed]);
			else yield new TextEncoder().encode(step);
		}
	}
	const stream = Object.assign(pieces(), {
		destroy: (reason?: Error) => {
			isDestroyed = true;
			abort(reason ?? new Error('destroyed'));
		},
	});
	return { stream, isDestroyed: () => isDestroyed };
}
