import { Logger } from '@n8n/backend-common';
import { InstanceSettingsConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import {
	BinaryDataConfig,
	BinaryDataService,
	DataDeduplicationService,
	ErrorReporter,
} from 'n8n-core';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDeduplicator } from './deduplicator';

export type BinaryMode = 'filesystem' | 'default';

let folder: string | undefined;
let started: BinaryMode | undefined;

/** Gives n8n's services a temporary user folder, fixed secrets and no voice. Done once per process. */
export function prepareContainer(): void {
	if (folder !== undefined) return;
	folder = temporaryFolder();

	Container.set(Logger, silentLogger());
	Container.set(ErrorReporter, {
		error: () => {},
		warn: () => {},
		info: () => {},
	} as unknown as ErrorReporter);
	void DataDeduplicationService.init(createDeduplicator());
	Container.set(InstanceSettingsConfig, {
		enforceSettingsFilePermissions: false,
		encryptionKey: 'not-a-secret-the-engine-runs-only-locally',
		n8nFolder: join(folder, '.n8n'),
		userHome: folder,
	});
}

/**
 * The engine's store of files.
 *
 * @param mode where new files go: `filesystem` as on a default n8n, or `default` (base64 inside the item)
 */
export async function binaryDataService(mode?: BinaryMode): Promise<BinaryDataService> {
	prepareContainer();
	const config = Container.get(BinaryDataConfig);
	const service = Container.get(BinaryDataService);
	if (mode !== undefined && mode !== started) {
		config.mode = started = mode;
		await service.init();
	}
	return service;
}

function silentLogger(): Logger {
	const quiet = {
		error: () => {},
		warn: () => {},
		info: () => {},
		debug: () => {},
		scoped: () => quiet,
	};
	return quiet as unknown as Logger;
}

/**
 * A folder that this process removes when it ends. A test runner may hide the end of the process,
 * so folders of processes that are gone are removed as well.
 */
function temporaryFolder(): string {
	const shared = join(tmpdir(), 'n8n-engine');
	mkdirSync(shared, { recursive: true });
	for (const name of readdirSync(shared)) {
		if (!alive(parseInt(name, 10))) rmSync(join(shared, name), { recursive: true, force: true });
	}
	const ownFolder = mkdtempSync(join(shared, `${process.pid}-`));
	process.once('exit', () => rmSync(ownFolder, { recursive: true, force: true }));
	return ownFolder;
}

function alive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
