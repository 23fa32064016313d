import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import manifest from '../../package.json';
import { runCommand, untilStopped } from '../commandLine';
import { getInstalledFolder } from '../host/userFolder';
import { startEditor, type Editor } from '../start/editor';
import { EDITOR_OPTIONS, OPTIONS_USAGE, readEditorOptions } from '../start/options';
import { watchAssets } from './assets';
import { watchSources } from './compiler';
import { createDocsWriter } from './docsWriter';

const LONGEST_START_MS = 60_000;

/**
 * Compiles straight into the package that is installed in n8n's user folder: n8n watches that folder. It does
 * not follow a link to this repository, whose node_modules it would watch as well.
 */
async function watch(outDir: string): Promise<void> {
	const writeDocs = createDocsWriter();
	await watchAssets(outDir, (file) => console.log(`Copied ${file}`));
	watchSources(outDir, ({ errors, ms }) => {
		if (errors)
			return console.log(
				`${errors} type ${errors === 1 ? 'error' : 'errors'}; nothing is reloaded`,
			);
		console.log(`Compiled in ${(ms / 1000).toFixed(1)} s`);
		void writeDocs();
	});
}

/**
 * n8n is ready some seconds before it watches the package, and misses what is saved in between. So a file is
 * saved until n8n has reloaded.
 */
async function untilReloading(editor: Editor, outDir: string, signal: AbortSignal): Promise<void> {
	const deadline = Date.now() + LONGEST_START_MS;
	while (!editor.getLog().includes(`Hot reload triggered for ${manifest.name}`)) {
		if (signal.aborted) return;
		if (Date.now() > deadline)
			throw new Error(`n8n does not watch ${outDir}:\n${editor.getLog().slice(-3000)}`);
		await writeFile(path.join(outDir, '.watched'), String(Date.now()));
		await sleep(300);
	}
}

runCommand({
	usage: `npm run dev [-- options]
Starts a real n8n editor that reloads the nodes after every change.
${OPTIONS_USAGE}`,
	options: EDITOR_OPTIONS,
	run: async (flags, signal) => {
		const options = readEditorOptions(flags, 'dev');
		const outDir = path.join(getInstalledFolder(options.userFolder), 'dist');
		const editor = await startEditor({
			...options,
			env: { N8N_DEV_RELOAD: 'true' },
			beforeStart: async () => await watch(outDir),
		});
		await untilReloading(editor, outDir, signal);
		editor.printAddresses();
		console.log('Saved changes are served at once; changes of package.json need a restart.');
		await untilStopped(signal);
		await editor.stop();
	},
});
