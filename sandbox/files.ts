import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TaskStore } from './taskStore';
import { contentTypes, render } from './media';
import { pathOf } from './recorder';
import { HttpError } from './httpError';
import type { Settings } from './settings';
import { getExpiry, getExtension, countOutputs } from './taskFormatter';

interface FileOptions {
	settings: Settings;
	taskStore: TaskStore;
	/** Requests for files that carried an API key. */
	leaks: string[];
}

const keyHeaders = ['authorization', 'x-api-key', 'x-g-api-key'];

/** Names the place where a request to the file host carries a key; never the key itself. */
function findLeak(request: FastifyRequest, settings: Settings): string | undefined {
	const header = keyHeaders.find((name) => request.headers[name] !== undefined);
	if (header !== undefined) return header;
	const url = decodeURIComponent(request.url);
	return Object.keys(settings.accounts).some((key) => url.includes(key)) ? 'url' : undefined;
}

function* generateBytes(bytes: number): Generator<Buffer> {
	const chunk = Buffer.alloc(65_536, 'sandbox ');
	for (let remaining = bytes; remaining > 0; remaining -= chunk.length)
		yield remaining < chunk.length ? chunk.subarray(0, remaining) : chunk;
}

/** The host of the results. It takes no key and records requests that send one. */
export function addFiles(app: FastifyInstance, options: FileOptions): void {
	const { settings, taskStore, leaks } = options;
	const rendered = new Map<string, Buffer>();

	const getBytes = (key: string, createFile: () => Buffer): Buffer => {
		const isKnown = rendered.get(key);
		if (isKnown !== undefined) return isKnown;
		const bytes = createFile();
		if (rendered.size >= 64) rendered.delete(rendered.keys().next().value as string);
		rendered.set(key, bytes);
		return bytes;
	};

	app.addHook('preHandler', async (request) => {
		if (!request.url.startsWith('/files/')) return;
		const leak = findLeak(request, settings);
		if (leak === undefined) return;
		leaks.push(`${request.method} ${pathOf(request)} ${leak}`);
		throw new HttpError(400, 'File links need no API key; do not send one.');
	});

	app.get('/files/big', async (request, reply) => {
		const { bytes } = request.query as { bytes?: string };
		const size = Number(bytes ?? 1_000_000);
		if (!Number.isSafeInteger(size) || size < 0)
			throw new HttpError(400, 'bytes must be a whole number.', 'bytes');
		reply.header('content-length', size).type('application/octet-stream');
		return reply.send(Readable.from(generateBytes(size)));
	});

	app.get('/files/:name', async (request, reply) => {
		const { name } = request.params as { name: string };
		const [, id, index, extension] = /^(task_[0-9a-f]+)-(\d+)\.(\w+)$/.exec(name) ?? [];
		const task = id === undefined ? undefined : taskStore.find(id);
		const isKnown =
			task !== undefined &&
			taskStore.isOver(task) &&
			task.outcome === 'completed' &&
			Number(index) < countOutputs(task) &&
			extension === getExtension(task);
		if (!isKnown) throw new HttpError(404, 'There is no such file.');
		if (settings.now() >= getExpiry(task, settings))
			throw new HttpError(410, 'This link has expired.');
		reply.type(contentTypes[extension] ?? 'application/octet-stream');
		// Equal bodies have equal files.
		const key = JSON.stringify([task.body, index, extension]);
		return getBytes(key, () => render(task.body, Number(index), extension));
	});
}
