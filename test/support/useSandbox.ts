import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { startSandbox, type Body, type Sandbox, type Settings } from '../../sandbox';

export interface SandboxContext {
	sandbox: Sandbox;
	/** Carries the default key; never throws on a status. */
	http: AxiosInstance;
	/** Submits a task. */
	submit: (body: Body, headers?: Record<string, string>) => Promise<AxiosResponse>;
	/** Reads a task. */
	read: (taskId: string) => Promise<AxiosResponse>;
}

/** A sandbox for one test file: started before, reset between, closed after. */
export function useSandbox(options: Partial<Settings> = {}): SandboxContext {
	const visitor = {} as SandboxContext;
	let fresh: Settings;

	beforeAll(async () => {
		visitor.sandbox = await startSandbox(options);
		fresh = { ...visitor.sandbox.settings };
		visitor.http = clientOf(visitor.sandbox.url, {
			authorization: `Bearer ${visitor.sandbox.key}`,
		});
		visitor.submit = (body, headers = {}) => visitor.http.post('/v1/tasks', body, { headers });
		visitor.read = (taskId) => visitor.http.get(`/v1/tasks/${taskId}`);
	});
	afterEach(() => {
		visitor.sandbox.reset();
		Object.assign(visitor.sandbox.settings, fresh);
	});
	afterAll(() => visitor.sandbox.close());
	return visitor;
}

export const clientOf = (baseURL: string, headers: Record<string, string> = {}): AxiosInstance =>
	axios.create({ baseURL, headers, validateStatus: () => true, proxy: false });

export const pause = (ms: number): Promise<void> =>
	new Promise((done) => void setTimeout(done, ms));

/** The error envelope of a refused request, with its HTTP status. */
export const refusal = (reply: AxiosResponse): Body => ({
	status: reply.status,
	...(reply.data as { error?: Body }).error,
});
