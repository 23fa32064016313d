import { systemClock } from '../../nodes/n8n/systemClock';

/** How many times as fast the clock of the nodes runs. */
const SPEED = 10;

/**
 * A test for which the clock of the nodes runs ten times as fast: delays between retries and polls take
 * a tenth of their time. Servers take as long as ever, so it is for tests that neither count
 * milliseconds nor have limits of less than some seconds.
 */
export const onFastClock =
	<Row extends unknown[]>(test: (...row: Row) => Promise<void>) =>
	async (...row: Row): Promise<void> => {
		const original = { ...systemClock };
		const startedAt = original.now();
		systemClock.now = () => startedAt + (original.now() - startedAt) * SPEED;
		systemClock.after = (ms, callback, options) => original.after(ms / SPEED, callback, options);
		try {
			await test(...row);
		} finally {
			Object.assign(systemClock, original);
		}
	};
