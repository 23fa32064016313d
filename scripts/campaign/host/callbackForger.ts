import axios from 'axios';
import type { Sandbox } from '../../../sandbox';
import type { Received } from '../../host/collector';
import type { Account } from '../account';
import type { Addresses, Arrival, Source } from './workflows';
import { PARKED_SECONDS } from './workflows';

/** Begins the prompt of tasks that are there to be lied about; they never end. */
export const ENDLESS = 'endless';

/** Milliseconds within which n8n has surely noted that the trigger has run for a task, on a machine that is busy. */
const NOTED_MS = 5_000;
const RUNNING = ['queued', 'processing'];

/** Sends what the gateway would never send, and judges whether any of it started or woke a workflow. */
export class Forger {
	/** Calls that n8n answered. */
	sent = 0;
	/** Second runs for a task, where n8n was killed before it could note the first. */
	unnoted = 0;
	private readonly lied = new Set<string>();
	private readonly parked = new Set<string>();

	constructor(
		private readonly sandbox: Sandbox,
		private readonly account: Account,
		private readonly addresses: Addresses,
		private readonly arrivals: readonly Received<Arrival>[],
	) {}

	/** One round of everything: a wrong secret, an unknown task, one that runs, one of another account, repeats, and parked links. */
	async round(): Promise<void> {
		const { trigger } = this.addresses;
		const ended = this.sandbox
			.tasks()
			.find(({ status, account }) => status === 'completed' && account === 'main');
		const [running, foreign] = [
			await this.make(this.account.key, ENDLESS),
			await this.make(this.account.otherKey, 'foreign'),
		];
		await this.sandbox.finish(foreign);
		const claim = (task_id: string) => ({
			task_id,
			status: 'completed',
			result: { images: [{ url: ['https://evil.example/x.png'] }] },
		});
		await this.call(trigger.slice(0, -3), claim(ended?.task_id ?? 'task_0'));
		await this.call(trigger, claim('task_00000000000000000000000000000000'));
		await this.call(trigger, claim(running));
		await this.call(trigger, claim(foreign));
		await this.call(trigger, { hello: 'world' });
		for (const id of this.repeated()) await this.call(trigger, claim(id));
		await this.wakeParked(claim);
	}

	/** Tasks for which the trigger has run: the last two, and a few from all the time before. */
	private repeated(): string[] {
		const ids = this.arrivals
			.filter(({ from }) => from === 'trigger')
			.map(({ item }) => String(item.task_id));
		const step = Math.ceil(ids.length / 4);
		return ids.filter((_, at) => at >= ids.length - 2 || at % step === this.sent % step);
	}

	/** Tells parked executions that their tasks have ended, once with the right link and once with a signature of its own. */
	private async wakeParked(claim: (id: string) => object): Promise<void> {
		const fresh = this.sandbox
			.tasks()
			.filter(
				({ body, status, task_id }) =>
					String(body.callback_url).includes('/webhook-waiting/') &&
					RUNNING.includes(status) &&
					!this.parked.has(task_id),
			);
		for (const { body, task_id } of fresh.slice(0, 4)) {
			this.parked.add(task_id);
			const link = new URL(String(body.callback_url));
			await this.call(link.href, claim(task_id));
			link.searchParams.set('signature', 'forged');
			await this.call(link.href, claim(task_id));
		}
	}

	private async make(key: string, prompt: string): Promise<string> {
		const { data } = await axios
			.post<{ task_id?: string }>(
				`${this.sandbox.url}/v1/tasks`,
				{ model: 'imgn-4.0', prompt: `${prompt} ${this.lied.size}` },
				{ headers: { authorization: `Bearer ${key}` }, proxy: false, validateStatus: () => true },
			)
			.catch(() => ({ data: {} as { task_id?: string } }));
		const taskId = data.task_id ?? (await this.make(key, prompt));
		this.lied.add(taskId);
		return taskId;
	}

	private async call(url: string, body: object): Promise<void> {
		const answered = await axios
			.post(url, body, { validateStatus: () => true, timeout: 20_000, proxy: false })
			.catch(() => undefined);
		if (answered) this.sent += 1;
	}

	/** Whether a task is one of those lied about. */
	isOwn = (taskId: string): boolean => this.lied.has(taskId);

	/**
	 * Runs that should not have been: started by the trigger for a task that is not a row's or a second
	 * time for the same, or woken before the tasks had ended or the time was up. A run that n8n had no
	 * time to note before it was killed may come again: nothing that starts it could know.
	 */
	found(kills: readonly number[]): string[] {
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
			if (kills.some((killed) => before < killed && killed < at && killed - before < NOTED_MS)) {
				this.unnoted += 1;
				return [];
			}
			return [
				`${String(name)}: ${id} started the trigger twice, ${Math.round((at - before) / 1000)} s apart`,
			];
		});
		const woken = of('woken').flatMap(({ item, at }) => {
			const task = this.sandbox.task(String(item.task_id));
			const isEarly =
				task &&
				RUNNING.includes(String(item.status)) &&
				at < task.submitted + PARKED_SECONDS * 1000;
			return isEarly
				? [`${String(task.body.prompt)}: woken while its task was ${String(item.status)}`]
				: [];
		});
		return [...started, ...woken];
	}
}
