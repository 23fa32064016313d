import path from 'node:path';
import { run } from '../processes';

const ROOT = path.join(__dirname, '..', '..');
const TSX = path.join(ROOT, 'node_modules', '.bin', 'tsx');

/**
 * Writes the pages of docs/ that come from the code, in a process of its own, so that the changed code is
 * read. Calls during a run lead to one more run after it.
 */
export function createDocsWriter(): () => Promise<void> {
	let isRunning = false;
	let isRequested = false;
	return async () => {
		isRequested = true;
		if (isRunning) return;
		isRunning = true;
		while (isRequested) {
			isRequested = false;
			await run(TSX, ['scripts/docs/index.ts'], ROOT).catch((reason: Error) =>
				console.log(`The docs were not written: ${reason.message}`),
			);
		}
		isRunning = false;
	};
}
