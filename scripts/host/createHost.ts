import path from 'node:path';
import { Host, type HostOptions } from './n8nHost';
import { installHost } from './install';
import { installPackage, pack } from './userFolder';
import type { HostVersion } from './versions';

export interface Furniture extends HostOptions {
	/** The gateway that the credential leads to. */
	gateway: { url: string; key: string };
	/** Told what is installed, where that takes long. */
	say?: (line: string) => void;
}

/** An n8n that is not started yet, with this package as it would be published and its credential. */
export async function furnished(
	version: HostVersion,
	{ gateway, say = () => undefined, ...options }: Furniture,
): Promise<Host> {
	const host = await Host.make(await installHost(version, say), options);
	await installPackage(options.userFolder, await pack(path.join(options.userFolder, 'pack')));
	await host.importCredential({ baseUrl: gateway.url, apiKey: gateway.key });
	return host;
}
