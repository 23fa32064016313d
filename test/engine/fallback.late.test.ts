import type { IDataObject } from 'n8n-workflow';
import { systemClock } from '../../nodes/n8n/systemClock';
import { onFastClock } from '../support/fastClock';
import { modelId, NODE, useGateway } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
beforeEach(restartProcess);
const FIRST = 'imgn-4.0';
const SECOND = 'qwn-image-2.0';
const withFallback = (options: IDataObject = {}) => ({
	model: modelId(FIRST),
	prompt: 'a kite',
	options: { fallbackModels: SECOND, ...options },
});

describe('a task that has not ended in time', () => {
	it('is cancelled before the next model is asked', async () => {
		gateway.sandbox.settings.taskMs = ({ model }) => (model === FIRST ? Infinity : 20);
		const run = await gateway.run('image:generate', withFallback({ timeout: 1 }));

		expect(run.json(NODE)).toMatchObject([
			{ model: SECOND, fallback_reason: expect.stringContaining('had not ended after 1 s') },
		]);
		expect(gateway.sandbox.tasks().map(({ status }) => status)).toEqual(['cancelled', 'completed']);
	});

	it('is not late with Max Wait 0, which waits for none', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const run = await gateway.run('image:generate', withFallback({ timeout: 0 }));

		expect(run.json(NODE)).toEqual([expect.objectContaining({ model: FIRST, status: 'queued' })]);
		expect(gateway.sandbox.tasks()).toHaveLength(1);
	});

	it('is left alone where another execution has made it, and no other model is asked', async () => {
		gateway.sandbox.settings.taskMs = Infinity;
		const shared = withFallback({ idempotencyKey: 'late row', timeout: 1 });
		await gateway.run('image:generate', { ...shared, wait: 'none' });
		const run = await gateway.run('image:generate', shared);

		expect(run.json(NODE)).toMatchObject([{ model: FIRST, reused: true }]);
		expect(gateway.sandbox.tasks()).toEqual([expect.not.objectContaining({ status: 'cancelled' })]);
	});

	it(
		'is given soon after Max Wait where its cancellation is refused',
		onFastClock(async () => {
			gateway.sandbox.settings.taskMs = Infinity;
			gateway.sandbox.faults.add({
				match: { method: 'POST', path: /cancel/ },
				times: 99,
				kind: { status: 429, retryAfter: '300' },
			});
			const startedAt = systemClock.now();
			const run = await gateway.run('image:generate', withFallback({ timeout: 10 }));

			// A busy machine may not have polled it since it was queued.
			const status = expect.stringMatching(/^(queued|processing)$/);
			expect(run.json(NODE)).toMatchObject([{ model: FIRST, status }]);
			expect(systemClock.now() - startedAt).toBeLessThan(150_000);
		}),
	);

	it.each([
		['refusal', { status: 'error', error: { message: 'already completed' } }],
		['success', { status: 'success' }],
	])(
		'is given where only the answer to its cancellation can be read, and that is a %s',
		onFastClock(async (_name, answer) => {
			stub.answer = (response, { model }, { method, url = '', headers }) => {
				if (url.endsWith('/cancel')) return json(response, { task_id: 'task_1', ...answer });
				if (method === 'GET' || headers.prefer) return json(response, {}, 500);
				json(response, { task_id: 'task_1', model, status: 'queued', pre_consumed_cost: 5 });
			};
			const run = await stub.run('image:generate', withFallback({ output: 'links', timeout: 2 }));

			expect(run.json(NODE)).toMatchObject([{ model: FIRST, status: 'queued' }]);
			expect(stub.bodies.filter(({ model }) => model === SECOND)).toEqual([]);
		}),
	);
});
