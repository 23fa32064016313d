import { getTask } from '../../../gateway/tasks/api';
import { getOptions } from '../../tasks/parameters';
import { createTaskOperation } from '../../tasks/taskOperation';

/** GET /v1/tasks/{task_id}: the current state of a task, ended or not. */
export const get = createTaskOperation(({ client }, id) => getTask(client, id), getOptions);
