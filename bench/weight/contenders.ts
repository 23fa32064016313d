import path from 'node:path';
import { readFile } from 'node:fs/promises';
import type { IDataObject } from 'n8n-workflow';

/** A node as it is installed: its files, the first with the measured panels, by what they are for. */
export interface MeasuredPackage {
	label: string;
	files: string[];
	panels: Record<string, IDataObject>;
}

const located = (value: string) => ({ __rl: true, mode: 'list', value, cachedResultName: value });
const media = {
	image: { resource: 'image', operation: 'generate' },
	video: { resource: 'video', operation: 'generate' },
};
const ourVideo = { ...media.video, model: located('clipk-v3-omni'), action: 'reference_video' };

/** A node on the canvas: its type, version and parameters, and a field that its panel shows. */
export interface OpenedNode {
	label: string;
	opened: { type: string; typeVersion: number; parameters: IDataObject; shows: string };
}

const ours = (label: string, parameters: IDataObject): OpenedNode => ({
	label: `Generation Gateway, ${label}`,
	opened: {
		type: 'n8n-nodes-generation-gateway.generationGateway',
		typeVersion: 1,
		parameters,
		shows: 'resource',
	},
});
const vendor = (
	label: string,
	type: string,
	typeVersion: number,
	parameters: IDataObject,
): OpenedNode => ({
	label,
	opened: { type: `@n8n/n8n-nodes-langchain.${type}`, typeVersion, parameters, shows: 'resource' },
});

/** Two panels for the same work, ours and the OpenAI node's. */
export interface Pair {
	work: string;
	ours: OpenedNode;
	theirs: OpenedNode;
}

const openAi = (work: string, parameters: IDataObject): Pair => ({
	work,
	ours: ours(work, parameters),
	theirs: vendor(`OpenAI, ${work}`, 'openAi', 2.1, parameters),
});

/** The first is each node as it lands on the canvas. */
export const pairs: readonly Pair[] = [
	openAi('as it is dropped', {}),
	openAi('Image > Generate', media.image),
	openAi('Video > Generate', media.video),
	openAi('Audio > Transcribe', { resource: 'audio', operation: 'transcribe' }),
];

/** Opened beside the pairs. */
export const others: OpenedNode[] = [
	vendor('Google Gemini, as it is dropped', 'googleGemini', 1, {}),
	{
		label: 'HTTP Request, as it is dropped',
		opened: { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters: {}, shows: 'url' },
	},
];

const VENDORS = '@n8n/n8n-nodes-langchain/dist/nodes/vendors';

/** This package whole, and of the others the one node. `modules` is n8n's node_modules, `own` this package as it is installed. */
export async function listPackages(
	modules: string,
	packageName: string,
): Promise<MeasuredPackage[]> {
	const { n8n } = JSON.parse(await readFile(path.join(packageName, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	const all = [...n8n.nodes, ...n8n.credentials].sort(
		(a, b) =>
			Number(b.includes('/GenerationGateway.node')) - Number(a.includes('/GenerationGateway.node')),
	);
	const image = { ...media.image, model: located('flx-2-flex') };
	const audio = { resource: 'audio', operation: 'transcribe' };
	const text = (operation: string) => ({ resource: 'text', operation });
	return [
		{
			label: 'Generation Gateway (5 nodes, credential)',
			files: all.map((file) => path.join(packageName, file)),
			panels: { image, video: ourVideo, audio, text: text('chat') },
		},
		{
			label: 'OpenAI',
			files: [path.join(modules, VENDORS, 'OpenAi', 'OpenAi.node.js')],
			panels: { ...media, audio, text: text('response') },
		},
		{
			label: 'Google Gemini',
			files: [path.join(modules, VENDORS, 'GoogleGemini', 'GoogleGemini.node.js')],
			panels: { ...media, audio, text: text('message') },
		},
		{
			label: 'HTTP Request',
			files: [
				path.join(modules, 'n8n-nodes-base', 'dist', 'nodes', 'HttpRequest', 'HttpRequest.node.js'),
			],
			panels: Object.fromEntries(
				['image', 'video', 'audio', 'text'].map((name) => [
					name,
					{ method: 'POST', sendBody: true, sendHeaders: true },
				]),
			),
		},
	];
}
