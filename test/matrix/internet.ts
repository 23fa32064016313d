import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { AxiosAdapter, AxiosResponse, AxiosStatic, InternalAxiosRequestConfig } from 'axios';
import type { Sandbox } from '../../sandbox';
import type { Fault, Step } from './faults';
import type { VirtualTime } from './virtualTime';

/** The HTTP client that n8n's engine sends with. */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- the copy of another package
const axios = require(
	require.resolve('axios', { paths: [dirname(require.resolve('@n8n/backend-network'))] }),
) as AxiosStatic;

export const GATEWAY = 'http://gateway.example.com';
/** Where the gateway reaches this n8n. */
export const N8N = 'http://n8n.example.com';

/** One request as it left n8n. */
export interface SentRequest {
	method: string;
	path: string;
	key: string | undefined;
	/** It waits for the task within the request (`Prefer: wait`). */
	isWaiting: boolean;
	body: string;
	/** Milliseconds since the start. */
	at: number;
	/** The gateway did the work and said so with a status below 300. */
	isWorked: boolean;
}

/**
 * All HTTP of the engine on virtual time: n8n's own client down to its adapter, then the sandbox without
 * a socket, with the fault that a test gives a request on its way.
 */
export class VirtualInternet {
	readonly requests: SentRequest[] = [];
	/** The fault of a request, if any. */
	inject: (request: SentRequest) => Fault | undefined = () => undefined;
	/** Calls of n8n to itself. */
	answerSelf: (path: string) => Promise<number> = async () => 404;
	/** Requests of a process that was killed are never answered. */
	private generation = 0;
	private readonly original = axios.defaults.adapter;

	constructor(
		private readonly sandbox: Sandbox,
		private readonly time: VirtualTime,
	) {
		axios.defaults.adapter = ((config) => this.exchange(config)) as AxiosAdapter;
	}

	uninstall(): void {
		axios.defaults.adapter = this.original;
	}

	reset(): void {
		this.requests.length = 0;
		this.inject = () => undefined;
		this.answerSelf = async () => 404;
		this.generation += 1;
	}

	kill(): void {
		this.generation += 1;
	}

	private async exchange(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
		const { generation } = this;
		const answered = this.answer(config);
		await answered.catch(() => undefined);
		if (generation === this.generation) return await answered;
		// Nobody of a killed process reads the body.
		answered.then(
			({ data }) => data instanceof Readable && data.destroy(),
			() => undefined,
		);
		return await new Promise<never>(() => undefined);
	}

	private async answer(config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
		const url = new URL(axios.getUri(config));
		const headers = config.headers.toJSON() as Record<string, string>;
		const payload = await readPayload(config.data, headers);
		const request: SentRequest = {
			method: (config.method ?? 'get').toUpperCase(),
			path: url.pathname,
			key: headers['Idempotency-Key'],
			isWaiting: headers.Prefer !== undefined,
			body: payload.toString('latin1'),
			at: this.time.elapsed,
			isWorked: false,
		};
		this.requests.push(request);
		if (url.origin === N8N) {
			const status = await this.answerSelf(url.pathname);
			return settle(config, { status, headers: {} }, '{}');
		}
		const fault = this.inject(request);
		if (fault?.refusal) {
			const { status, headers: extra = {} } = fault.refusal;
			const body = JSON.stringify({ error: { message: `Injected ${status}` } });
			const type = { 'content-type': 'application/json' };
			return await this.deliver(config, { status, headers: { ...type, ...extra } }, [
				Buffer.from(body),
			]);
		}
		const { connection } = fault ?? {};
		if (connection && !connection.isWorked) return await this.fail(config, connection.error);
		const work = async () =>
			await this.sandbox.inject({
				method: request.method as 'GET',
				url: url.pathname + url.search,
				headers,
				...(payload.length && { payload }),
			});
		// Only an answer that is to wait for its task takes time.
		const response = await (headers.Prefer ? work() : this.time.instantly(work));
		request.isWorked = response.statusCode < 300;
		if (connection) return await this.fail(config, connection.error);
		const { replacement, body, label } = fault ?? {};
		const { 'content-type': ownType, ...unlabelled } = response.headers as Record<string, string>;
		const type = replacement?.type ?? (label ? label.type : ownType);
		const head = {
			status: response.statusCode,
			headers: { ...(!replacement && unlabelled), ...(type && { 'content-type': type }) },
		};
		const bytes = replacement ? Buffer.from(replacement.text) : response.rawPayload;
		return await this.deliver(config, head, body ? body(bytes) : [bytes]);
	}

	/** The connection breaks, or stays silent until the client gives up. */
	private async fail(config: InternalAxiosRequestConfig, error?: string): Promise<never> {
		if (error) throw new axios.AxiosError(`connect ${error}`, error, config);
		return (await this.read(config, ['stall'])) as never;
	}

