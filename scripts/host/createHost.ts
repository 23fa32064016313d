import path from 'node:path';
import { N8nHost, type HostOptions } from './n8nHost';
import { installHost } from './install';
import { installPackage, pack } from './userFolder';
import type { HostVersion } from './versions';

export interface CreateHostOptions extends HostOptions {
	/** The gateway that the credential leads to; no credential is brought in without one. */
	gateway?: { url: string; key: string };
	/** Told what is installed, where that takes long. */
	log?: (line: string) => void;
}

/** An n8n that is not started yet, with this package as it would be published and its credential. */
export async function createHost(
	version: HostVersion,
	{ gateway, log = () => undefined, ...options }: CreateHostOptions,
): Promise<N8nHost> {
	const host = await N8nHost.create(await installHost(version, log), options);
	await installPackage(options.userFolder, await pack(path.join(options.userFolder, 'pack')));
	if (gateway) await host.importCredential({ baseUrl: gateway.url, apiKey: gateway.key });
	return host;
}
