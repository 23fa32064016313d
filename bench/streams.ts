import { readLoad } from '../scripts/processLoad';
import { getBenchHost, type BenchHost } from './benchHost';
import { median, round, type Measure, type Result } from './result';
import { readStreamedAnswer } from './streamClient';
import {
	agentWithOpenAi,
	agentWithOurModel,
	createStreamFlow,
	pipe,
	streamedChat,
} from './workflows/streams';

const THINKING_MS = 200;
const FIRST_WORDS = 20;
const SECONDS = 6;
const CHUNKS = SECONDS * 1000;
const ROUNDS = 5;

interface Contender {
	label: string;
	url: string;
	/** Milliseconds from the gateway's first chunk to the first word at the client. */
	firstWords: number[];
	/** Processor seconds of n8n while the stream of 1,000 chunks a second ran, less those of an idle n8n. */
	cpu: number[];
	/** Lines to the client, of the last stream. */
	lines: number;
	/** Seconds the stream took, the longest. */
	seconds: number;
}

async function measureFirstWord({ sandbox }: BenchHost, contender: Contender): Promise<void> {
	Object.assign(sandbox.settings, { chatMs: THINKING_MS, chunkMs: 1 });
	sandbox.requests.length = 0;
	const { firstWordAt } = await readStreamedAnswer(contender.url, '[long 20]');
	contender.firstWords.push(firstWordAt - sandbox.requests[0]!.firstEventAt!);
}

async function measureProcessor(
	{ sandbox, host }: BenchHost,
	contender: Contender,
	restingLoad: number,
): Promise<void> {
	Object.assign(sandbox.settings, { chatMs: 0, chunkMs: 1 });
	const before = await readLoad(host.processId);
	const startedAt = performance.now();
	const { lines, text } = await readStreamedAnswer(contender.url, `[long ${CHUNKS}]`);
	const seconds = (performance.now() - startedAt) / 1000;
	if (!text.includes(`word${CHUNKS}`)) throw new Error(`${contender.label} lost the last word`);
	const used = (await readLoad(host.processId)).cpuSeconds - before.cpuSeconds;
	contender.cpu.push(used - restingLoad * seconds);
	contender.lines = lines;
	contender.seconds = Math.max(contender.seconds, seconds);
}

/** Processor seconds that n8n takes in a second without work. */
async function measureResting({ host }: BenchHost): Promise<number> {
	const before = await readLoad(host.processId);
	await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
	return ((await readLoad(host.processId)).cpuSeconds - before.cpuSeconds) / SECONDS;
}

const NODES = [
	['Generation Gateway, Text > Chat', 'oursStream', () => streamedChat()],
	['Pipe: each piece passed on unread', 'pipeStream', pipe],
	['AI Agent, Generation Gateway Chat Model', 'oursAgent', () => agentWithOurModel()],
	['AI Agent, OpenAI Chat Model', 'openAiAgent', () => agentWithOpenAi()],
] as const;

/** Answers that the client of a workflow sees while they are written. */
export const streams: Measure = {
	name: 'streams',
	async run() {
		const benchHost = await getBenchHost();
		const contenders: Contender[] = [];
		for (const [label, name, createNode] of NODES) {
			const url = await benchHost.publish(createStreamFlow(name, createNode(benchHost.sandbox)));
			contenders.push({ label, url, firstWords: [], cpu: [], lines: 0, seconds: 0 });
			await readStreamedAnswer(url, `[long ${CHUNKS}]`);
		}
		for (let at = 0; at < FIRST_WORDS; at += 1)
			for (const contender of contenders) await measureFirstWord(benchHost, contender);
		const restingLoad = await measureResting(benchHost);
		for (let at = 0; at < ROUNDS; at += 1)
			for (const contender of contenders) await measureProcessor(benchHost, contender, restingLoad);
		return toResult(contenders);
	},
};

/** Milliseconds of processor for 1,000 chunks. */
const toCost = (used: number) => round((used * 1e6) / CHUNKS);
const costOf = ({ cpu }: Contender) => median(cpu);
const worstOf = ({ firstWords }: Contender) => Math.max(...firstWords);
const isOurs = ({ label }: Contender) => label.includes('Generation Gateway');

function toResult(contenders: Contender[]): Result {
	const [ours, piped, oursAgent, openAi] = contenders as [
		Contender,
		Contender,
		Contender,
		Contender,
	];
	return {
		name: 'streams',
		title: 'Streamed answers',
		description: [
			`A workflow that streams: Webhook with Respond: Streaming, and one node. Counted is from the first chunk that the gateway sends to the first word that the client reads, ${FIRST_WORDS} times in turn; and the processor time of n8n while an answer of ${CHUNKS} chunks comes at 1,000 a second, less what an idle n8n takes, ${ROUNDS} times in turn, medians.`,
			"Piping is a node made for this contest. It hands each piece of the response on as it comes from the network and reads none of it, which is the least that a node of n8n can do to stream: a node has no other way to the client than `sendChunk`. The AI Agent is what a user would take instead, with n8n's own model for it on the same gateway.",
			'A profile of n8n under 1,000 chunks a second showed where the time goes: n8n compresses and sends each piece by itself, twice as much as all reading of the answer. So the node sends the first piece at once, and joins what comes within 10 ms of the last one. Before, it took 1.46 x piping, and in an AI Agent 1.4 x the OpenAI Chat Model.',
		],
		tables: [
			{
				columns: [
					'Contender',
					'First word, median (ms)',
					'First word, worst (ms)',
					'Processor (ms per 1,000 chunks)',
					'x piping',
					'Rounds (ms)',
					'Lines to the client',
					'Answer, longest (s)',
				],
				rows: contenders.map((contender) => [
					contender.label,
					round(median(contender.firstWords)),
					worstOf(contender),
					toCost(costOf(contender)),
					round(costOf(contender) / costOf(piped)),
					contender.cpu.map((used) => toCost(used)).join(', '),
					contender.lines,
					round(contender.seconds),
				]),
			},
		],
		targets: [
			{
				description: 'First word at the client after the first chunk, worst',
				value: worstOf(ours),
				most: 50,
				unit: 'ms',
			},
			{
				description: 'The same through an AI Agent, worst',
				value: worstOf(oursAgent),
				most: 50,
				unit: 'ms',
			},
			{
				description: 'Processor at 1,000 chunks a second against piping',
				value: round(costOf(ours) / costOf(piped)),
				most: 1.1,
				unit: 'x',
			},
			{
				description: 'The same in an AI Agent, against its OpenAI Chat Model',
				value: round(costOf(oursAgent) / costOf(openAi)),
				most: 1,
				unit: 'x',
			},
		],
		plots: [
			{
				kind: 'bars',
				name: 'streams',
				title: 'Processor of n8n for 1,000 chunks',
				unit: 'milliseconds',
				bars: contenders.map((contender) => ({
					label: contender.label,
					value: toCost(costOf(contender)),
					isOurs: isOurs(contender),
				})),
				limit: { label: 'piping and 10 %', value: toCost(1.1 * costOf(piped)) },
			},
			{
				kind: 'bars',
				name: 'first-word',
				title: 'First word at the client after the first chunk, worst',
				unit: 'milliseconds',
				bars: contenders.map((contender) => ({
					label: contender.label,
					value: worstOf(contender),
					isOurs: isOurs(contender),
				})),
				limit: { label: 'wanted', value: 50 },
			},
		],
	};
}
