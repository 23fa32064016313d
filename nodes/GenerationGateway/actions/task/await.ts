import { awaitTask, type Patience } from '../../../transport/await';
import { getTask } from '../../../transport/tasks';
import { assertDelivered, deliver } from '../../generation/deliver';
import { forEachId, taskIdsOf } from '../../generation/ids';
import { awaitOptions, taskId } from '../../generation/options';
import { deliveryOf, patienceOf, type Delivery } from '../../generation/plan';
import { underOperation, type Operation } from '../../operation';

interface Plan {
  ids: string[];
  delivery: Delivery;
  patience: Patience;
}

/** Waits until tasks have ended: all of all items together, as long as the slowest takes. */
export const awaitTasks: Operation<Plan> = {
  properties: underOperation('task', ['await'], [taskId, awaitOptions]),
  plan: (item) => ({ ids: taskIdsOf(item), delivery: deliveryOf(item), patience: patienceOf(item) }),
  perform: ({ ids, delivery, patience }, run) =>
    forEachId(ids, async (id) => {
      const task = await awaitTask(run.door, await getTask(run.door, id), patience, run.durations);
      assertDelivered(task);
      return await deliver(task, delivery, run);
    }),
};
