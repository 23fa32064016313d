import { modelId, useGateway } from '../support/gateway';

const gateway = useGateway({ taskMs: Infinity });
const tasks = () => gateway.sandbox.tasks();

describe('stopping a run', () => {
	const waiting = (cancelOnStop: boolean) => ({
		model: modelId('imgn-4.0'),
		prompt: 'a kite',
		wait: 'poll',
		options: { cancelOnStop },
	});
	const until = async (met: () => boolean) => {
		for (let tries = 0; tries < 300 && !met(); tries += 1)
			await new Promise((done) => void setTimeout(done, 10));
	};

	it.each([
		[true, 'cancelled'],
		[false, 'still running'],
	])('with Cancel Tasks on Stop %s leaves its task %s', async (cancelOnStop, end) => {
		const user = new AbortController();
		const ending = gateway.run('image:generate', waiting(cancelOnStop), {
			engine: { signal: user.signal },
		});
		await until(() => tasks().length === 1);
		await new Promise((done) => void setTimeout(done, 50));
		user.abort();
		const run = await ending;
		await until(() => tasks()[0]!.status === 'cancelled' || !cancelOnStop);

		expect(run.status).not.toBe('success');
		expect(tasks()[0]!.status === 'cancelled').toBe(end === 'cancelled');
	});
});
