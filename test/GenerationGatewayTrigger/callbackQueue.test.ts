import { CallbackQueue } from '../../nodes/GenerationGatewayTrigger/callbackQueue';
import { systemClock } from '../../nodes/n8n/systemClock';

let now: number;
let queue: CallbackQueue;
beforeEach(() => {
	now = 1_000_000;
	jest.spyOn(systemClock, 'now').mockImplementation(() => now);
	queue = new CallbackQueue();
});
afterEach(() => jest.restoreAllMocks());

const take = async () => await queue.take(async () => 'done');
/** Callbacks that are not answered until told. */
function hold(count: number): () => void {
	const finish: Array<() => void> = [];
	for (let at = 0; at < count; at += 1)
		void queue.take(async () => await new Promise<void>((done) => finish.push(done)));
	return () => finish.forEach((done) => done());
}

it('takes a hundred callbacks at once, and no more until one is answered', async () => {
	const finish = hold(100);
	expect(await take()).toBeUndefined();
	finish();
	await Promise.resolve();
	await new Promise((done) => setImmediate(done));

	expect(await take()).toBe('done');
});

it('frees the place of a callback that failed', async () => {
	for (let at = 0; at < 150; at += 1)
		await queue.take(async () => await Promise.reject(new Error('no'))).catch(() => undefined);

	expect(await take()).toBe('done');
});

it('takes no callback while fifty runs wait for n8n to begin them', async () => {
	queue.beginRun();
	for (let run = 0; run < 50; run += 1) queue.addRun();
	expect(await take()).toBeUndefined();
	queue.beginRun();

	expect(await take()).toBe('done');
});

it('waits no longer for a run that does not begin', async () => {
	queue.beginRun();
	for (let run = 0; run < 50; run += 1) queue.addRun();
	now += 30_000;

	expect(await take()).toBe('done');
});

it('waits a moment only for runs that begin elsewhere, in a worker', async () => {
	for (let run = 0; run < 50; run += 1) queue.addRun();
	expect(await take()).toBeUndefined();
	now += 1_000;

	expect(await take()).toBe('done');
});
