import { median, round, type Measure } from './result';
import { createPanels } from './panels';
import { getBenchHost, type RunWorkflow, type WorkflowRun } from './benchHost';
import { createFlow } from './workflows/flow';
import { editFields } from './workflows/others';
import { dryRun } from './workflows/ours';

const COUNTS = [10, 100, 1_000, 10_000];
const ROUNDS = 3;
/** A few items are lost in the noise of a call, so they are sent more often; of their memory nothing can be said. */
const ENOUGH = 1_000;
const MANY_ROUNDS = 15;
const MODELS = [1, 2, 5, 10];

/** A request that is the same for all items. */
const FIXED = '{ "prompt": "a poster", "steps": 20 }';

const rows = (count: number) =>
	Array.from({ length: count }, (_, row) => ({ prompt: `Poster ${row}` }));

interface Cost {
	ms: number;
	kb: number;
}

/** What one item costs, by the number of items: milliseconds and kilobytes beyond a workflow without the node. */
async function measurePerItem(
	run: RunWorkflow,
	runEmpty: RunWorkflow,
	count: number,
): Promise<Cost> {
	const [ownRuns, otherRuns]: [WorkflowRun[], WorkflowRun[]] = [[], []];
	for (let round = 0; round < (count < ENOUGH ? MANY_ROUNDS : ROUNDS); round += 1) {
		otherRuns.push(await runEmpty(rows(count)));
		ownRuns.push(await run(rows(count)));
	}
	const quickest = (runs: WorkflowRun[]) => Math.min(...runs.map(({ ms }) => ms));
	const typicalGrowth = (runs: WorkflowRun[]) => median(runs.map(({ growth: mb }) => mb));
	return {
		ms: (quickest(ownRuns) - quickest(otherRuns)) / count,
		kb: ((typicalGrowth(ownRuns) - typicalGrowth(otherRuns)) * 1024) / count,
	};
}

/** More items, and more models. */
export const growth: Measure = {
	name: 'growth',
	async run() {
		const benchHost = await getBenchHost();
		const runEmpty = await benchHost.deploy(
			createFlow('nothing', 'noData', { type: 'n8n-nodes-base.noOp' }),
		);
		const ours = await benchHost.deploy(createFlow('dryRun', 'noData', dryRun(FIXED)));
		const runs = [
			ours,
			await benchHost.deploy(createFlow('dryRunExpression', 'noData', dryRun())),
			await benchHost.deploy(createFlow('editFields', 'noData', editFields(FIXED))),
			await benchHost.deploy(createFlow('editFieldsExpression', 'noData', editFields())),
		];
		for (const run of [runEmpty, ...runs])
			for (let round = 0; round < 2; round += 1) await run(rows(1_000));
		const figures: { count: number; ownCosts: Cost; costs: Cost[] }[] = [];
		for (const count of COUNTS) {
			const costs: Cost[] = [];
			for (const run of runs) costs.push(await measurePerItem(run, runEmpty, count));
			figures.push({ count, ownCosts: costs[0]!, costs });
		}
		const [, , thousand, most] = figures;
		const [, oursExpression, , fieldsExpression] = most!.costs.map(({ ms }) => ms);
		const compiled = MODELS.map((times) => ({ times, ...createPanels(times) }));
		const [once, tenfold] = [compiled[0]!, compiled.at(-1)!];
		return {
			name: 'growth',
			title: 'More items, more models',
			description: [
				`Rows through Task > Submit in a dry run: every item is read, checked against its table and priced, and nothing is sent. Time and memory are those of the workflow less those of the same one with a node that does nothing. Of the rounds the quickest counts; ten items are still within the noise of a webhook call. ` +
					`With a request that is the same for all items, it is the node's own time; with an expression, what n8n takes to evaluate that for each item comes on top, as it does in n8n's own Edit Fields with the same expression and nothing else to do. ` +
					`A profile of 30,000 items with an expression showed n8n's getNodeParameter at four fifths of the time, most of it in the call into the isolate in which n8n evaluates expressions; half of the rest was a data proxy for each item, to read the run index, and it is made once for a run now.`,
				`And the tables with every model ${MODELS.slice(1, -1).join(', ')} and ${MODELS.at(-1)} times, under further names: what it takes to make both panels, and their JSON.`,
			],
			tables: [
				{
					columns: [
						'Items',
						'Growth of n8n (KB per item)',
						'Dry run (ms per item)',
						'with an expression',
						'Edit Fields (ms per item)',
						'with an expression',
					],
					rows: figures.map(({ count, ownCosts, costs }) => [
						count.toLocaleString('en'),
						count < ENOUGH ? '' : round(ownCosts.kb),
						...costs.map(({ ms }) => round(ms)),
					]),
				},
				{
					columns: ['Models', 'Panels made (ms)', 'JSON (KB)'],
					rows: compiled.map(({ models, ms, kilobytes }) => [
						models,
						round(ms),
						Math.round(kilobytes),
					]),
				},
			],
			targets: [
				{
					description: 'Time of an item among 10,000',
					value: round(most!.ownCosts.ms),
					most: 0.2,
					unit: 'ms',
				},
				{
					description: 'Time of an item among 10,000, beyond one among 1,000',
					value: round(most!.ownCosts.ms - thousand!.ownCosts.ms),
					most: 0.1,
					unit: 'ms',
				},
				{
					description: 'With an expression, beyond Edit Fields with the same',
					value: round(oursExpression! - fieldsExpression!),
					most: 0.2,
					unit: 'ms',
				},
				{
					description: 'Panels of ten times as many models: time',
					value: round(tenfold.ms / once.ms),
					most: 12,
					unit: 'x',
				},
				{
					description: 'Panels of ten times as many models: size',
					value: round(tenfold.kilobytes / once.kilobytes),
					most: 10,
					unit: 'x',
				},
			],
			plots: [
				{
					kind: 'lines',
					name: 'growth',
					title: 'Time of one item by the number of items, dry run',
					unit: 'milliseconds per item',
					across: 'items',
					isAcrossLogarithmic: true,
					lines: [
						...[
							'Generation Gateway',
							'Generation Gateway, an expression',
							'Edit Fields',
							'Edit Fields, an expression',
						].map((label, at) => ({
							label,
							isOurs: at < 2,
							points: figures
								.slice(1)
								.map(({ count, costs }): [number, number] => [count, round(costs[at]!.ms)]),
						})),
						{
							label: 'Wanted of the node itself',
							isLimit: true,
							points: [
								[100, 0.2],
								[10_000, 0.2],
							],
						},
					],
				},
			],
		};
	},
};
