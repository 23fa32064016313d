import { getTask } from '../../../gateway/tasks/api';
import { deliver } from '../../tasks/toItem';
import { forEachId, taskIdsOf } from '../../tasks/taskIds';
import { lookOptions, taskId } from '../../tasks/properties';
import { deliveryOf, type Delivery } from '../../tasks/planTask';
import { underOperation, type Operation } from '../../operation';

/** GET /v1/tasks/{task_id}: the task as it stands now, whatever its state. */
export const get: Operation<{ ids: string[]; delivery: Delivery }> = {
  properties: underOperation('task', ['get'], [taskId, lookOptions]),
  plan: (item) => ({ ids: taskIdsOf(item), delivery: deliveryOf(item) }),
  perform: ({ ids, delivery }, run) =>
    forEachId(ids, async (id) => await deliver(await getTask(run.door, id), delivery, run)),
};
