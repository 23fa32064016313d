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
function take(count: number) {
	const working: Array<() => void> = [];
	const answers: Array<string | undefined> = [];
	const work = async () => await new Promise<string>((done) => working.push(() => done('done')));
	for (let at = 0; at < count; at += 1)
		void queue.take(work).then((answer) => answers.push(answer));
	return { working, answers };
}

it('works on twenty callbacks at once, then on the next in order of arrival', async () => {
	const { working, answers } = take(25);
	await settle();
	expect(working).toHaveLength(20);
	working[3]!();
	await settle();

	expect(answers).toEqual(['done']);
	expect(working).toHaveLength(21);
});

it('lets 500 more wait, and gives up those that come beyond at once', async () => {
	const { answers } = take(20 + 500 + 7);
	await settle();

	expect(answers).toEqual(Array(7).fill(undefined));
});

it('frees the place of a callback that failed', async () => {
	const fail = async () => await Promise.reject(new Error('no'));
	for (let at = 0; at < 30; at += 1) await queue.take(fail).catch(() => undefined);

	const { working } = take(1);
	await settle();
	expect(working).toHaveLength(1);
});

/** Gives n8n as many runs as it may have before it begins them. */
let lost: number[];
const fill = () => {
	lost = [];
	for (let at = 0; at < 100; at += 1) queue.addRun(`run ${at}`, () => lost.push(at));
};

it('goes on when a run has begun, so that n8n never has more than a hundred that have not', async () => {
	queue.beginRun('before', true);
	fill();
	const { working } = take(2);
	expect(working).toHaveLength(0);
	queue.beginRun('run 17', true);
	await settle();

	expect(working).toHaveLength(1);
});

it.each([
	['half a minute for a run that does not begin', true, 30_000],
	['a second where runs begin in workers, also after a test in the editor', false, 1_000],
])('waits no longer than %s', async (_name, hasBegun, ms) => {
	queue.beginRun('before', hasBegun);
	fill();
	const { working } = take(1);
	await clock.run(clock.sleep(ms - 1));
	expect(working).toHaveLength(0);
	await clock.run(clock.sleep(2));
	await settle();

	expect(working).toHaveLength(1);
	expect(lost).toHaveLength(hasBegun ? 100 : 0);
});
