import type { AddressInfo, Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { addAssets } from './assets';
import { addAudio } from './audio';
import { Callbacks } from './callbacks';
import { addEmbeddings } from './embeddings';
import { Faults } from './faults';
import { addFiles } from './files';
import { addGate } from './requestHooks';
import { Ledger } from './taskStore';
import { addModels } from './models';
import type { RecordedRequest } from './recorder';
import { envelope, Refusal } from './httpError';
import { defaultSettings, type Outcome, type Settings } from './settings';
import { AssetStore, type AssetEntry } from './assetStore';
import type { LedgerEntry } from './task';
import { addTasks } from './tasks';
import { addText } from './text';
import { Timers } from './timers';
import { TaskView } from './view';

export type { Delivery, LedgerEntry } from './task';
export type { Fault, FaultKind, FaultPlan, Faults, Weather } from './faults';
export type { RecordedRequest } from './recorder';
export type { AssetEntry, AssetStatus } from './assetStore';
export type { Body, CallbackMode, Outcome, Settings } from './settings';

export interface Sandbox {
	/** E.g. `http://127.0.0.1:8787`. */
	url: string;
	/** A key that works; the account is `main`. */
	key: string;
	/** Live: may be changed at any time. */
	settings: Settings;
	/** Every request to `/v1/...`, oldest first. */
	requests: RecordedRequest[];
	/** Every request to `/files/...`, oldest first. */
	downloads: RecordedRequest[];
	/** Requests to `/files/...` that carried a key, e.g. `GET /files/x.png authorization`. */
	leaks: string[];
	faults: Faults;
	/** All tasks, oldest first. */
	tasks(): LedgerEntry[];
	task(taskId: string): LedgerEntry | undefined;
	/** All assets, deleted ones included, oldest first. */
	assets(): AssetEntry[];
	/** Ends a task now (default `completed`); resolves when its callback was delivered. */
	finish(taskId: string, outcome?: Outcome): Promise<void>;
	/** Forgets requests, tasks, faults, assets and leaks; settings stay. */
	reset(): void;
	/** Ends at once, also with replies that hang. */
	close(): Promise<void>;
}

function newApp(): FastifyInstance {
	const app = fastify({ logger: false, bodyLimit: 64 * 1024 * 1024, forceCloseConnections: true });
	app.removeContentTypeParser('application/json');
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
		try {
			done(null, text === '' ? undefined : JSON.parse(text as string));
		} catch {
			done(new Refusal(400, 'The body is not valid JSON.'));
		}
	});
	// Any other content, also the form type that some clients put on an empty POST, is no body.
	app.addContentTypeParser('*', (_request, payload, done) => {
		payload.resume().once('end', () => done(null, undefined));
	});
	app.setErrorHandler((fault, _request, reply) => {
		if (fault instanceof Refusal) return reply.code(fault.status).send(fault.envelope());
		const { statusCode = 500, message } = fault as Error & { statusCode?: number };
		const status = statusCode < 500 ? 400 : 500;
		return reply.code(status).send(envelope(status, message));
	});
	return app;
}

/** How a client on this machine writes the host that is listened on. */
function reachable(host: string): string {
	if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
	return host.includes(':') ? `[${host}]` : host;
}

/** Starts a gateway on localhost that speaks the whole interface. */
export async function startSandbox(
	options: Partial<Settings> & { port?: number; host?: string } = {},
): Promise<Sandbox> {
	const { port = 0, host = '127.0.0.1', ...changes } = options;
	const settings: Settings = { ...defaultSettings(), ...changes };
	const app = newApp();
	const timers = new Timers();
	const faults = new Faults(settings.seed);
	const requests: RecordedRequest[] = [];
	const downloads: RecordedRequest[] = [];
	const leaks: string[] = [];
	let url = '';
	const ledger = new Ledger(settings, timers);
	const view = new TaskView(settings, ledger, () => url);
	const callbacks = new Callbacks(settings, ledger, view, timers);

	const shelf = new AssetStore(settings);
	const sockets = new Set<Socket>();
	app.server.on('connection', (socket) => {
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
	});
	addGate(app, { settings, timers, faults, requests, downloads });
	app.setNotFoundHandler((request) => {
		throw new Refusal(404, `There is no ${request.method} ${request.url.split('?', 1)[0]}.`);
	});
	addFiles(app, { settings, ledger, leaks });
	addModels(app, settings);
	addTasks(app, { settings, ledger, view, callbacks, shelf });
	addAssets(app, settings, shelf);
	addText(app, settings, timers);
	addEmbeddings(app, settings, timers);
	await addAudio(app, settings, timers);
	await app.listen({ port, host });
	url =
		settings.publicUrl ?? `http://${reachable(host)}:${(app.server.address() as AddressInfo).port}`;

	return {
		url,
		key: 'sandbox-key',
		settings,
		requests,
		downloads,
		leaks,
		faults,
		tasks: () => ledger.all().map((task) => view.entry(task)),
		task: (taskId) => {
			const task = ledger.find(taskId);
			return task && view.entry(task);
		},
		assets: () => shelf.all(),
		finish: async (taskId, outcome = 'completed') => {
			const task = ledger.find(taskId);
			if (task === undefined) throw new Error(`The sandbox has no task ${taskId}`);
			await ledger.end(task, outcome);
		},
		reset: () => {
			requests.length = 0;
			downloads.length = 0;
			leaks.length = 0;
			faults.clear();
			faults.reseed(settings.seed);
			callbacks.forget();
			ledger.forget();
			shelf.forget();
		},
		close: async () => {
			timers.clear();
			callbacks.forget();
			for (const socket of sockets) socket.destroy();
			await app.close();
		},
	};
}
