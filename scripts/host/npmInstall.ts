import { UsageError } from '../commandLine';
import { run } from '../processes';

const REPORT_EVERY_MS = 5_000;
/** What npm prints for each file it has fetched. */
const FETCHED = /npm http fetch GET 200/g;
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|network/;

/**
 * Installs into a folder that has a `package.json`, and says how far it is every 5 s: npm itself says
 * nothing for minutes.
 */
export async function npmInstall(
	folder: string,
	log: (line: string) => void,
	args: readonly string[],
): Promise<void> {
	const startedAt = Date.now();
	let fetched = 0;
	const timer = setInterval(() => {
		const seconds = Math.round((Date.now() - startedAt) / 1000);
		log(`  ${fetched.toLocaleString('en')} files fetched from the registry, ${seconds} s`);
	}, REPORT_EVERY_MS);
	const flags = ['--no-audit', '--no-fund', '--loglevel=http'];
	try {
		await run('npm', ['install', ...args, ...flags], folder, {
			onPrint: (text) => (fetched += text.match(FETCHED)?.length ?? 0),
		});
	} catch (reason) {
		const text = (reason as Error).message;
		if (!UNREACHABLE.test(text)) throw reason;
		throw new UsageError(
			`npm cannot reach its registry, from which this is downloaded once. Check the connection, or "npm config get registry".\n${text
				.split('\n')
				.filter((line) => line.includes('npm error'))
				.slice(0, 3)
				.join('\n')}`,
		);
	} finally {
		clearInterval(timer);
	}
}

/** Ends within seconds when npm's registry cannot be reached, where an install would try for minutes. */
export async function assertRegistryReachable(): Promise<void> {
	const args = ['view', 'n8n', 'version', '--fetch-retries=0', '--fetch-timeout=15000'];
	await run('npm', args, process.cwd()).catch((reason: Error) => {
		const [line = reason.message] = reason.message
			.split('\n')
			.filter((text) => UNREACHABLE.test(text));
		throw new UsageError(
			`npm cannot reach its registry, from which n8n is downloaded once: ${line}. Check the connection, or "npm config get registry"`,
		);
	});
}
