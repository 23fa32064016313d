import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { startOwnChecks, type Stop } from '../../nodes/GenerationGateway/suspend/ownChecks';
import { createPeriod } from '../../nodes/GenerationGateway/suspend/storedSuspension';
import { systemClock } from '../../nodes/n8n/systemClock';
import { byteStreamOf } from './byteStreamOf';
import { VirtualClock } from './virtualClock';

export const HOUR_MS = 3_600_000;
const TASKS = Array.from({ length: 25 }, (_, index) => `task_${index}`);

/** A node that has suspended its execution, what n8n and the gateway answer it, and what it has asked them. */
export class SuspendedNode {
	readonly clock = new VirtualClock();
	/** Of the tasks at the gateway. */
	readonly states: Record<string, string> = {};
	readonly polled: string[] = [];
	/** When the resume link was called, in seconds after the suspension. */
	readonly calledAt: number[] = [];
	lastCall?: IHttpRequestOptions;
	/** What n8n says where it answers 409 or 404. */
	conflict = 'The execution "1" is running already.';
	/** Happens while a task is polled, or the link is called. */
	during: { poll?: () => void; call?: () => void } = {};
	/** What n8n answers the resume link with. */
	status = 404;
	location = '/form-waiting/1/generation-gateway?signature=token';
	/** What something before n8n answers instead. */
	page: unknown;
	/** Why it does not answer. */
	failure: string | undefined;
	readonly warn = jest.fn();
	readonly onOver = jest.fn();

	constructor() {
		this.setStates('processing');
	}

	get cancelled(): string[] {
		return TASKS.filter((id) => this.states[id] === 'cancelled');
	}

	setStates(state: string): void {
		for (const id of TASKS) this.states[id] = state;
	}

	async pass(seconds: number): Promise<void> {
		await this.clock.run(this.clock.sleep(seconds * 1000));
	}

	/** `status`: of n8n's first answers. */
	create(status: number): IExecuteFunctions {
		this.status = status;
		const startedAt = this.clock.now();
		return {
			getNode: () => ({ name: 'Await' }),
			getCredentials: async () => ({ apiKey: 'sk-key' }),
			logger: { debug: () => undefined, info: () => undefined, warn: this.warn },
			helpers: {
				httpRequest: async (request: IHttpRequestOptions) => {
					this.calledAt.push((this.clock.now() - startedAt) / 1000);
					this.lastCall = request;
					this.during.call?.();
					if (this.failure) throw Object.assign(new Error('no answer'), { code: this.failure });
					const body = this.page ?? { message: this.conflict };
					return { statusCode: this.status, headers: { location: this.location }, body };
				},
				httpRequestWithAuthentication: async (
					_type: string,
					{ url, method }: { url: string; method: string },
				) => {
					const task_id = /task_\d+/.exec(url)![0];
					if (method !== 'GET') this.states[task_id] = 'cancelled';
					else this.polled.push(task_id);
					this.during.poll?.();
					const result = { images: ['https://example.com/a.png'] };
					const body = byteStreamOf({ task_id, status: this.states[task_id], result });
					return { statusCode: 200, headers: {}, body };
				},
			},
		} as unknown as IExecuteFunctions;
	}

	/** What the node keeps of its suspension, which lasts so many hours. */
	suspension(hours = 1, isCalledBack?: boolean, cancelledOnStop: string[] = []) {
		const now = this.clock.now();
		const period = createPeriod(now, now + hours * HOUR_MS, isCalledBack);
		const url = 'http://n8n/resume/generation-gateway?signature=token';
		return { taskIds: TASKS, url, period, cancelledOnStop };
	}

	suspend(status = 404, isCalledBack = true, cancelledOnStop: string[] = []): Stop {
		const node = this.create(status);
		const suspension = this.suspension(1, isCalledBack, cancelledOnStop);
		return startOwnChecks(() => node, suspension, this.onOver);
	}
}

/** As new for each test of a file, on virtual time. */
export function useSuspendedNode(): SuspendedNode {
	const node = new SuspendedNode();
	beforeEach(() => {
		Object.assign(node, new SuspendedNode());
		const { clock } = node;
		for (const at of [systemClock, Date])
			jest.spyOn(at, 'now').mockImplementation(() => clock.now());
		jest
			.spyOn(systemClock, 'after')
			.mockImplementation((ms, callback) => clock.after(ms, callback));
	});
	afterEach(() => jest.restoreAllMocks());
	return node;
}
