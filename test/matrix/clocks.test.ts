import { CALLS } from './calls';
import { describeClocks } from './matrix';

describe('every call and every fault when a clock is wrong:', () => {
	describeClocks(CALLS);
});
