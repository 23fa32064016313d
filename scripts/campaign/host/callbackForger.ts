import axios from 'axios';
import type { Sandbox } from '../../../sandbox';
import type { Received } from '../../host/collector';
import type { Account } from '../account';
import type { Addresses, Arrival, Source } from './workflows';
import { createPeriod } from '../../../nodes/GenerationGateway/suspend/storedSuspension';
import { SUSPEND_SECONDS } from './workflows';

/** Prompt prefix of the tasks that forged callbacks are sent for; they never end. */
export const NEVER_ENDS = 'endless';

/** Milliseconds within which n8n has surely noted that the trigger has run for a task, on a machine that is busy. */
const RECORDED_MS = 5_000;
const RUNNING = ['queued', 'processing'];

/** Sends forged callbacks, and finds runs that one of them started or resumed. */
export class CallbackForger {
	/** Calls that n8n answered. */
	sent = 0;
	/** Second runs for a task because n8n was killed before it had recorded the first. */
	unrecorded = 0;
	private readonly ownTaskIds = new Set<string>();
	private readonly suspendedTaskIds = new Set<string>();

	constructor(
		private readonly sandbox: Sandbox,
		private readonly account: Account,
		private readonly addresses: Addresses,
		private readonly arrivals: readonly Received<Arrival>[],
	) {}

	/** One round of everything: a wrong secret, an unknown task, one that runs, one of another account, repeats, and resume links. */
	async sendRound(): Promise<void> {
		const { trigger } = this.addresses;
		const ended = this.sandbox
			.tasks()
			.find(({ status, account }) => status === 'completed' && account === 'main');
		const [running, foreign] = [
			await this.submit(this.account.key, NEVER_ENDS),
			await this.submit(this.account.otherKey, 'foreign'),
		];
		await this.sandbox.finish(foreign);
		const createClaim = (task_id: string) => ({
			task_id,
			status: 'completed',
			result: { images: [{ url: ['https://evil.example/x.png'] }] },
		});
		await this.post(trigger.slice(0, -3), createClaim(ended?.task_id ?? 'task_0'));
		await this.post(trigger, createClaim('task_00000000000000000000000000000000'));
		await this.post(trigger, createClaim(running));
		await this.post(trigger, createClaim(foreign));
		await this.post(trigger, { hello: 'world' });
		for (const id of this.listRepeats()) await this.post(trigger, createClaim(id));
		await this.forgeResumes(createClaim);
	}

	/** Tasks for which the trigger has run: the last two, and a few from all the time before. */
	private listRepeats(): string[] {
		const ids = this.arrivals
			.filter(({ from }) => from === 'trigger')
			.map(({ item }) => String(item.task_id));
		const step = Math.ceil(ids.length / 4);
		return ids.filter((_, at) => at >= ids.length - 2 || at % step === this.sent % step);
	}

	/** Tells suspended executions that their tasks have ended, once with the right link and once with a forged signature. */
	private async forgeResumes(createClaim: (id: string) => object): Promise<void> {
		const fresh = this.sandbox
			.tasks()
			.filter(
				({ body, status, task_id }) =>
					String(body.callback_url).includes('/webhook-waiting/') &&
					RUNNING.includes(status) &&
					!this.suspendedTaskIds.has(task_id),
			);
		for (const { body, task_id } of fresh.slice(0, 4)) {
			this.suspendedTaskIds.add(task_id);
			const link = new URL(String(body.callback_url));
			await this.post(link.href, createClaim(task_id));
			link.searchParams.set('signature', 'forged');
			await this.post(link.href, createClaim(task_id));
		}
	}

	private async submit(key: string, prompt: string): Promise<string> {
		const { data } = await axios
			.post<{ task_id?: string }>(
				`${this.sandbox.url}/v1/tasks`,
				{ model: 'imgn-4.0', prompt: `${prompt} ${this.ownTaskIds.size}` },
				{ headers: { authorization: `Bearer ${key}` }, proxy: false, validateStatus: () => true },
			)
			.catch(() => ({ data: {} as { task_id?: string } }));
		const taskId = data.task_id ?? (await this.submit(key, prompt));
		this.ownTaskIds.add(taskId);
		return taskId;
	}

	private async post(url: string, body: object): Promise<void> {
		const response = await axios
			.post(url, body, { validateStatus: () => true, timeout: 20_000, proxy: false })
			.catch(() => undefined);
		if (response) this.sent += 1;
	}

	/** Whether a task was made for forged callbacks. */
	isOwn = (taskId: string): boolean => this.ownTaskIds.has(taskId);

	/**
	 * Runs that should not have been: started by the trigger for a task that is not a row's or a second
	 * time for the same, or resumed before the tasks had ended or the time was up. A run that n8n had no
	 * time to note before it was killed may come again: nothing that starts it could know.
	 */
	findForgedRuns(kills: readonly number[]): string[] {
		const of = (source: Source) => this.arrivals.filter(({ from }) => from === source);
		const seen = new Map<string, number>();
		const started = of('trigger').flatMap(({ item, at }) => {
			const id = String(item.task_id);
			const name = this.sandbox.task(id)?.body.prompt;
			const isForged = name === undefined || this.isOwn(id);
			const before = seen.get(id);
			seen.set(id, at);
			if (isForged) return [`${id} started the trigger`];
			if (before === undefined) return [];
			if (kills.some((killed) => before < killed && killed < at && killed - before < RECORDED_MS)) {
				this.unrecorded += 1;
				return [];
			}
			return [
				`${String(name)}: ${id} started the trigger twice, ${Math.round((at - before) / 1000)} s apart`,
			];
		});
		const resumed = of('resumed').flatMap(({ item, at }) => {
			const task = this.sandbox.task(String(item.task_id));
			const isEarly =
				task &&
				RUNNING.includes(String(item.status)) &&
				at < createPeriod(task.submitted, task.submitted + SUSPEND_SECONDS * 1000).closesAt;
			return isEarly
				? [`${String(task.body.prompt)}: resumed while its task was ${String(item.status)}`]
				: [];
		});
		return [...started, ...resumed];
	}
}
