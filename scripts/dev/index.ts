import path from 'node:path';
import { runCommand, untilStopped } from '../commandLine';
import { getInstalledFolder } from '../host/userFolder';
import { startEditor } from '../start/editor';
import { EDITOR_OPTIONS, OPTIONS_USAGE, readEditorOptions } from '../start/options';
import { watchAssets } from './assets';
import { watchSources } from './compiler';
import { createDocsWriter } from './docsWriter';

/**
 * Compiles straight into the package that is installed in n8n's user folder: n8n watches that folder. It does
 * not follow a link to this repository, whose node_modules it would watch as well.
 */
async function watch(userFolder: string): Promise<void> {
	const outDir = path.join(getInstalledFolder(userFolder), 'dist');
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

runCommand({
	usage: `npm run dev [-- options]
Starts a real n8n editor that reloads the nodes after every change.
${OPTIONS_USAGE}`,
	options: EDITOR_OPTIONS,
	run: async (flags, signal) => {
		const options = readEditorOptions(flags, 'dev');
		const editor = await startEditor({
			...options,
			env: { N8N_DEV_RELOAD: 'true' },
			// n8n may miss a change while it reloads, so the first compilation comes before it starts.
			beforeStart: async () => await watch(options.userFolder),
		});
		editor.printAddresses();
		console.log('Saved changes are served at once; changes of package.json need a restart.');
		await untilStopped(signal);
		await editor.stop();
	},
});
