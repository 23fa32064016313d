import { watch } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(__dirname, '..', '..');
const isAsset = (file: string) => /^icons\/.*\.svg$|^nodes\/.*\.node\.json$/.test(file);

async function copyAsset(file: string, outDir: string): Promise<void> {
	const target = path.join(outDir, file);
	await mkdir(path.dirname(target), { recursive: true });
	await cp(path.join(ROOT, file), target);
}

/**
 * Copies icons and codex files into `outDir` now and when one changes.
 *
 * @returns a function that ends the watching
 */
export async function watchAssets(
	outDir: string,
	onCopied: (file: string) => void,
): Promise<() => void> {
	const folders = ['icons', 'nodes'];
	for (const folder of folders) {
		const files = await readdir(path.join(ROOT, folder), { recursive: true });
		for (const file of files.map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`))
			if (isAsset(file)) await copyAsset(file, outDir);
	}
	const watchers = folders.map((folder) =>
		watch(path.join(ROOT, folder), { recursive: true }, (_event, name) => {
			const file = `${folder}/${String(name).replaceAll(path.sep, '/')}`;
			if (isAsset(file))
				copyAsset(file, outDir).then(
					() => onCopied(file),
					(reason: unknown) => console.log(`${file} was not copied: ${String(reason)}`),
				);
		}),
	);
	return () => watchers.forEach((watcher) => watcher.close());
}
