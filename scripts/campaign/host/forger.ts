import axios from 'axios';
import type { Sandbox } from '../../../sandbox';
import type { Account } from '../account';
import type { Addresses, Source } from './workflows';
import type { Arrival } from './collector';
import { PARKED_SECONDS } from './workflows';

/** Begins the prompt of tasks that are there to be lied about; they never end. */
export const ENDLESS = 'endless';

/** How many of the last callbacks that started the trigger come once more in each round. */
const REPEATED = 4;
const RUNNING = ['queued', 'processing'];

/** Sends what the gateway would never send, and judges whether any of it started or woke a workflow. */
export class Forger {
  /** Calls that n8n answered. */
  sent = 0;
  private readonly lied = new Set<string>();
  private readonly parked = new Set<string>();

  constructor(
    private readonly sandbox: Sandbox,
    private readonly account: Account,
    private readonly addresses: Addresses,
    private readonly arrivals: readonly Arrival[],
  ) {}

  /** One round of everything: a wrong secret, an unknown task, one that runs, one of another account, repeats, and parked links. */
  async round(): Promise<void> {
    const { trigger } = this.addresses;
    const ended = this.sandbox.tasks().find(({ status, account }) => status === 'completed' && account === 'main');
    const [running, foreign] = [await this.make(this.account.key, ENDLESS), await this.make(this.account.otherKey, 'foreign')];
    await this.sandbox.finish(foreign);
    const claim = (task_id: string) => ({ task_id, status: 'completed', result: { images: [{ url: ['https://evil.example/x.png'] }] } });
    await this.call(trigger.slice(0, -3), claim(ended?.task_id ?? 'task_0'));
    await this.call(trigger, claim('task_00000000000000000000000000000000'));
    await this.call(trigger, claim(running));
    await this.call(trigger, claim(foreign));
    await this.call(trigger, { hello: 'world' });
    for (const { item } of this.arrivals.filter(({ from }) => from === 'trigger').slice(-REPEATED)) await this.call(trigger, claim(String(item.task_id)));
    await this.wakeParked(claim);
  }

  /** Tells parked executions that their tasks have ended, once with the right link and once with a signature of its own. */
  private async wakeParked(claim: (id: string) => object): Promise<void> {
    const fresh = this.sandbox.tasks().filter(({ body, status, task_id }) =>
      String(body.callback_url).includes('/webhook-waiting/') && RUNNING.includes(status) && !this.parked.has(task_id));
    for (const { body, task_id } of fresh.slice(0, 4)) {
      this.parked.add(task_id);
      const link = new URL(String(body.callback_url));
      await this.call(link.href, claim(task_id));
      link.searchParams.set('signature', 'forged');
      await this.call(link.href, claim(task_id));
    }
  }

  private async make(key: string, prompt: string): Promise<string> {
    const { data } = await axios.post<{ task_id?: string }>(
      `${this.sandbox.url}/v1/tasks`,
      { model: 'imgn-4.0', prompt: `${prompt} ${this.lied.size}` },
      { headers: { authorization: `Bearer ${key}` }, proxy: false, validateStatus: () => true },
    ).catch(() => ({ data: {} as { task_id?: string } }));
    const taskId = data.task_id ?? (await this.make(key, prompt));
    this.lied.add(taskId);
    return taskId;
  }

  private async call(url: string, body: object): Promise<void> {
    const answered = await axios.post(url, body, { validateStatus: () => true, timeout: 20_000, proxy: false }).catch(() => undefined);
    if (answered) this.sent += 1;
  }

  /** Whether a task is one of those lied about. */
  isOwn = (taskId: string): boolean => this.lied.has(taskId);

  /**
   * Runs that should not have been: started by the trigger for a task that is not a row's or a second
   * time for the same, or woken before the tasks had ended or the time was up.
   */
  found(): string[] {
    const of = (source: Source) => this.arrivals.filter(({ from }) => from === source);
    const seen = new Set<string>();
    const started = of('trigger').flatMap(({ item }) => {
      const id = String(item.task_id);
      const name = this.sandbox.task(id)?.body.prompt;
      const isForged = name === undefined || this.isOwn(id);
      const isAgain = seen.has(id);
      seen.add(id);
      return isForged ? [`${id} started the trigger`] : isAgain ? [`${String(name)}: ${id} started the trigger twice`] : [];
    });
    const woken = of('woken').flatMap(({ item, at }) => {
      const task = this.sandbox.task(String(item.task_id));
      const isEarly = task && RUNNING.includes(String(item.status)) && at < task.submitted + PARKED_SECONDS * 1000;
      return isEarly ? [`${String(task.body.prompt)}: woken while its task was ${String(item.status)}`] : [];
    });
    return [...started, ...woken];
  }
}
