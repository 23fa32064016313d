import { median, rounded, type Measure } from './result';
import { stage, type Play, type Played } from './benchHost';
import { flow } from './workflows/flow';
import { batching, httpChat } from './workflows/http';
import { chat, image } from './workflows/ours';

const CHATS = 60;
const CHAT_MS = 300;
const ALLOWED = 10;
const ROUNDS = 3;
/** As many as are allowed, once a second: the largest batches that HTTP Request can be told and never be refused here. */
const EVERY_MS = 1_000;

const rows = Array.from({ length: CHATS }, (_, row) => ({ prompt: `Row ${row}` }));

interface Tally extends Played {
	finished: number;
	refusals: number;
}

/** More work than the gateway takes at a time. */
export const limit: Measure = {
	name: 'limit',
	async run() {
		const standing = await stage();
		const { sandbox } = standing;
		sandbox.settings.chatMs = CHAT_MS;
		const contenders: { label: string; play: Play }[] = [
			{
				label: 'Generation Gateway, as it comes',
				play: await standing.rehearse(flow('oursLimit', 'allEntries', chat())),
			},
			{
				label: 'Generation Gateway, Concurrency 50',
				play: await standing.rehearse(flow('oursLimit50', 'allEntries', chat({ concurrency: 50 }))),
			},
			{
				label: 'HTTP Request, all at once',
				play: await standing.rehearse(flow('httpLimit', 'allEntries', httpChat(sandbox))),
			},
			{
				label: `HTTP Request, Batching ${ALLOWED} every ${EVERY_MS / 1000} s`,
				play: await standing.rehearse(
					flow('httpBatching', 'allEntries', httpChat(sandbox, batching(ALLOWED, EVERY_MS))),
				),
			},
		];
		const tallies = contenders.map((): Tally[] => []);
		for (const { play } of contenders) await play(rows.slice(0, 2));
		sandbox.settings.concurrencyLimit = ALLOWED;
		for (let round = 0; round < ROUNDS; round += 1)
			for (const [at, { play }] of contenders.entries()) {
				const played = await play(rows);
				const refusals = sandbox.requests.filter(({ status }) => status === 429).length;
				tallies[at]!.push({
					...played,
					refusals,
					finished: sandbox.requests.filter(({ status }) => status === 200).length,
				});
			}
		sandbox.settings.concurrencyLimit = Infinity;
		const tasks = await tasksUnderLimit();

		const best = (CHATS / ALLOWED) * (CHAT_MS / 1000);
		const figures = contenders.map(({ label }, at) => {
			const of = (pick: (tally: Tally) => number) => median(tallies[at]!.map(pick));
			const finished = of((tally) => tally.finished);
			return {
				label,
				finished,
				failed: CHATS - finished,
				refusals: of((tally) => tally.refusals),
				seconds: of(({ ms }) => ms) / 1000,
			};
		});
		return {
			name: 'limit',
			title: `${CHATS} calls where ${ALLOWED} at a time are allowed`,
			says: [
				`${CHATS} chats of ${CHAT_MS} ms through a gateway that answers 429 with Retry-After: 1 to every call beyond ${ALLOWED} at a time, so that nobody can be done before ${rounded(best)} s. ` +
					`HTTP Request runs as it comes, all rows at once, and with its option Batching at ${ALLOWED} rows every second; rows that are refused go on with their error.`,
				`The node is not told the limit: each refusal takes its place among the calls away, so that as many remain as were accepted. Without that, every refusal made way for the next call to be refused, and it took 3.1 x what the limit allows. ` +
					'With 50 at a time, 40 are refused first and stay away for the second that Retry-After asks for; after 0.6 s nothing else is left to send, so 2.2 s is the least for whoever obeys.',
				`And ${TASKS} tasks of 3 s under the same limit, submitted and awaited in one run: ${rounded(tasks.seconds)} s, ${tasks.failed} failed.`,
			],
			tables: [
				{
					columns: ['Contender', 'Finished', 'Failed', 'Refusals', 'Time (s)', 'x the limit'],
					rows: figures.map(({ label, finished, failed, refusals, seconds }) => [
						label,
						finished,
						failed,
						refusals,
						rounded(seconds),
						rounded(seconds / best),
					]),
				},
			],
			targets: [
				{ says: 'Items failed', value: figures[0]!.failed, most: 0, unit: 'items' },
				{
					says: 'Items failed at Concurrency 50',
					value: figures[1]!.failed,
					most: 0,
					unit: 'items',
				},
				{
					says: 'Time against what the limit allows',
					value: rounded(figures[0]!.seconds / best),
					most: 1.2,
					unit: 'x',
				},
				{
					says: `Tasks failed, of ${TASKS} under the limit`,
					value: tasks.failed,
					most: 0,
					unit: 'tasks',
				},
			],
			plots: [
				{
					kind: 'bars',
					name: 'limit',
					title: `${CHATS} chats, ${ALLOWED} at a time allowed: time (finished of ${CHATS})`,
					unit: 'seconds',
					bars: figures.map(({ label, finished, seconds }, at) => ({
						label: `${label} (${finished})`,
						value: rounded(seconds),
						isOurs: at < 2,
					})),
					limit: { label: 'the limit', value: best },
				},
			],
		};
	},
};

const TASKS = 60;

/** Tasks take their time at the gateway, not in calls, so the limit of calls should not show. */
async function tasksUnderLimit(): Promise<{ seconds: number; failed: number }> {
	const standing = await stage();
	const { settings } = standing.sandbox;
	const play = await standing.rehearse(flow('oursTasksLimit', 'allEntries', image()));
	Object.assign(settings, { taskMs: 3_000, concurrencyLimit: ALLOWED });
	const { ms, items } = await play(rows.slice(0, TASKS));
	settings.concurrencyLimit = Infinity;
	return {
		seconds: ms / 1000,
		failed: TASKS - items.filter(({ status }) => status === 'completed').length,
	};
}
