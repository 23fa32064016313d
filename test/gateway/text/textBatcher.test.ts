import { TextBatcher } from '../../../nodes/gateway/text/textBatcher';
import { VirtualClock } from '../../support/virtualClock';

/** Adds `word0 word1 …` a fixed time apart and notes when each piece was handed on, in milliseconds. */
async function write(words: number, apartMs: number) {
	const clock = new VirtualClock();
	const startedAt = clock.now();
	const heard: { at: number; text: string }[] = [];
	const batcher = new TextBatcher(clock, (text) =>
		heard.push({ at: clock.now() - startedAt, text }),
	);
	await clock.run(
		(async () => {
			for (let word = 0; word < words; word += 1) {
				batcher.add(`word${word} `);
				await clock.sleep(apartMs);
			}
		})(),
	);
	return { clock, heard, batcher };
}

const toText = (words: number) =>
	Array.from({ length: words }, (_, word) => `word${word} `).join('');

it('hands on the first word at once', async () => {
	const { heard } = await write(1, 0);

	expect(heard).toEqual([{ at: 0, text: 'word0 ' }]);
});

it('hands on each word at once where they come slowly', async () => {
	const { heard } = await write(5, 10);

	expect(heard.map(({ at }) => at)).toEqual([0, 10, 20, 30, 40]);
});

it('joins what comes within 10 ms, and loses none of it', async () => {
	const { heard, batcher } = await write(1_000, 1);
	batcher.flush();

	expect(heard.length).toBeLessThanOrEqual(101);
	expect(heard.map(({ text }) => text).join('')).toBe(toText(1_000));
});

it('does not let the last word wait for another one', async () => {
	const { clock, heard } = await write(2, 1);
	await clock.run(clock.sleep(1_000));

	expect(heard).toEqual([
		{ at: 0, text: 'word0 ' },
		{ at: 10, text: 'word1 ' },
	]);
});

it('hands on what waits when it is flushed, and nothing afterwards', async () => {
	const { clock, heard, batcher } = await write(2, 1);
	batcher.flush();
	batcher.flush();
	await clock.run(clock.sleep(1_000));

	expect(heard.map(({ text }) => text)).toEqual(['word0 ', 'word1 ']);
});

it.each([0, 1, 50])(
	'hands on whole characters, though their halves come %s ms apart',
	async (ms) => {
		const { clock, heard, batcher } = await write(0, 0);
		for (const piece of ['a\ud83d', '\ude00b', '\ud83d']) {
			batcher.add(piece);
			await clock.run(clock.sleep(ms));
		}
		const endsInHalf = ({ text }: { text: string }) => /[\ud800-\udbff]$/.test(text);
		expect(heard.some(endsInHalf)).toBe(false);
		batcher.flush();

		expect(heard.map(({ text }) => text).join('')).toBe('a😀b\ud83d');
	},
);
