import { wallTime } from '../n8n/systemClock';
import type { Run } from './operation';

const EVERY_MS = 30_000;

/**
 * Logs every 30 s how far a run is. The editor only shows that the node runs. `count` is called for each item
 * that has ended.
 */
export function logProgress({ client, context, itemCount }: Run) {
	const { clock } = client.context;
	const startedAt = clock.now();
	let done = 0;
	let cancel = () => {};
	const report = () => {
		const seconds = Math.round((clock.now() - startedAt) / 1000);
		const waitMs = client.waitsUntil - clock.now();
		const until = new Date(wallTime() + waitMs).toTimeString().slice(0, 8);
		const limited = waitMs > 0 ? `, waiting for the rate limit until ${until}` : '';
		context.logger.info(
			`Generation Gateway: ${done} of ${itemCount} done after ${seconds} s${limited}`,
		);
		plan();
	};
	const plan = () => (cancel = clock.after(EVERY_MS, report));
	plan();
	return { count: () => (done += 1), stop: () => cancel() };
}
