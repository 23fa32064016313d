import { median, round, type Measure } from './result';
import { getBenchHost, type RunWorkflow, type WorkflowRun } from './benchHost';
import { createFlow } from './workflows/flow';
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
	run: RunWorkflow;
}

async function runInTurn(
	contenders: Contender[],
	rounds: number,
	count: number,
): Promise<WorkflowRun[][]> {
	const all = contenders.map((): WorkflowRun[] => []);
	for (let round = 0; round < rounds; round += 1)
		for (const [at, { run }] of contenders.entries()) all[at]!.push(await run(rows(count)));
	return all;
}

/** Chats, and embeddings by the thousand. */
export const text: Measure = {
	name: 'writing',
	async run() {
		const benchHost = await getBenchHost();
		const { sandbox } = benchHost;
		sandbox.settings.chatMs = CHAT_MS;
		const createContender = async (
			label: string,
			name: string,
			answer: 'allEntries' | 'noData',
			node: Parameters<typeof createFlow>[2],
		): Promise<Contender> => ({
			label,
			run: await benchHost.deploy(createFlow(name, answer, node)),
		});
		const contenders = [
			await createContender(
				`Generation Gateway, Concurrency ${CONCURRENCY}`,
				'oursChat',
				'allEntries',
				chat({ concurrency: CONCURRENCY }),
			),
			await createContender(
				`HTTP Request, ${CONCURRENCY} at a time`,
				'httpChat',
				'allEntries',
				httpChat(sandbox, batching(CONCURRENCY, CHAT_MS)),
			),
			await createContender('OpenAI node', 'openAiChat', 'allEntries', openAiChat()),
			await createContender(
				'Generation Gateway, Concurrency 40',
				'oursChat40',
				'allEntries',
				chat({ concurrency: CHATS }),
			),
			await createContender(
				'HTTP Request, all at once',
				'httpChat40',
				'allEntries',
				httpChat(sandbox),
			),
		];
		for (const { run } of contenders) await run(rows(2));
		const times = (await runInTurn(contenders, ROUNDS, CHATS)).map(
			(runs) => median(runs.map(({ ms }) => ms)) / 1000,
		);
		const [ours, http, openAi, ours40, http40] = times as [number, number, number, number, number];

		sandbox.settings.chatMs = 0;
		const embedders = [
			await createContender('Generation Gateway', 'oursEmbed', 'noData', embedding()),
			await createContender(
				'HTTP Request, all at once',
				'httpEmbed',
				'noData',
				httpEmbedding(sandbox),
			),
		];
		for (const { run } of embedders) await run(rows(2));
		const embedded = (await runInTurn(embedders, 1, TEXTS)).map(([runs]) => runs!);

		return {
			name: 'writing',
			title: `${CHATS} chats, and ${TEXTS.toLocaleString('en')} embeddings`,
			description: [
				`${CHATS} chats of ${CHAT_MS} ms each on the chat completions endpoint. The OpenAI node takes one row after the other. ` +
					`HTTP Request has no limit of calls under way: its option Batching, ${CONCURRENCY} rows every ${CHAT_MS} ms, is the nearest to Concurrency ${CONCURRENCY} here. Without the option all ${CHATS} go at once, as they do here with Concurrency ${CHATS}, or unless it is set. ` +
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
						round(times[at]!),
						`${round(times[at]! / (at < 3 ? ours : ours40))} x`,
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
						round(embedded[at]!.ms / 1000),
						Math.round(embedded[at]!.growth),
					]),
				},
			],
			targets: [
				{
					description: 'OpenAI node against ours',
					value: round(openAi / ours),
					least: 8,
					unit: 'x',
				},
				{
					description: `Ours against HTTP Request, ${CONCURRENCY} at a time`,
					value: round(ours / http),
					most: 1.15,
					unit: 'x',
				},
				{
					description: 'Ours against HTTP Request, all at once',
					value: round(ours40 / http40),
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
						value: round(times[at]!),
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
						value: round(embedded[at]!.ms / 1000),
						isOurs: at === 0,
					})),
				},
			],
		};
	},
};
