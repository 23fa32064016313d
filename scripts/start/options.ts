import path from 'node:path';
import { parseArgs } from 'node:util';
import { CACHE } from '../host/install';
import { getVersion } from '../host/versions';
import type { EditorOptions } from './editor';

/** Options of `npm start` and `npm run dev`, one per line. */
export const OPTIONS_USAGE = `  --gateway https://gateway.example.com  use this gateway instead of the sandbox; the key is in GATEWAY_KEY or --key
  --port 5678                            port of the editor
  --n8n newest                           version of n8n: newest, oldest or a number
  --folder <path>                        n8n's data, kept between runs`;

/** Reads the options of `npm start` and `npm run dev`; undefined for `--help`. */
export function parseEditorOptions(folderName: string): EditorOptions | undefined {
	const { values } = parseArgs({
		options: {
			gateway: { type: 'string' },
			key: { type: 'string' },
			port: { type: 'string', default: '5678' },
			n8n: { type: 'string', default: 'newest' },
			folder: { type: 'string' },
			help: { type: 'boolean', short: 'h' },
		},
	});
	if (values.help) return undefined;
	const version = getVersion(values.n8n);
	return {
		version,
		userFolder: values.folder ?? path.join(CACHE, `${folderName}-${version.n8n}`),
		port: Number(values.port),
		gateway: values.gateway
			? { url: values.gateway, key: values.key ?? process.env.GATEWAY_KEY ?? '' }
			: undefined,
	};
}
