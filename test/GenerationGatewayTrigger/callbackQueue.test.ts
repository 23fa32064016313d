import { CallbackQueue } from '../../nodes/GenerationGatewayTrigger/callbackQueue';
import { systemClock } from '../../nodes/n8n/systemClock';
import { VirtualClock } from '../support/virtualClock';

let clock: VirtualClock;
let queue: CallbackQueue;
beforeEach(() => {
	clock = new VirtualClock();
	jest.spyOn(systemClock, 'now').mockImplementation(() => clock.now());
	jest.spyOn(systemClock, 'after').mockImplementation((ms, callback) => clock.after(ms, callback));
	queue = new CallbackQueue();
});
afterEach(() => jest.restoreAllMocks());

const settle = async () => await new Promise((done) => setImmediate(done));
/** Callbacks whose work ends when told, in the order in which it began. */
function take(count: number, startsRun = false) {
	const working: Array<() => void> = [];
	const answers: Array<string | undefined> = [];
	for (let at = 0; at < count; at += 1)
		void queue
			.take(
				async () => await new Promise<string>((done) => working.push(() => done('done'))),
				() => startsRun,
			)
			.then((answer) => answers.push(answer));
	return { working, answers };
}

it('works on twenty callbacks at once, then on the next in order of arrival', async () => {
	const { working, answers } = take(25);
	expect(working).toHaveLength(20);
	working[3]!();
	await settle();

	expect(answers).toEqual(['done']);
	expect(working).toHaveLength(21);
});

it('lets a hundred more wait, and gives up those that come beyond at once', async () => {
	const { answers } = take(20 + 100 + 7);
	await settle();

	expect(answers).toEqual(Array(7).fill(undefined));
});

it('frees the place of a callback that failed', async () => {
	for (let at = 0; at < 30; at += 1)
		await queue
			.take(
				async () => await Promise.reject(new Error('no')),
				() => false,
			)
			.catch(() => undefined);

	expect(take(1).working).toHaveLength(1);
});

it('goes on when a run has begun, so that no more are started than n8n begins', async () => {
	queue.beginRun();
	const { working, answers } = take(21, true);
	for (const done of working.slice(0, 20)) done();
	await settle();
	expect(answers).toHaveLength(20);
	expect(working).toHaveLength(20);
	queue.beginRun();
	await settle();

	expect(working).toHaveLength(21);
});

it.each([
	['half a minute for a run that does not begin', true, 30_000],
	['a second where runs begin in workers', false, 1_000],
])('waits no longer than %s', async (_name, hasBegun, ms) => {
	if (hasBegun) queue.beginRun();
	const { working } = take(21, true);
	for (const done of working.slice(0, 20)) done();
	await settle();
	await clock.run(clock.sleep(ms - 1));
	expect(working).toHaveLength(20);
	await clock.run(clock.sleep(2));
	await settle();

	expect(working).toHaveLength(21);
});
