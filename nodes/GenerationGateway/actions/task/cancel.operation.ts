import { cancelTask } from '../../../gateway/tasks/api';
import { cancelOptions } from '../../tasks/parameters';
import { createTaskOperation } from '../../tasks/taskOperation';

/** POST /v1/tasks/{task_id}/cancel: the hold of an unfinished task is refunded in full. */
export const cancel = createTaskOperation(cancelTask, cancelOptions);
