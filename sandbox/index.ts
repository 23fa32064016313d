import type { AddressInfo, Socket } from 'node:net';
import fastify, {
	type FastifyInstance,
	type InjectOptions,
	type LightMyRequestResponse as InjectedResponse,
} from 'fastify';
import { addAssets } from './assets';
import { addAudio } from './audio';
import { Callbacks } from './callbacks';
import { addEmbeddings } from './embeddings';
import { Faults } from './faults';
import { addFiles } from './files';
import { addRequestHooks } from './requestHooks';
import { TaskStore } from './taskStore';
import { addModels } from './models';
import type { RecordedRequest } from './recorder';
import { createErrorBody, HttpError } from './httpError';
import { defaultSettings, type Outcome, type Settings } from './settings';
import { AssetStore, type AssetRecord } from './assetStore';
import type { TaskRecord } from './task';
import { addTasks } from './tasks';
import { addText } from './text';
import { Timers } from './timers';
import { TaskFormatter } from './taskFormatter';

export type { Delivery, TaskRecord } from './task';
export type { Fault, FaultKind, FaultPlan, Faults, FaultInjection } from './faults';
export type { RecordedRequest } from './recorder';
export type { AssetRecord, AssetStatus } from './assetStore';
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
	tasks(): TaskRecord[];
	task(taskId: string): TaskRecord | undefined;
	/** All assets, deleted ones included, oldest first. */
	assets(): AssetRecord[];
	/** Ends a task now (default `completed`); resolves when its callback was delivered. */
	finish(taskId: string, outcome?: Outcome): Promise<void>;
	/** Forgets requests, tasks, faults, assets and leaks; settings stay. */
	reset(): void;
	/** Ends at once, also with replies that hang. */
	close(): Promise<void>;
	/** Answers a request without a socket, for tests on virtual time. */
	inject(request: InjectOptions): Promise<InjectedResponse>;
}

function createApp(): FastifyInstance {
	const app = fastify({ logger: false, bodyLimit: 64 * 1024 * 1024, forceCloseConnections: true });
	app.removeContentTypeParser('application/json');
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
		try {
			done(null, text === '' ? undefined : JSON.parse(text as string));
		} catch {
			done(new HttpError(400, 'The body is not valid JSON.'));
		}
	});
	// Any other content, also the form type that some clients put on an empty POST, is no body.
	app.addContentTypeParser('*', (_request, payload, done) => {
		payload.resume().once('end', () => done(null, undefined));
	});
	app.setErrorHandler((fault, _request, reply) => {
		if (fault instanceof HttpError) return reply.code(fault.status).send(fault.toBody());
		const { statusCode = 500, message } = fault as Error & { statusCode?: number };
		const status = statusCode < 500 ? 400 : 500;
		return reply.code(status).send(createErrorBody(status, message));
	});
	return app;
}

/** How a client on this machine writes the host that is listened on. */
function toReachableHost(host: string): string {
	if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
	return host.includes(':') ? `[${host}]` : host;
}

/** Starts a gateway on localhost that implements the whole interface. */
export async function startSandbox(
	options: Partial<Settings> & { port?: number; host?: string } = {},
): Promise<Sandbox> {
	const { port = 0, host = '127.0.0.1', ...changes } = options;
	const { app, sandbox } = await createSandbox(changes);
	await app.listen({ port, host });
	sandbox.url =
		changes.publicUrl ??
		`http://${toReachableHost(host)}:${(app.server.address() as AddressInfo).port}`;
	return sandbox;
}

/** The same without a socket: requests reach it by `inject` only. */
export async function createSandbox(
	changes: Partial<Settings> = {},
): Promise<{ app: FastifyInstance; sandbox: Sandbox }> {
	const settings: Settings = { ...defaultSettings(), ...changes };
	const app = createApp();
	const timers = new Timers();
	const faults = new Faults(settings.seed);
	const requests: RecordedRequest[] = [];
	const downloads: RecordedRequest[] = [];
	const leaks: string[] = [];
	const taskStore = new TaskStore(settings, timers);
	const formatter = new TaskFormatter(settings, taskStore, () => sandbox.url);
	const callbacks = new Callbacks(settings, taskStore, formatter, timers);

	const assetStore = new AssetStore(settings);
	const sockets = new Set<Socket>();
	app.server.on('connection', (socket) => {
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
	});
	addRequestHooks(app, { settings, timers, faults, requests, downloads });
	app.setNotFoundHandler((request) => {
		throw new HttpError(404, `There is no ${request.method} ${request.url.split('?', 1)[0]}.`);
	});
	addFiles(app, { settings, taskStore, leaks });
	addModels(app, settings);
	addTasks(app, { settings, taskStore, formatter, callbacks, assetStore });
	addAssets(app, settings, assetStore);
	addText(app, settings, timers);
	addEmbeddings(app, settings, timers);
	await addAudio(app, settings, timers);
	const sandbox: Sandbox = {
		url: settings.publicUrl ?? '',
		key: 'sandbox-key',
		settings,
		requests,
		downloads,
		leaks,
		faults,
		tasks: () => taskStore.all().map((task) => formatter.toRecord(task)),
		task: (taskId) => {
			const task = taskStore.find(taskId);
			return task && formatter.toRecord(task);
		},
		assets: () => assetStore.all(),
		finish: async (taskId, outcome = 'completed') => {
			const task = taskStore.find(taskId);
			if (task === undefined) throw new Error(`The sandbox has no task ${taskId}`);
			await taskStore.end(task, outcome);
		},
		reset: () => {
			requests.length = 0;
			downloads.length = 0;
			leaks.length = 0;
			faults.clear();
			faults.reseed(settings.seed);
			callbacks.cancelAll();
			taskStore.clear();
			assetStore.clear();
		},
		close: async () => {
			timers.clear();
			callbacks.cancelAll();
			for (const socket of sockets) socket.destroy();
			await app.close();
		},
		inject: async (request) => await app.inject(request),
	};
	return { app, sandbox };
}
