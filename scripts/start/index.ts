import { runCommand, untilStopped } from '../commandLine';
import { startEditor } from './editor';
import { EDITOR_OPTIONS, OPTIONS_USAGE, readEditorOptions } from './options';

runCommand({
	usage: `npm start [-- options]
Starts a real n8n editor with this package, a credential and the examples.
${OPTIONS_USAGE}`,
	options: EDITOR_OPTIONS,
	run: async (flags, signal) => {
		const editor = await startEditor(readEditorOptions(flags, 'editor'), signal);
		editor.printAddresses();
		await untilStopped(signal);
		await editor.stop();
	},
});
