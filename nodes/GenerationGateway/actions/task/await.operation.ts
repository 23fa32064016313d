import type { INodeProperties } from 'n8n-workflow';
import { awaitTask, type Patience } from '../../../gateway/tasks/awaitTask';
import { getTask } from '../../../gateway/tasks/api';
import { hasEnded } from '../../../gateway/tasks/schema';
import { assertDelivered, deliver } from '../../tasks/toItem';
import { forEachId, taskIdsOf } from '../../tasks/taskIds';
import { awaitOptions, taskId } from '../../tasks/properties';
import { cancelOnStopOf, clean, deliveryOf, patienceOf, type Delivery } from '../../tasks/planTask';
import { cancelledOnStop } from '../../tasks/cancelOnStop';
import { underOperation, type Item, type Operation } from '../../operation';
import { parkedItem } from '../../suspend/suspend';

interface Plan {
  ids: string[];
  delivery: Delivery;
  patience: Patience;
  cancelOnStop: boolean;
  /** Hours to be parked at most; undefined where the node looks itself. */
  parkHours?: number;
}

/** A year; n8n could not write down a much later time. */
const LONGEST_PARK_HOURS = 8_760;

const waitUntil: INodeProperties[] = [
  {
    displayName: 'Wait By',
    name: 'waitBy',
    type: 'options',
    options: [
      { name: 'Looking', value: 'poll', description: 'The node looks at the tasks until they have ended' },
      {
        name: 'Suspending the Execution',
        value: 'suspend',
        description: 'The execution holds no worker and goes on when the gateway has called back for all tasks',
      },
    ],
    default: 'poll',
    description: 'How to wait',
  },
  {
    displayName: 'Submit the tasks with the option Call Back This Execution. A callback that is lost is caught by the limit below: the items then carry the last known state.',
    name: 'suspendNotice',
    type: 'notice',
    default: '',
    displayOptions: { show: { waitBy: ['suspend'] } },
  },
  {
    displayName: 'Suspend at Most (Hours)',
    name: 'suspendHours',
    type: 'number',
    typeOptions: { minValue: 0, maxValue: LONGEST_PARK_HOURS },
    default: 24,
    description: 'After this time the items go on with the last known state of their tasks',
    displayOptions: { show: { waitBy: ['suspend'] } },
  },
];

function parkHoursOf(item: Item): number {
  const options = { suspendHours: item.get('suspendHours', 24) } as Item['options'];
  return clean({ ...item, options }, ({ number }) => number('suspendHours', 'Suspend at Most (Hours)', 0, LONGEST_PARK_HOURS) ?? 24);
}

/** Waits until tasks have ended: all of all items together, as long as the slowest takes. */
export const awaitTasks: Operation<Plan> = {
  properties: underOperation('task', ['await'], [taskId, ...waitUntil, awaitOptions]),
  plan: (item) => ({
    ids: taskIdsOf(item),
    delivery: deliveryOf(item),
    patience: patienceOf(item),
    cancelOnStop: cancelOnStopOf(item),
    ...(item.get('waitBy', 'poll') === 'suspend' && { parkHours: parkHoursOf(item) }),
  }),
  perform: ({ ids, delivery, patience, parkHours, cancelOnStop }, run) =>
    forEachId(ids, async (id) => {
      const found = await getTask(run.door, id);
      if (parkHours !== undefined)
        return hasEnded(found) ? await deliver(found, delivery, run) : await parkedItem(found, parkHours, delivery.simplify, run);
      const wait = awaitTask(run.door, found, patience, run.siblings);
      const task = await cancelledOnStop(wait, id, cancelOnStop, run);
      assertDelivered(task);
      return await deliver(task, delivery, run);
    }),
};
