import { Readable } from 'node:stream';
import { guardFile, type FileStream } from '../../nodes/n8n/binary/fileGuard';
import { systemClock } from '../../nodes/n8n/systemClock';
import { catchError } from '../support/gatewayClient';

const HUNDRED_MB = Buffer.alloc(100_000_000);

/** Reads a body without an end through the guard. Gives its error, and whether its connection was closed. */
async function readEndless(piece: Buffer, { isInMemory = false, ...given } = {} as Limits) {
	const body = Readable.from(
		(async function* () {
			for (;;) {
				await new Promise(setImmediate);
				yield piece;
			}
		})(),
	) as unknown as FileStream;
	const file = guardFile(body, {
		refuses: 'pages',
		silenceMs: 1e9,
		...given,
		isInMemory: async () => isInMemory,
		onError: (error) => error,
	});
	let bytes = 0;
	const reading = (async () => {
		for await (const { length } of file) bytes += length;
	})();
	const error = await catchError(reading);
	return { error, bytes, isClosed: (body as unknown as Readable).destroyed };
}
interface Limits {
	longestInMemory?: number;
	isInMemory?: boolean;
	size?: number;
}

describe('a file without an end', () => {
	it('ends at a size that no result has', async () => {
		const { error, bytes, isClosed } = await readEndless(HUNDRED_MB);

		expect(error).toMatchObject({
			code: 'download_failed',
			message: 'The file has more than 10000 MB',
		});
		expect([bytes, isClosed]).toEqual([10_000_000_000, true]);
	});

	it('ends after six hours, however large it is', async () => {
		const original = systemClock.after;
		systemClock.after = (ms, callback, more) => original(ms / 100_000, callback, more);
		const { error, isClosed } = await readEndless(Buffer.alloc(1_000)).finally(
			() => (systemClock.after = original),
		);

		expect(error).toMatchObject({
			code: 'download_failed',
			message: 'The file had not ended after six hours',
		});
		expect(isClosed).toBe(true);
	});

	it('ends earlier where n8n would keep it in memory, whatever size is stated', async () => {
		const limit = { longestInMemory: 20_000_000 };
		const inMemory = await readEndless(Buffer.alloc(1_000_000), { ...limit, isInMemory: true });
		const onDisk = await readEndless(HUNDRED_MB, limit);
		const stated = await readEndless(HUNDRED_MB, { ...limit, isInMemory: true, size: 30_000_000 });

		expect(inMemory.error.message).toContain('more than 20 MB, and this n8n keeps files in memory');
		expect(inMemory.bytes).toBe(20_000_000);
		expect(onDisk.bytes).toBe(10_000_000_000);
		expect([stated.error.message, stated.bytes]).toEqual([inMemory.error.message, 0]);
	});
});
