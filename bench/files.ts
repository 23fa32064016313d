import { open } from 'node:fs/promises';
import path from 'node:path';
import type { NodeSpec } from '../scripts/engine/builder';
import type { Measure } from './result';
import { getBenchHost, type RunWorkflow } from './benchHost';
import { createFlow } from './workflows/flow';
import { httpDownload, httpTranscribe } from './workflows/http';
import { openAiTranscribe, readFile } from './workflows/others';
import { transcribe, video } from './workflows/ours';

const MEGABYTE = 1024 * 1024;
const VIDEO_MB = 500;
const AUDIO_MB = 200;
const ROUNDS = 3;
const ALLOWED_MB = 64;

interface Contender {
	label: string;
	run: RunWorkflow;
	growths: number[];
}

async function emptyFile(file: string, bytes: number): Promise<string> {
	const handle = await open(file, 'w');
	await handle.truncate(bytes);
	await handle.close();
	return file;
}

/** Files that are larger than what a process should hold. */
export const files: Measure = {
	name: 'files',
	async run() {
		const benchHost = await getBenchHost();
		const { sandbox } = benchHost;
		const link = `${sandbox.url}/files/big?bytes=${VIDEO_MB * MEGABYTE}`;
		Object.assign(sandbox.settings, { taskMs: 100, chatMs: 0, resultLinks: () => [link] });
		const audio = await emptyFile(path.join(benchHost.folder, 'speech.mp3'), AUDIO_MB * MEGABYTE);
		const on = async (label: string, name: string, ...nodes: NodeSpec[]): Promise<Contender> => ({
			label,
			run: await benchHost.deploy(createFlow(name, 'noData', ...nodes)),
			growths: [],
		});
		const downloads = [
			await on('Generation Gateway, Output Field Name', 'oursVideo', video({ download: 'data' })),
			await on('HTTP Request, response as file', 'httpVideo', httpDownload(link)),
		];
		const uploads = [
			await on('Reading the file from disk alone', 'readAudio', readFile(audio)),
			await on('Generation Gateway, Transcribe', 'oursAudio', readFile(audio), transcribe()),
			await on(
				'HTTP Request, form with the file',
				'httpAudio',
				readFile(audio),
				httpTranscribe(sandbox),
			),
			await on('OpenAI node, Transcribe', 'openAiAudio', readFile(audio), openAiTranscribe()),
		];
		for (let round = 0; round < ROUNDS; round += 1)
			for (const { run, growths } of [...downloads, ...uploads])
				growths.push((await run([{ prompt: `File ${round}` }])).growth);
		sandbox.settings.resultLinks = () => undefined;

		const figure = ({ growths }: Contender) => Math.round(Math.max(...growths));
		const table = (what: string, contenders: Contender[]) => ({
			columns: [what, 'Growth of n8n at most (MB)', 'Rounds (MB)'],
			rows: contenders.map((contender) => [
				contender.label,
				figure(contender),
				contender.growths.map((mb) => Math.round(mb)).join(', '),
			]),
		});
		return {
			name: 'files',
			title: `A video of ${VIDEO_MB} MB, and ${AUDIO_MB} MB of speech`,
			description: [
				`How much the n8n process grew beyond what it held before, at most, while a result of ${VIDEO_MB} MB went into n8n's storage (mode filesystem), and while ${AUDIO_MB} MB of speech went from that storage to the transcription endpoint. ` +
					'A process that has grown keeps what it got for a while, so a later round of the same shows less; the largest of the rounds is what counts here.',
			],
			tables: [
				table(`Download of ${VIDEO_MB} MB`, downloads),
				table(`Upload of ${AUDIO_MB} MB`, uploads),
			],
			targets: [
				{
					description: `Growth on a download of ${VIDEO_MB} MB`,
					value: figure(downloads[0]!),
					most: ALLOWED_MB,
					unit: 'MB',
				},
				{
					description: `Growth on an upload of ${AUDIO_MB} MB, reading it included`,
					value: figure(uploads[1]!),
					most: ALLOWED_MB,
					unit: 'MB',
				},
			],
			plots: [
				{
					kind: 'bars',
					name: 'files',
					title: `Growth of n8n: ${VIDEO_MB} MB downloaded, ${AUDIO_MB} MB uploaded`,
					unit: 'MB',
					bars: [
						...downloads.map((one) => ({ ...one, label: `Down: ${one.label}` })),
						...uploads.map((one) => ({ ...one, label: `Up: ${one.label}` })),
					].map((one) => ({
						label: one.label,
						value: figure(one),
						isOurs: one.label.includes('Generation Gateway'),
					})),
					limit: { label: 'wanted', value: ALLOWED_MB },
				},
			],
		};
	},
};
