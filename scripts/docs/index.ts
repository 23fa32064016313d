import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorsPage } from './errorsPage';
import { modelsPage } from './modelsPage';

const DOCS = path.join(__dirname, '..', '..', 'docs');

/** Writes the pages that come from the code. The build does too; .ci/run says when one was committed out of date. */
async function main(): Promise<void> {
	await writeFile(path.join(DOCS, 'models.md'), modelsPage());
	await writeFile(path.join(DOCS, 'errors.md'), errorsPage());
}

main().catch((reason: unknown) => {
	console.error(reason);
	process.exitCode = 1;
});
