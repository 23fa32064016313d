import { CALLS, isOfTasks } from './calls';
import { describeMatrix } from './matrix';

describe('all other calls under every fault at every moment', () => {
	describeMatrix(CALLS.filter((row) => !isOfTasks(row)));
});
