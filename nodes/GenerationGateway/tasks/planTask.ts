import type { IDataObject } from 'n8n-workflow';
import { check } from '../../catalog/validate';
import { estimate, type Estimate } from '../../catalog/pricing';
import { shown, textOf } from '../../catalog/labels';
import type { Body } from '../../catalog/rules';
import type { Sheet } from '../../catalog/modelSpec';
import { keyOfTry, type Try } from '../../gateway/tasks/idempotencyKeys';
import type { Patience } from '../../gateway/tasks/awaitTask';
import { InputIssue, type Item, type Run } from '../operation';
import { readOptions } from '../../n8n/options';
import { resumeLink } from '../suspend/suspend';
import { withFiles } from './inputFiles';

/** A task that may be sent: checked, priced, within the budget. */
export interface TaskPlan {
  sheet: Sheet;
  /** The whole body, `model` included. */
  body: IDataObject;
  estimate: Estimate;
  advice: string[];
  key: string;
  /** The key is the user's own, so that other nodes and executions may have it too. */
  isOwnKey: boolean;
  ended: Try['ended'];
  wait: boolean;
  dryRun: boolean;
  /** Unfinished tasks are cancelled when the user stops the run. */
  cancelOnStop: boolean;
  patience: Patience;
  delivery: Delivery;
}

/** How a task becomes an item. */
export interface Delivery {
  /** Binary field for the results; undefined when they are not downloaded. */
  download?: string;
  simplify: boolean;
}

type Reader = ReturnType<typeof readOptions>;

const delivery = ({ isOn }: Reader, { options: { download } }: Item): Delivery => ({
  download: download ? textOf(download) : undefined,
  simplify: isOn('simplify', 'Simplify', true),
});
const patience = ({ number }: Reader): Patience => ({
  timeoutMs: (number('timeout', 'Wait at Most', 0) ?? 1200) * 1000,
  longestMs: (number('pollInterval', 'Longest Poll Interval', 1) ?? 10) * 1000,
});
const cancelOnStop = ({ isOn }: Reader) => isOn('cancelOnStop', 'Cancel Tasks on Stop');

export const deliveryOf = (item: Item): Delivery => clean(item, delivery);
export const patienceOf = (item: Item): Patience => clean(item, patience);
export const cancelOnStopOf = (item: Item): boolean => clean(item, cancelOnStop);

/** What options say, or every reason why they cannot be read. */
export function clean<Read>(item: Item, read: (reader: Reader, item: Item) => Read): Read {
  const reader = readOptions(item);
  const value = read(reader, item);
  if (reader.issues.length) throw new InputIssue(reader.issues);
  return value;
}

function callbackOf({ options, host, index }: Item, toThisExecution: boolean): Body {
  const { callback_url: given, callback_events } = options;
  const url = toThisExecution ? resumeLink(host, index) : given;
  const events = [callback_events ?? []].flat().filter((event) => event !== '');
  return { ...(url && { callback_url: url }), ...(events.length && { callback_events: events }) };
}

/** Holds an item's request against the tables and the budget, and gives it its key. Throws every reason at once. */
export async function planTask(item: Item, run: Run, sheet: Sheet, parameters: Body): Promise<TaskPlan> {
  const { options } = item;
  const reader = readOptions(item);
  const maximum = {
    perItem: reader.number('maximumCost', 'Maximum Cost per Item', 0),
    perRun: reader.number('maximumRunCost', 'Maximum Cost per Run', 0),
    sendUnpriced: options.unknownPrice === 'send',
  };
  const told = {
    wait: item.get('wait', 'none') === 'poll',
    dryRun: reader.isOn('dryRun', 'Dry Run'),
    cancelOnStop: cancelOnStop(reader),
    patience: patience(reader),
    delivery: delivery(reader, item),
  };
  const toThisExecution = reader.isOn('callbackExecution', 'Call Back This Execution');
  const { request, identity, issues: wrongFiles } = await withFiles(item, sheet, { ...parameters, ...callbackOf(item, toThisExecution) });
  const { issues: found, advice } = check(sheet, request);
  const issues = [...wrongFiles, ...found, ...reader.issues];
  if (toThisExecution && options.callback_url)
    issues.push({ field: 'callback_url', message: 'Callback URL (callback_url) and Call Back This Execution exclude each other' });
  const body = { ...request, model: sheet.id } as IDataObject;
  const recognised = { ...identity, model: sheet.id };
  const givenKey = options.idempotencyKey ?? '';
  if (typeof givenKey === 'object') issues.push({ field: 'idempotencyKey', message: `Idempotency Key (idempotencyKey): ${shown(givenKey)} is given, and a text is needed` });
  const ownKey = textOf(givenKey).trim();
  const rival = ownKey ? otherUseOf(ownKey, recognised, item, run) : undefined;
  if (rival !== undefined)
    issues.push({ field: 'idempotencyKey', message: `Idempotency Key (idempotencyKey): ${ownKey} is also the key of item ${rival}, which asks for something else. The gateway would give both the same task` });
  const price = issues.length ? { unknown: '' } : estimate(sheet, request);
  const overspent = issues.length ? undefined : run.ledger.reserve(price, maximum);
  if (overspent) issues.push(overspent);
  if (issues.length) throw new InputIssue(issues);

  const { key, ended } = keyOfTry(originOf(item, run), recognised);
  return {
    sheet,
    body,
    estimate: price,
    advice: advice.map(({ message }) => message),
    key: ownKey || key,
    isOwnKey: Boolean(ownKey),
    ended,
    ...told,
  };
}

/** The item of this run that has the same key for another request; equal requests may share their task. */
function otherUseOf(key: string, body: Body, { index }: Item, run: Run): number | undefined {
  const uses = run.once('keys', () => new Map<string, { index: number; body: string }>());
  const asked = JSON.stringify(body);
  const first = uses.get(key) ?? { index, body: asked };
  uses.set(key, first);
  return first.body === asked ? undefined : first.index;
}

function originOf(item: Item, { host, once }: Run) {
  return {
    executionId: host.getExecutionId() || undefined,
    nodeId: host.getNode().id,
    runIndex: once('runIndex', () => Number(host.getWorkflowDataProxy(0).$runIndex ?? 0)),
    itemIndex: item.index,
  };
}
