import { cancelTask } from '../../../gateway/tasks/api';
import { deliver } from '../../tasks/toItem';
import { forEachId, taskIdsOf } from '../../tasks/taskIds';
import { cancelOptions, taskId } from '../../tasks/properties';
import { deliveryOf, type Delivery } from '../../tasks/planTask';
import { underOperation, type Operation } from '../../operation';

/** POST /v1/tasks/{task_id}/cancel: the hold of an unfinished task is refunded in full. */
export const cancel: Operation<{ ids: string[]; delivery: Delivery }> = {
  properties: underOperation('task', ['cancel'], [taskId, cancelOptions]),
  plan: (item) => ({ ids: taskIdsOf(item), delivery: deliveryOf(item) }),
  perform: ({ ids, delivery }, run) =>
    forEachId(ids, async (id) => await deliver(await cancelTask(run.door, id), delivery, run)),
};
