import path from 'node:path';
import { startEditor } from '../start/editor';
import { OPTIONS_USAGE, parseEditorOptions } from '../start/options';
import { getInstalledFolder } from '../host/userFolder';
import { watchAssets } from './assets';
import { watchSources } from './compiler';
import { createDocsWriter } from './docsWriter';

const USAGE = `npm run dev [-- options]
Starts a real n8n editor that reloads the nodes after every change.
${OPTIONS_USAGE}`;

/**
 * Compiles straight into the package that is installed in n8n's user folder: n8n watches that folder. It does
 * not follow a link to this repository, whose node_modules it would watch as well.
 */
async function main(): Promise<void> {
	const options = parseEditorOptions('dev');
	if (!options) return console.log(USAGE);
	const editor = await startEditor({ ...options, env: { N8N_DEV_RELOAD: 'true' } });
	const outDir = path.join(getInstalledFolder(options.userFolder), 'dist');
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
	editor.printAddresses();
	console.log('Saved changes are served at once; changes of package.json need a restart.');
}

main().catch((reason: unknown) => {
	console.error(reason instanceof Error ? reason.message : reason);
	process.exitCode = 1;
});
