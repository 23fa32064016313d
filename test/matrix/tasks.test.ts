import { CALLS, isOfTasks } from './calls';
import { describeMatrix } from './matrix';

describe('tasks under every fault at every moment', () => {
	describeMatrix(CALLS.filter(isOfTasks));
});
