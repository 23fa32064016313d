import { logProgress } from '../../nodes/GenerationGateway/progressLog';
import type { Run } from '../../nodes/GenerationGateway/operation';
import { VirtualClock } from '../support/virtualClock';

/** A run of some items on virtual time, and what it has logged. */
function createRun(itemCount: number) {
	const clock = new VirtualClock();
	const lines: string[] = [];
	const client = { context: { clock }, waitsUntil: 0 };
	const context = { logger: { info: (line: string) => lines.push(line) } };
	return { clock, lines, client, run: { client, context, itemCount } as unknown as Run };
}

describe('what n8n logs of a run', () => {
	it('says every 30 s how far it is', async () => {
		const { clock, lines, run } = createRun(20);
		const progress = logProgress(run);
		await clock.run(clock.sleep(29_000));
		expect(lines).toEqual([]);
		for (let done = 0; done < 12; done += 1) progress.count();
		await clock.run(clock.sleep(33_000));

		expect(lines).toEqual([
			'Generation Gateway: 12 of 20 done after 30 s',
			'Generation Gateway: 12 of 20 done after 60 s',
		]);
	});

	it('says until when it waits for the rate limit, while it does', async () => {
		const { clock, client, lines, run } = createRun(2);
		logProgress(run);
		client.waitsUntil = clock.now() + 45_000;
		await clock.run(clock.sleep(61_000));

		expect(lines).toEqual([
			expect.stringMatching(
				/^Generation Gateway: 0 of 2 done after 30 s, waiting for the rate limit until \d\d:\d\d:\d\d$/,
			),
			'Generation Gateway: 0 of 2 done after 60 s',
		]);
	});

	it('ends with the run', async () => {
		const { clock, lines, run } = createRun(1);
		logProgress(run).stop();
		await clock.run(clock.sleep(100_000));

		expect(lines).toEqual([]);
	});
});
