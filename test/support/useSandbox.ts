import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { forgetAccounts } from '../../nodes/gateway/rateLimit/accounts';
import { forgetDailySpend } from './restartProcess';
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
	const fixture = {} as SandboxContext;
	let initialSettings: Settings;

	beforeAll(async () => {
		fixture.sandbox = await startSandbox(options);
		initialSettings = { ...fixture.sandbox.settings };
		fixture.http = clientOf(fixture.sandbox.url, {
			authorization: `Bearer ${fixture.sandbox.key}`,
		});
		fixture.submit = (body, headers = {}) => fixture.http.post('/v1/tasks', body, { headers });
		fixture.read = (taskId) => fixture.http.get(`/v1/tasks/${taskId}`);
	});
	afterEach(() => {
		fixture.sandbox.reset();
		forgetAccounts();
		forgetDailySpend();
		Object.assign(fixture.sandbox.settings, initialSettings);
	});
	afterAll(() => fixture.sandbox.close());
	return fixture;
}

export const clientOf = (baseURL: string, headers: Record<string, string> = {}): AxiosInstance =>
	axios.create({ baseURL, headers, validateStatus: () => true, proxy: false });

export const delay = (ms: number): Promise<void> =>
	new Promise((done) => void setTimeout(done, ms));

/** Waits for what will come however busy the machine is. */
export async function until(isMet: () => boolean): Promise<void> {
	for (const end = performance.now() + 60_000; !isMet(); await delay(5))
		if (performance.now() > end) throw new Error(`Not within a minute: ${isMet}`);
}

/** The error envelope of a refused request, with its HTTP status. */
export const readError = (reply: AxiosResponse): Body => ({
	status: reply.status,
	...(reply.data as { error?: Body }).error,
});
