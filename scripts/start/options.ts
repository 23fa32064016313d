import path from 'node:path';
import { UsageError, type Flags } from '../commandLine';
import { CACHE } from '../host/install';
import { readHostPort } from '../host/ports';
import { getVersion } from '../host/versions';
import type { EditorOptions } from './editor';

/** Options of `npm start` and `npm run dev`, one per line. */
export const OPTIONS_USAGE = `  --gateway https://gateway.example.com  use this gateway instead of the sandbox; its key is in GATEWAY_KEY or --key
  --key <key>                            the key of that gateway
  --port 5678                            port of the editor; the one above it is used, too
  --n8n newest                           version of n8n: newest, oldest or a number
  --folder <path>                        n8n's data, kept between runs
  --reset-examples                       bring back the examples as they were, also those you have changed
  --help                                 print this`;

export const EDITOR_OPTIONS = {
	gateway: { type: 'string' },
	key: { type: 'string' },
	port: { type: 'string', default: '5678' },
	n8n: { type: 'string', default: 'newest' },
	folder: { type: 'string' },
	'reset-examples': { type: 'boolean', default: false },
} as const;

function readGateway(url: string, key: string): EditorOptions['gateway'] {
	if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
		throw new UsageError(
			`--gateway must be an address, e.g. https://gateway.example.com, but is ${url}`,
		);
	if (!key) throw new UsageError('--gateway needs a key: set GATEWAY_KEY, or give --key');
	return { url, key };
}

/**
 * What the options of `npm start` and `npm run dev` mean.
 *
 * @param folderName names the folder of n8n's data, where none is given
 * @throws UsageError for what cannot be used
 */
export function readEditorOptions(
	flags: Flags<typeof EDITOR_OPTIONS>,
	folderName: string,
): EditorOptions {
	const version = getVersion(flags.n8n);
	return {
		version,
		userFolder: path.resolve(flags.folder ?? path.join(CACHE, `${folderName}-${version.n8n}`)),
		port: readHostPort(flags.port),
		gateway:
			flags.gateway === undefined
				? undefined
				: readGateway(flags.gateway, flags.key ?? process.env.GATEWAY_KEY ?? ''),
		isResetWanted: flags['reset-examples'],
	};
}
