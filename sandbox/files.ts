import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Ledger } from './taskStore';
import { contentTypes, render } from './media';
import { pathOf } from './recorder';
import { Refusal } from './httpError';
import type { Settings } from './settings';
import { expiryOf, extensionOf, outputsOf } from './view';

interface House {
	settings: Settings;
	ledger: Ledger;
	/** Requests for files that carried an API key. */
	leaks: string[];
}

const keyHeaders = ['authorization', 'x-api-key', 'x-g-api-key'];

/** Names the place where a request to the file host carries a key; never the key itself. */
function leakOf(request: FastifyRequest, settings: Settings): string | undefined {
	const header = keyHeaders.find((name) => request.headers[name] !== undefined);
	if (header !== undefined) return header;
	const url = decodeURIComponent(request.url);
	return Object.keys(settings.accounts).some((key) => url.includes(key)) ? 'url' : undefined;
}

function* filler(bytes: number): Generator<Buffer> {
	const piece = Buffer.alloc(65_536, 'sandbox ');
	for (let left = bytes; left > 0; left -= piece.length)
		yield left < piece.length ? piece.subarray(0, left) : piece;
}

/** The host of the results. It wants no key, and takes note of those who send one. */
export function addFiles(app: FastifyInstance, house: House): void {
	const { settings, ledger, leaks } = house;
	const rendered = new Map<string, Buffer>();

	const bytesOf = (name: string, draw: () => Buffer): Buffer => {
		const known = rendered.get(name);
		if (known !== undefined) return known;
		const bytes = draw();
		if (rendered.size >= 64) rendered.delete(rendered.keys().next().value as string);
		rendered.set(name, bytes);
		return bytes;
	};

	app.addHook('preHandler', async (request) => {
		if (!request.url.startsWith('/files/')) return;
		const leak = leakOf(request, settings);
		if (leak === undefined) return;
		leaks.push(`${request.method} ${pathOf(request)} ${leak}`);
		throw new Refusal(400, 'File links need no API key; do not send one.');
	});

	app.get('/files/big', async (request, reply) => {
		const { bytes } = request.query as { bytes?: string };
		const size = Number(bytes ?? 1_000_000);
		if (!Number.isSafeInteger(size) || size < 0)
			throw new Refusal(400, 'bytes must be a whole number.', 'bytes');
		reply.header('content-length', size).type('application/octet-stream');
		return reply.send(Readable.from(filler(size)));
	});

	app.get('/files/:name', async (request, reply) => {
		const { name } = request.params as { name: string };
		const [, id, index, extension] = /^(task_[0-9a-f]+)-(\d+)\.(\w+)$/.exec(name) ?? [];
		const task = id === undefined ? undefined : ledger.find(id);
		const known =
			task !== undefined &&
			ledger.isOver(task) &&
			task.outcome === 'completed' &&
			Number(index) < outputsOf(task) &&
			extension === extensionOf(task);
		if (!known) throw new Refusal(404, 'There is no such file.');
		if (settings.now() >= expiryOf(task, settings))
			throw new Refusal(410, 'This link has expired.');
		reply.type(contentTypes[extension] ?? 'application/octet-stream');
		return bytesOf(name, () => render(task.body, Number(index), extension));
	});
}
