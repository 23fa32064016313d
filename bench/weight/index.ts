import { stat } from 'node:fs/promises';
import path from 'node:path';
import { installHost } from '../../scripts/host/install';
import { pack } from '../../scripts/host/userFolder';
import { getVersion } from '../../scripts/host/versions';
import { round, type Measure } from '../result';
import { getBenchHost } from '../benchHost';
import { others, pairs, listPackages } from './contenders';
import { weigh, type PanelTimes } from './load';
import { measureOpening } from './opening';

const LOADS = 5;
const OPENINGS = 12;

/** What the package weighs. */
export const weight: Measure = {
	name: 'weight',
	async run() {
		const benchHost = await getBenchHost();
		const installed = await installHost(getVersion('newest'));
		const modules = path.join(path.dirname(installed.n8n), '..', '..');
		const contenders = await listPackages(modules, benchHost.ownPackage);
		const opened = Object.fromEntries(
			pairs.map(({ work, ours: mine }) => [work, mine.opened.parameters]),
		);
		const weights = await weigh(contenders, opened, installed, modules, LOADS);
		const panels = [...pairs.flatMap(({ ours: mine, theirs }) => [mine, theirs]), ...others];
		const openings = await measureOpening(panels, benchHost.host, OPENINGS);
		const ratioOf = (pair: number) => round(openings[2 * pair]! / openings[2 * pair + 1]!);
		const { size } = await stat(await pack(path.join(benchHost.folder, 'weighed')));
		const [ours, openAi] = weights as [(typeof weights)[0], (typeof weights)[0]];
		const labels = contenders.map(({ label }) => label);
		const ratioOfPanel = (panel: string, time: keyof PanelTimes) =>
			round(ours.panels[panel]![time] / openAi.panels[panel]![time]);
		const names = Object.keys(ours.panels);
		const perField = (pair: number) => {
			const { work } = pairs[pair]!;
			const mine = openings[2 * pair]! / ours.shown[work]!;
			return round(mine / (openings[2 * pair + 1]! / openAi.shown[work]!));
		};
		return {
			name: 'weight',
			title: 'Weight of the package',
			description: [
				`The packed package is ${round(size / 1024)} KB. Each contender was loaded in fresh processes of the Node that n8n runs on, ${LOADS} times for each panel, in turn, after n8n-workflow and zod, which every n8n has loaded before any node; of this package all five nodes and the credential. ` +
					'Memory is what the heap kept. The next column is the first reading of the description as JSON. A panel is what the editor resolves at every keystroke: NodeHelpers.getNodeParameters and getNodeParametersIssues, each panel in a process of its own; the first 400 rounds count, and beside them 400 after 4,000 others, when the engine has compiled everything.',
				'What the profile showed: getNodeParameters walks through all top-level properties twice, whatever is shown, and through the members of the shown collections; half of its time goes into the order in which they depend on each other. So it grows with the number of properties and with nothing else that a description can change; see decisions/2026-11-22-fewer-properties.md.',
				`The opening is the time from the double click to the first field, in Chromium, on one canvas with a node of each, ${OPENINGS} times in turn; medians. ` +
					'A profile of the browser showed the editor mounting the components of the fields that are shown, and nearly nothing for those that are not; taking fields away one by one, a choice cost 3 to 30 ms from run to run, a line of text less, and with the same fields both nodes open alike. ' +
					'The OpenAI node keeps size, quality and number of an image under Options, and this node shows the action, the aspect ratio and the resolution that a model takes; see decisions/2026-11-22-fewer-properties.md.',
			],
			tables: [
				{
					columns: [
						'Node',
						'Load (ms)',
						'First reading (ms)',
						'Heap (MB)',
						'Properties',
						'Description (KB)',
					],
					rows: weights.map(({ loadMs, readMs, heapMb, properties, kilobytes }, at) => [
						labels[at]!,
						round(loadMs),
						round(readMs),
						round(heapMb),
						properties,
						round(kilobytes),
					]),
				},
				{
					columns: [
						'Against the OpenAI node',
						'Parameters',
						'Issues',
						'Parameters, compiled',
						'Issues, compiled',
					],
					rows: names.map((name) => [
						name,
						ratioOfPanel(name, 'parametersMs'),
						ratioOfPanel(name, 'issuesMs'),
						ratioOfPanel(name, 'warmParametersMs'),
						ratioOfPanel(name, 'warmIssuesMs'),
					]),
				},
				{
					columns: [
						'Panel',
						'Generation Gateway opens (ms)',
						'OpenAI opens (ms)',
						'Ratio',
						'Fields',
						'Ratio per shown field',
					],
					rows: pairs.map(({ work }, at) => [
						work,
						Math.round(openings[2 * at]!),
						Math.round(openings[2 * at + 1]!),
						ratioOf(at),
						`${ours.shown[work]} / ${openAi.shown[work]}`,
						perField(at),
					]),
				},
			],
			targets: [
				{
					description: 'Load of all our code beyond n8n-workflow and zod',
					value: round(ours.loadMs),
					most: 25,
					unit: 'ms',
				},
				...names.flatMap((name) => [
					{
						description: `getNodeParameters against the OpenAI node, ${name}`,
						value: ratioOfPanel(name, 'parametersMs'),
						most: 1,
						unit: 'x',
					},
					{
						description: `getNodeParametersIssues against the OpenAI node, ${name}`,
						value: ratioOfPanel(name, 'issuesMs'),
						most: 1,
						unit: 'x',
					},
				]),
				...pairs.map(({ work }, at) => ({
					description: `Opening of the panel per shown field against the OpenAI node, ${work}`,
					value: perField(at),
					most: 1,
					unit: 'x',
				})),
				{ description: 'Description', value: round(ours.kilobytes), most: 136, unit: 'KB' },
				{ description: 'Tarball', value: round(size / 1024), most: 100, unit: 'KB' },
			],
			plots: [
				{
					kind: 'bars',
					name: 'load',
					title: 'Load in a fresh Node, beyond n8n-workflow and zod',
					unit: 'milliseconds',
					bars: weights.map(({ loadMs }, at) => ({
						label: labels[at]!,
						value: round(loadMs),
						isOurs: at === 0,
					})),
				},
				{
					kind: 'bars',
					name: 'panel',
					title: 'From the double click to the panel, in the browser',
					unit: 'milliseconds',
					bars: openings.map((ms, at) => ({
						label: panels[at]!.label,
						value: Math.round(ms),
						isOurs: panels[at]!.label.startsWith('Generation'),
					})),
				},
			],
		};
	},
};
