import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CACHE, installOnce } from './host/install';
import { npmInstall } from './host/npmInstall';

const VERSION = '0.48.3';
const ROOT = path.join(__dirname, '..');
/** The template of n8n's CLI. The AI SDK comes with n8n and is not installed here, so it is not looked for. */
const CONFIG = `import { config } from '@n8n/node-cli/eslint';

export default [
	...config,
	{
		files: ['nodes/**/*.ts'],
		rules: { 'import-x/no-unresolved': ['error', { ignore: ['@n8n/ai-node-sdk'] }] },
	},
];
`;
const SHIPPED = ['nodes', 'credentials', 'package.json'];

/**
 * n8n's own lint over what ships. The CLI is installed beside the project: a lock that holds it lists
 * packages of other platforms, which `npm ci` wants and not every registry has.
 */
async function main(): Promise<void> {
	const folder = await installOnce(
		path.join(CACHE, `node-cli-${VERSION}`),
		console.log,
		`Installing n8n's CLI ${VERSION}`,
		async (unfinished) => {
			const dependencies = { '@n8n/node-cli': VERSION, eslint: '^9.39.5', typescript: '5.9' };
			await writeFile(
				path.join(unfinished, 'package.json'),
				JSON.stringify({ private: true, type: 'module', dependencies }),
			);
			await npmInstall(unfinished, console.log, ['--ignore-scripts', '--legacy-peer-deps']);
		},
	);
	await writeFile(path.join(folder, 'eslint.config.mjs'), CONFIG);
	const eslint = path.join(folder, 'node_modules', 'eslint', 'bin', 'eslint.js');
	const config = path.join(folder, 'eslint.config.mjs');
	const { status } = spawnSync(
		process.execPath,
		[eslint, '--config', config, '--max-warnings=0', ...SHIPPED],
		{ cwd: ROOT, stdio: 'inherit' },
	);
	process.exitCode = status ?? 1;
}

main().catch((reason: unknown) => {
	console.error(reason);
	process.exitCode = 1;
});
