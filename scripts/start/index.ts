import { startEditor } from './editor';
import { OPTIONS_USAGE, parseEditorOptions } from './options';

const USAGE = `npm start [-- options]
Starts a real n8n editor with this package, a credential and the examples.
${OPTIONS_USAGE}`;

async function main(): Promise<void> {
	const options = parseEditorOptions('editor');
	if (!options) return console.log(USAGE);
	const editor = await startEditor(options);
	editor.printAddresses();
}

main().catch((reason: unknown) => {
	console.error(reason instanceof Error ? reason.message : reason);
	process.exitCode = 1;
});
