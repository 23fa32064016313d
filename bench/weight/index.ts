import { stat } from 'node:fs/promises';
import path from 'node:path';
import { installHost } from '../../scripts/host/install';
import { pack } from '../../scripts/host/userFolder';
import { getVersion } from '../../scripts/host/versions';
import { round, type Measure } from '../result';
import { getBenchHost } from '../benchHost';
import { others, pairs, listPackages } from './contenders';
import { weigh } from './load';
import { measureOpening } from './opening';

const LOADS = 7;
const OPENINGS = 12;

/** What the package weighs. */
export const weight: Measure = {
	name: 'weight',
	async run() {
		const benchHost = await getBenchHost();
		const installed = await installHost(getVersion('newest'));
		const modules = path.join(path.dirname(installed.n8n), '..', '..');
		const contenders = await listPackages(modules, benchHost.ownPackage);
		const weights = await weigh(contenders, installed, modules, LOADS);
		const panels = [...pairs.flatMap(({ ours: mine, theirs }) => [mine, theirs]), ...others];
		const openings = await measureOpening(panels, benchHost.host, OPENINGS);
		const ratioOf = (pair: number) => round(openings[2 * pair]! / openings[2 * pair + 1]!);
		const { size } = await stat(await pack(path.join(benchHost.folder, 'weighed')));
		const [ours, openAi] = weights as [(typeof weights)[0], (typeof weights)[0]];
		const labels = contenders.map(({ label }) => label);
		const ratio = (pick: (one: typeof ours) => number) => round(pick(ours) / pick(openAi));
		return {
			name: 'weight',
			title: 'Weight of the package',
			description: [
				`The packed package is ${round(size / 1024)} KB. Each contender was loaded in a fresh Node of the version n8n runs on, ${LOADS} times in turn, after n8n-workflow and zod, which every n8n has loaded before any node; of this package all five nodes and the credential. ` +
					'Memory is what the heap kept. A panel is what the editor resolves at every keystroke: NodeHelpers.getNodeParameters and getNodeParametersIssues, here for the panel of an image and of a video.',
				'What the profile showed: a fresh load spent 22 ms on naming FormData, which loads the HTTP client of Node, and 7 ms on comparing labels by the rules of a language; neither happens at the start any more. ' +
					'What is left is reading one file of 380 KB. getNodeParameters walks through all top-level properties twice, whatever is shown: of its time the shown panel takes a good third, the hidden panels of the other operations the rest, mostly the variants that a field has from model to model.',
				`The opening is the time from the double click to the first field, in Chromium, on one canvas with a node of each, ${OPENINGS} times in turn; medians. ` +
					'A profile of the browser showed the editor mounting the components of the fields that are shown, and nearly nothing for those that are not; taking fields away one by one, a choice cost 3 to 30 ms from run to run, a line of text less, and with the same fields both nodes open alike. ' +
					'The OpenAI node keeps size, quality and number of an image under Options, and this node shows the action, the aspect ratio and the resolution that a model takes; see decisions/2026-11-20-panel-opening.md.',
			],
			tables: [
				{
					columns: [
						'Node',
						'Load (ms)',
						'Heap (MB)',
						'Properties',
						'Description (KB)',
						'Parameters, image / video (ms)',
						'Issues, image / video (ms)',
					],
					rows: weights.map(
						({ loadMs, heapMb, properties, kilobytes, panels: { image, video } }, at) => [
							labels[at]!,
							round(loadMs),
							round(heapMb),
							properties,
							round(kilobytes),
							`${round(image!.parametersMs)} / ${round(video!.parametersMs)}`,
							`${round(image!.issuesMs)} / ${round(video!.issuesMs)}`,
						],
					),
				},
				{
					columns: ['Panel', 'Generation Gateway opens (ms)', 'OpenAI opens (ms)', 'Ratio'],
					rows: pairs.map(({ work }, at) => [
						work,
						Math.round(openings[2 * at]!),
						Math.round(openings[2 * at + 1]!),
						ratioOf(at),
					]),
				},
			],
			targets: [
				{
					description: 'Load of all our code beyond n8n-workflow and zod',
					value: round(ours.loadMs),
					most: 40,
					unit: 'ms',
				},
				{
					description: 'getNodeParameters against the OpenAI node, image',
					value: ratio(({ panels }) => panels.image!.parametersMs),
					most: 1,
					unit: 'x',
				},
				{
					description: 'getNodeParameters against the OpenAI node, video',
					value: ratio(({ panels }) => panels.video!.parametersMs),
					most: 1,
					unit: 'x',
				},
				...pairs.map(({ work }, at) => ({
					description: `Opening of the panel against the OpenAI node, ${work}`,
					value: ratioOf(at),
					most: 1,
					unit: 'x',
				})),
				{ description: 'Tarball', value: round(size / 1024), most: 150, unit: 'KB' },
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
