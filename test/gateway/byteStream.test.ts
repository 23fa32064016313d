import { assertRate } from '../../nodes/gateway/byteStream';
import { VirtualClock } from '../support/virtualClock';
import { createBody } from '../support/virtualGateway';

const kilobyte = 'a'.repeat(1_000);
/** So many pieces, each after a delay. */
const paced = (count: number, piece: string, ms: number) =>
	Array.from({ length: count }, () => [ms, piece]).flat();

/** Reads a body to its end, on virtual time; gives the bytes and the seconds. */
async function read(steps: (string | number)[]) {
	const clock = new VirtualClock();
	const startedAt = clock.now();
	let bytes = 0;
	const reading = (async () => {
		const onSlow = () => new Error('too slow');
		for await (const piece of assertRate(clock, createBody(clock, steps).stream, 1_000, onSlow))
			bytes += piece.length;
	})();
	const error = await clock.run(reading).catch(({ message }: Error) => message);
	return { bytes, error, seconds: (clock.now() - startedAt) / 1000 };
}

describe('a body that comes slowly', () => {
	it('ends within about a minute at one byte a second', async () => {
		const { error, seconds } = await read(paced(1_000, 'a', 1_000));

		expect(error).toBe('too slow');
		expect(seconds).toBeLessThanOrEqual(61);
	});

	it('is read as long as it keeps its rate', async () => {
		expect(await read(paced(400, kilobyte, 1_000))).toMatchObject({
			bytes: 400_000,
			error: undefined,
		});
	});

	it('may begin slowly', async () => {
		const steps = [...paced(29, 'a', 1_000), ...paced(60, kilobyte, 900)];
		expect(await read(steps)).toMatchObject({ bytes: 60_029, error: undefined });
	});

	it('may be small', async () => {
		expect(await read(paced(50, 'a', 1_000))).toMatchObject({ bytes: 50, error: undefined });
	});

	it('ends also where it becomes slow later', async () => {
		const { error } = await read([...paced(100, kilobyte, 1_000), ...paced(200, 'a', 1_000)]);
		expect(error).toBe('too slow');
	});
});
