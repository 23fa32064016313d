// n8n's own verification scan, run on the source and on what would be published.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
	analyzePackage,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';

const root = path.resolve(import.meta.dirname, '..');
const temp = mkdtempSync(path.join(tmpdir(), 'scan-'));

function unpacked() {
	const [{ filename, files, size }] = JSON.parse(
		execFileSync('npm', ['pack', '--json', '--pack-destination', temp], {
			cwd: root,
			stdio: ['ignore', 'pipe', 'ignore'],
		}),
	);
	execFileSync('tar', ['-xzf', path.join(temp, filename), '-C', temp]);
	console.log(`tarball: ${files.length} files, ${(size / 1024).toFixed(1)} KB`);
	return path.join(temp, 'package');
}

let failed = false;
try {
	for (const [name, dir, patterns] of [
		['source', root, SOURCE_FILE_PATTERNS],
		['tarball', unpacked(), undefined],
	]) {
		const { passed, message, details } = await analyzePackage(dir, patterns);
		console.log(`scan of the ${name}: ${passed ? 'no findings' : `${message}\n${details}`}`);
		failed ||= !passed;
	}
} finally {
	rmSync(temp, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