	private async deliver(
		config: InternalAxiosRequestConfig,
		head: Head,
		steps: Step[],
	): Promise<AxiosResponse> {
		if (config.signal?.aborted) throw new axios.CanceledError('canceled', config as never);
		if (config.responseType === 'stream') {
			const stream = this.stream(steps);
			const response = settle(config, head, stream);
			// n8n's client listens to the signal for as long as it hands over a stream.
			config.signal?.addEventListener?.('abort', () => {
				if (stream.destroyed) return;
				stream.emit('error', new Error('canceled'));
				stream.destroy();
			});
			return response;
		}
		return settle(config, head, (await this.read(config, steps)).toString('utf8'));
	}

	/** A whole body as n8n's client collects it: it gives up after `timeout` without a byte, or when it is aborted. */
	private async read(config: InternalAxiosRequestConfig, steps: Step[]): Promise<Buffer> {
		const pieces: Uint8Array[] = [];
		for (const step of steps) {
			if (step === 'break') throw new axios.AxiosError('aborted', 'ECONNRESET', config);
			if (step === 'stall' || typeof step === 'number')
				await waitAtMost(config, step === 'stall' ? Infinity : step);
			else pieces.push(step);
		}
		return Buffer.concat(pieces);
	}

	/** A body that is handed over piece by piece: nobody watches the time any more. */
	private stream(steps: Step[]): Readable {
		const readable = new Readable({ read: () => undefined });
		void (async () => {
			for (const step of steps) {
				if (readable.destroyed || step === 'stall') return;
				if (step === 'break') {
					await new Promise<void>((resolve) => void setTimeout(resolve, 1));
					return void readable.destroy(new Error('aborted'));
				}
				if (typeof step === 'number')
					await new Promise<void>((resolve) => void setTimeout(resolve, step));
				else readable.push(step);
			}
			readable.push(null);
		})();
		return readable;
	}
}

interface Head {
	status: number;
	headers: Record<string, string>;
}

async function waitAtMost(config: InternalAxiosRequestConfig, ms: number): Promise<void> {
	const { timeout = 0, signal } = config;
	await new Promise<void>((resolve, reject) => {
		const isTooLong = timeout > 0 && ms > timeout;
		const end = () => {
			signal?.removeEventListener?.('abort', abort);
			if (!isTooLong) return resolve();
			reject(new axios.AxiosError(`timeout of ${timeout}ms exceeded`, 'ECONNABORTED', config));
		};
		const waited = isTooLong ? timeout : ms;
		const timer = Number.isFinite(waited) ? setTimeout(end, waited) : undefined;
		const abort = () => {
			clearTimeout(timer);
			reject(new axios.CanceledError('canceled', config as never));
		};
		if (signal?.aborted) abort();
		signal?.addEventListener?.('abort', abort);
	});
}

function settle(
	config: InternalAxiosRequestConfig,
	{ status, headers }: Head,
	data: unknown,
): AxiosResponse {
	const response: AxiosResponse = { status, statusText: '', headers, config, data, request: {} };
	if (!config.validateStatus || config.validateStatus(status)) return response;
	throw new axios.AxiosError(
		`Request failed with status code ${status}`,
		'ERR_BAD_RESPONSE',
		config,
		{},
		response,
	);
}

/** A file of a form, as the node hands it over. */
interface FormFile {
	name: string;
	type: string;
	stream: () => AsyncIterable<Uint8Array>;
}

const BOUNDARY = 'virtual-boundary';

async function readForm(form: FormData): Promise<Buffer> {
	const pieces: Uint8Array[] = [];
	for (const [name, value] of form as unknown as Iterable<[string, FormFile | string]>) {
		const isText = typeof value === 'string';
		const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
		const more = isText ? '' : `; filename="${value.name}"\r\nContent-Type: ${value.type}`;
		pieces.push(Buffer.from(`${head}${more}\r\n\r\n`));
		if (isText) pieces.push(Buffer.from(value));
		else for await (const piece of value.stream()) pieces.push(piece);
		pieces.push(Buffer.from('\r\n'));
	}
	return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

async function readPayload(data: unknown, headers: Record<string, string>): Promise<Buffer> {
	if (data === undefined || data === null) return Buffer.alloc(0);
	if (typeof data === 'string') return Buffer.from(data);
	if (Buffer.isBuffer(data)) return data;
	for (const name of Object.keys(headers))
		if (name.toLowerCase() === 'content-type') delete headers[name];
	headers['content-type'] = `multipart/form-data; boundary=${BOUNDARY}`;
	return await readForm(data as FormData);
}
