import { median, rounded, type Measure } from './result';
import { stage, type Play, type Played } from './benchHost';
import { flow } from './workflows/flow';
import { batching, httpChat, httpEmbedding } from './workflows/http';
import { openAiChat } from './workflows/others';
import { chat, embedding } from './workflows/ours';

const CHATS = 40;
const CHAT_MS = 300;
const CONCURRENCY = 20;
const ROUNDS = 5;
const TEXTS = 10_000;

const rows = (count: number) =>
	Array.from({ length: count }, (_, row) => ({ prompt: `Row ${row} of the catalogue` }));

interface Contender {
	label: string;
	play: Play;
}

async function inTurn(contenders: Contender[], rounds: number, count: number): Promise<Played[][]> {
	const all = contenders.map((): Played[] => []);
	for (let round = 0; round < rounds; round += 1)
		for (const [at, { play }] of contenders.entries()) all[at]!.push(await play(rows(count)));
	return all;
}

/** Chats, and embeddings by the thousand. */
export const writing: Measure = {
	name: 'writing',
	async run() {
		const standing = await stage();
		const { sandbox } = standing;
		sandbox.settings.chatMs = CHAT_MS;
		const on = async (
			label: string,
			name: string,
			answer: 'allEntries' | 'noData',
			node: Parameters<typeof flow>[2],
		): Promise<Contender> => ({ label, play: await standing.rehearse(flow(name, answer, node)) });
		const contenders = [
			await on('Generation Gateway', 'oursChat', 'allEntries', chat({ concurrency: CONCURRENCY })),
			await on(
				`HTTP Request, ${CONCURRENCY} at a time`,
				'httpChat',
				'allEntries',
				httpChat(sandbox, batching(CONCURRENCY, CHAT_MS)),
			),
			await on('OpenAI node', 'openAiChat', 'allEntries', openAiChat()),
			await on(
				'Generation Gateway, Concurrency 40',
				'oursChat40',
				'allEntries',
				chat({ concurrency: CHATS }),
			),
			await on('HTTP Request, all at once', 'httpChat40', 'allEntries', httpChat(sandbox)),
		];
		for (const { play } of contenders) await play(rows(2));
		const times = (await inTurn(contenders, ROUNDS, CHATS)).map(
			(played) => median(played.map(({ ms }) => ms)) / 1000,
		);
		const [ours, http, openAi, ours40, http40] = times as [number, number, number, number, number];

		sandbox.settings.chatMs = 0;
		const embedders = [
			await on('Generation Gateway', 'oursEmbed', 'noData', embedding()),
			await on('HTTP Request, all at once', 'httpEmbed', 'noData', httpEmbedding(sandbox)),
		];
		for (const { play } of embedders) await play(rows(2));
		const embedded = (await inTurn(embedders, 1, TEXTS)).map(([played]) => played!);

		return {
			name: 'writing',
			title: `${CHATS} chats, and ${TEXTS.toLocaleString('en')} embeddings`,
			says: [
				`${CHATS} chats of ${CHAT_MS} ms each on the chat completions endpoint. The OpenAI node takes one row after the other. ` +
					`HTTP Request has no limit of calls under way: its option Batching, ${CONCURRENCY} rows every ${CHAT_MS} ms, is the nearest to it, and without the option all ${CHATS} go at once, as they do here with Concurrency ${CHATS}. ` +
					`Nobody can be faster than ${(CHATS / CONCURRENCY) * CHAT_MS} ms with ${CONCURRENCY} at a time and ${CHAT_MS} ms with all at once.`,
				`${TEXTS.toLocaleString('en')} rows, each a text to embed: this node puts 100 texts into a request unless told otherwise, HTTP Request one.`,
			],
			tables: [
				{
					columns: [
						`${CHATS} chats of ${CHAT_MS} ms`,
						'Time (s)',
						'Ours at the same concurrency is faster by',
					],
					rows: contenders.map(({ label }, at) => [
						label,
						rounded(times[at]!),
						`${rounded(times[at]! / (at < 3 ? ours : ours40))} x`,
					]),
				},
				{
					columns: [
						`${TEXTS.toLocaleString('en')} embeddings`,
						'Requests',
						'Time (s)',
						'Growth of n8n at most (MB)',
					],
					rows: embedders.map(({ label }, at) => [
						label,
						embedded[at]!.requests,
						rounded(embedded[at]!.ms / 1000),
						Math.round(embedded[at]!.growth),
					]),
				},
			],
			targets: [
				{ says: 'OpenAI node against ours', value: rounded(openAi / ours), least: 8, unit: 'x' },
				{
					says: `Ours against HTTP Request, ${CONCURRENCY} at a time`,
					value: rounded(ours / http),
					most: 1.15,
					unit: 'x',
				},
				{
					says: 'Ours against HTTP Request, all at once',
					value: rounded(ours40 / http40),
					most: 1.15,
					unit: 'x',
				},
			],
			plots: [
				{
					kind: 'bars',
					name: 'chats',
					title: `${CHATS} chats of ${CHAT_MS} ms: total time`,
					unit: 'seconds',
					bars: contenders.map(({ label }, at) => ({
						label,
						value: rounded(times[at]!),
						isOurs: label.startsWith('Generation'),
					})),
				},
				{
					kind: 'bars',
					name: 'embeddings',
					title: `${TEXTS.toLocaleString('en')} embeddings: total time (requests)`,
					unit: 'seconds',
					bars: embedders.map(({ label }, at) => ({
						label: `${label} (${embedded[at]!.requests})`,
						value: rounded(embedded[at]!.ms / 1000),
						isOurs: at === 0,
					})),
				},
			],
		};
	},
};
