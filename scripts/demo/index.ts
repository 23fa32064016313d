import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox';
import { runCommand } from '../commandLine';
import { runWorkflow, type EngineRun, type WorkflowJson } from '../engine';
import { packageWith } from '../package';
import { renderContactSheet, type SheetRow } from '../../nodes/n8n/items/contactSheet';
import { printTable, type Row } from './table';

const ROOT = path.join(__dirname, '..', '..');
const WORKFLOW = path.join(ROOT, 'examples', 'prompt-table-to-files.json');
/** The nodes of the workflow that make files. */
const PANELS = ['Picture', 'Poster', 'Clip'];
const OUTPUT = path.join(ROOT, 'output', 'demo');
const IMAGE_MS = 1_500;
const VIDEO_MS = 4_000;

const isVideo = (model: unknown) => /video|clipk|pxv/.test(String(model));

/** One line that says how far the tasks are, redrawn while they run; a plain log gets a line a change. */
function showProgress(sandbox: Sandbox): () => void {
	let last = '';
	const startedAt = Date.now();
	const timer = setInterval(() => {
		const tasks = sandbox.tasks();
		const done = tasks.filter(({ finished }) => finished !== undefined).length;
		const line = `  ${done} of ${tasks.length} tasks done`;
		if (line === last && !process.stdout.isTTY) return;
		last = line;
		const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
		process.stdout.write(
			process.stdout.isTTY ? `\r${line}  ${seconds} s ` : `${line}  ${seconds} s\n`,
		);
	}, 250);
	return () => {
		clearInterval(timer);
		if (process.stdout.isTTY) process.stdout.write('\n');
	};
}

async function saveFiles(run: EngineRun, item: INodeExecutionData): Promise<string[]> {
	return await Promise.all(
		Object.entries(item.binary ?? ({} as IBinaryKeyData)).map(async ([field, { fileName }]) => {
			const file = path.join(
				OUTPUT,
				path.basename(fileName ?? `${String(item.json.task_id)}-${field}`),
			);
			await writeFile(file, await run.binary(item, field));
			return path.relative(ROOT, file);
		}),
	);
}

const formatSeconds = ({ created_at, completed_at }: IDataObject) =>
	((Date.parse(String(completed_at)) - Date.parse(String(created_at))) / 1000).toFixed(0);

/** The model that a panel is set to. */
function getModel({ nodes }: WorkflowJson, panel: string): string {
	const { model } = nodes.find(({ name }) => name === panel)!.parameters as {
		model: { value: string };
	};
	return model.value;
}

async function createRow(
	run: EngineRun,
	item: INodeExecutionData,
	base: Pick<Row, 'item' | 'model'>,
): Promise<Row> {
	const { json } = item;
	if (json.error)
		return {
			...base,
			status: 'refused',
			time: '-',
			cost: '0',
			files: [],
			notes: String(json.error).split('; '),
		};
	return {
		...base,
		status: String(json.status),
		time: `${formatSeconds(json)} s`,
		cost: `${json.cost} (${json.cost_usd} USD)`,
		files: await saveFiles(run, item),
	};
}

/** The same row on the contact sheet, which lies beside the files. */
function toSheetRow(json: IDataObject, row: Row, index: number, caption: string): SheetRow {
	const { error, details, cost_usd: usd } = json;
	return {
		index,
		caption,
		model: row.model,
		...(typeof usd === 'number' && { usd, seconds: Number(formatSeconds(json)) }),
		files: row.files.map((file) => {
			const name = path.basename(file);
			return { link: encodeURIComponent(name), name, isImage: !name.endsWith('.mp4') };
		}),
		...(error !== undefined && {
			failure: { code: String((details as IDataObject).code), message: String(error) },
		}),
	};
}

async function runDemo(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
	const workflow = JSON.parse(await readFile(WORKFLOW, 'utf8')) as WorkflowJson;
	console.log(
		`Sandbox gateway at ${sandbox.url}: nothing is generated for real, nothing is billed.`,
	);
	console.log(`Running "${workflow.name}" through n8n's engine:`);
	const stop = showProgress(sandbox);
	const startedAt = Date.now();
	const options = { ...packageWith(sandbox.url, sandbox.key), signal };
	const run = await runWorkflow(workflow, options).finally(stop);
	if (signal.aborted) return console.log('Stopped.');
	if (run.error) throw new Error(run.error.message);

	await rm(OUTPUT, { recursive: true, force: true });
	await mkdir(OUTPUT, { recursive: true });
	const table = run.json('One Item per Row');
	const made = PANELS.flatMap((panel) => {
		const model = getModel(workflow, panel);
		return run.items(panel).map(async (item, index) => {
			const row = await createRow(run, item, { item: String(table[index]!.name), model });
			return { row, onSheet: toSheetRow(item.json, row, index, String(table[index]!.prompt)) };
		});
	});
	const rows = await Promise.all(made);
	printTable(rows.map(({ row }) => row));
	const page = path.join(OUTPUT, 'contact-sheet.html');
	await writeFile(
		page,
		renderContactSheet(
			workflow.name ?? 'Contact sheet',
			rows.map(({ onSheet }) => onSheet),
		),
	);
	for (const panel of PANELS)
		for (const { message } of run.hints(panel))
			if (!message.startsWith('<table>')) console.log(`${panel}: ${message}`);
	const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
	console.log(
		`${seconds} s in all. Open ${path.relative(process.cwd(), page)} to see the results.`,
	);
}

runCommand({
	usage: `npm run demo
Runs an example workflow through n8n's engine on the built-in sandbox, and saves the files in output/demo/.`,
	options: {},
	run: async (_values, signal) => {
		const sandbox = await startSandbox({
			taskMs: ({ model }) => (isVideo(model) ? VIDEO_MS : IMAGE_MS),
		});
		await runDemo(sandbox, signal).finally(async () => await sandbox.close());
	},
});
