import type { IDataObject } from 'n8n-workflow';
import { check } from '../../compile/check';
import { estimate, type Estimate } from '../../compile/cost';
import type { Body } from '../../compile/rules';
import type { Sheet } from '../../compile/sheet';
import { derivedKey } from '../../transport/key';
import type { Patience } from '../../transport/await';
import { InputIssue, type Item, type Run } from '../operation';
import { resumeLink } from '../suspend/park';

/** A task that may be sent: checked, priced, within the budget. */
export interface TaskPlan {
  sheet: Sheet;
  /** The whole body, `model` included. */
  body: IDataObject;
  estimate: Estimate;
  advice: string[];
  key: string;
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

export const deliveryOf = ({ options }: Item): Delivery => ({
  download: options.download ? String(options.download) : undefined,
  simplify: options.simplify !== false,
});

export const patienceOf = ({ options }: Item): Patience => ({
  timeoutMs: Number(options.timeout ?? 1200) * 1000,
  longestMs: Number(options.pollInterval ?? 10) * 1000,
});

const amount = (value: unknown) => (value === undefined || value === '' ? undefined : Number(value));

function callbackOf({ options, host, index }: Item): Body {
  const { callback_url: given, callback_events: events, callbackExecution } = options;
  const url = callbackExecution === true ? resumeLink(host, index) : given;
  return { ...(url && { callback_url: url }), ...(Array.isArray(events) && events.length && { callback_events: events }) };
}

/** Holds an item's request against the tables and the budget, and gives it its key. Throws every reason at once. */
export function planTask(item: Item, run: Run, sheet: Sheet, parameters: Body): TaskPlan {
  const { options } = item;
  const request = { ...parameters, ...callbackOf(item) };
  const { issues, advice } = check(sheet, request);
  if (options.callbackExecution === true && options.callback_url)
    issues.push({ field: 'callback_url', message: 'Callback URL (callback_url) and Call Back This Execution exclude each other' });
  const price = issues.length ? { unknown: '' } : estimate(sheet, request);
  const maximum = {
    perItem: amount(options.maximumCost),
    perRun: amount(options.maximumRunCost),
    sendUnpriced: options.unknownPrice === 'send',
  };
  const dryRun = options.dryRun === true;
  const overspent = issues.length ? undefined : run.ledger.reserve(price, maximum);
  if (overspent) issues.push(overspent);
  if (issues.length) throw new InputIssue(issues);

  const body = { ...request, model: sheet.id } as IDataObject;
  return {
    sheet,
    body,
    estimate: price,
    advice: advice.map(({ message }) => message),
    key: String(options.idempotencyKey ?? '').trim() || derivedKey(originOf(item, run), body),
    wait: item.get('wait', 'none') === 'poll',
    dryRun,
    cancelOnStop: options.cancelOnStop === true,
    patience: patienceOf(item),
    delivery: deliveryOf(item),
  };
}

function originOf(item: Item, { host }: Run) {
  return {
    executionId: host.getExecutionId() || undefined,
    nodeId: host.getNode().id,
    runIndex: Number(host.getWorkflowDataProxy(item.index).$runIndex ?? 0),
    itemIndex: item.index,
  };
}
