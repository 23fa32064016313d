import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Callbacks } from './callbacks';
import type { TaskStore } from './taskStore';
import { calculateHold } from './prices';
import { HttpError } from './httpError';
import { obey, getRule, type CheckContext } from './rules';
import { checkReferences, type AssetLookup } from './rules/references';
import type { Body, Settings } from './settings';
import type { Task } from './task';
import type { TaskFormatter } from './taskFormatter';

interface TaskRouteOptions {
	settings: Settings;
	taskStore: TaskStore;
	formatter: TaskFormatter;
	callbacks: Callbacks;
	assetStore: AssetLookup;
}

/** Seconds of `Prefer: wait=N`, cut to the longest wait. */
function readWait(request: FastifyRequest, settings: Settings): number {
	const prefer = [request.headers.prefer ?? []].flat().join(',');
	const wanted = /(?:^|[,;\s])wait\s*=\s*"?(\d+)/i.exec(prefer)?.[1];
	return Math.min(Number(wanted ?? 0), settings.maxWaitSeconds);
}

function readIdempotencyKey(request: FastifyRequest): string | undefined {
	const value = [request.headers['idempotency-key'] ?? []].flat()[0];
	return value === '' ? undefined : value;
}

export function readBody(request: FastifyRequest): Body {
	const { body } = request;
	if (typeof body !== 'object' || body === null || Array.isArray(body)) {
		throw new HttpError(400, 'The body must be a JSON object.');
	}
	return body as Body;
}

/** Section 4: submit, read, cancel. */
export function addTasks(app: FastifyInstance, options: TaskRouteOptions): void {
	const { settings, taskStore, formatter, callbacks, assetStore } = options;

	const findOwned = (request: FastifyRequest): Task => {
		const { id } = request.params as { id: string };
		const task = taskStore.find(id);
		if (task === undefined || task.account !== request.account) {
			throw new HttpError(404, `The task ${id} was not found.`);
		}
		return task;
	};

	const submit = (request: FastifyRequest): Task => {
		const body = readBody(request);
		const { account } = request;
		const context: CheckContext = {
			settings,
			hasCompleted: (taskId, model) => {
				const task = taskStore.find(taskId);
				return (
					task?.account === account &&
					task.model === model &&
					taskStore.isOver(task) &&
					task.outcome === 'completed'
				);
			},
		};
		const rule = getRule(body);
		checkReferences(rule, body, account, assetStore);
		obey(rule, body, context);
		if (settings.quotaExhausted) throw new HttpError(402, 'The balance does not cover this task.');
		const task = taskStore.create({
			account,
			key: readIdempotencyKey(request),
			body,
			rule,
			held: calculateHold(rule, body, context),
		});
		callbacks.schedule(task);
		return task;
	};

	app.post('/v1/tasks', async (request) => {
		const seconds = readWait(request, settings);
		const reused = taskStore.findReusable(request.account, readIdempotencyKey(request));
		const task = reused ?? submit(request);
		if (seconds > 0) await taskStore.waitUntilOver(task, seconds * 1000);
		const isSettled = taskStore.isOver(task) && (seconds > 0 || reused !== undefined);
		if (task.model === 'gp-4o-image' && !(isSettled && seconds > 0))
			return { code: 'success', data: task.id };
		return isSettled
			? formatter.toObject(task)
			: formatter.toSubmission(task, reused === undefined && seconds === 0);
	});

	app.get('/v1/tasks/:id', async (request) => {
		const task = findOwned(request);
		task.polls += 1;
		return formatter.toObject(task);
	});

	app.post('/v1/tasks/:id/cancel', async (request) => {
		const task = findOwned(request);
		void taskStore.end(task, 'cancelled');
		return formatter.toObject(task);
	});
}
