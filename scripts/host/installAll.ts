import { installHost } from './install';
import { getVersion } from './versions';

/** Installs the n8n versions that are named, e.g. `newest oldest`, so that tests in them find them there. */
async function main(names: readonly string[]): Promise<void> {
	for (const name of names) await installHost(getVersion(name));
}

main(process.argv.slice(2)).catch((reason: unknown) => {
	console.error(reason);
	process.exitCode = 1;
});
