import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Callbacks } from './callbacks';
import type { Ledger } from './taskStore';
import { holdOf } from './prices';
import { Refusal } from './httpError';
import { obey, ruleOf, type Surroundings } from './rules';
import { checkReferences, type AssetLookup } from './rules/references';
import type { Body, Settings } from './settings';
import type { Task } from './task';
import type { TaskView } from './view';

interface House {
	settings: Settings;
	ledger: Ledger;
	view: TaskView;
	callbacks: Callbacks;
	shelf: AssetLookup;
}

/** Seconds of `Prefer: wait=N`, cut to the longest wait. */
function waitOf(request: FastifyRequest, settings: Settings): number {
	const prefer = [request.headers.prefer ?? []].flat().join(',');
	const wanted = /(?:^|[,;\s])wait\s*=\s*"?(\d+)/i.exec(prefer)?.[1];
	return Math.min(Number(wanted ?? 0), settings.maxWaitSeconds);
}

function keyOf(request: FastifyRequest): string | undefined {
	const value = [request.headers['idempotency-key'] ?? []].flat()[0];
	return value === '' ? undefined : value;
}

export function bodyOf(request: FastifyRequest): Body {
	const { body } = request;
	if (typeof body !== 'object' || body === null || Array.isArray(body)) {
		throw new Refusal(400, 'The body must be a JSON object.');
	}
	return body as Body;
}

/** Section 4: submit, read, cancel. */
export function addTasks(app: FastifyInstance, house: House): void {
	const { settings, ledger, view, callbacks, shelf } = house;

	const own = (request: FastifyRequest): Task => {
		const { id } = request.params as { id: string };
		const task = ledger.find(id);
		if (task === undefined || task.account !== request.account) {
			throw new Refusal(404, `The task ${id} was not found.`);
		}
		return task;
	};

	const submit = (request: FastifyRequest): Task => {
		const body = bodyOf(request);
		const { account } = request;
		const around: Surroundings = {
			settings,
			hasCompleted: (taskId, model) => {
				const task = ledger.find(taskId);
				return (
					task?.account === account &&
					task.model === model &&
					ledger.isOver(task) &&
					task.outcome === 'completed'
				);
			},
		};
		const rule = ruleOf(body);
		checkReferences(rule, body, account, shelf);
		obey(rule, body, around);
		if (settings.quotaExhausted) throw new Refusal(402, 'The balance does not cover this task.');
		const task = ledger.submit({
			account,
			key: keyOf(request),
			body,
			rule,
			held: holdOf(rule, body, around),
		});
		callbacks.plan(task);
		return task;
	};

	app.post('/v1/tasks', async (request) => {
		const seconds = waitOf(request, settings);
		const reused = ledger.reused(request.account, keyOf(request));
		const task = reused ?? submit(request);
		if (seconds > 0) await ledger.over(task, seconds * 1000);
		const settled = ledger.isOver(task) && (seconds > 0 || reused !== undefined);
		if (task.model === 'gp-4o-image' && !(settled && seconds > 0))
			return { code: 'success', data: task.id };
		return settled ? view.full(task) : view.submission(task, reused === undefined && seconds === 0);
	});

	app.get('/v1/tasks/:id', async (request) => {
		const task = own(request);
		task.polls += 1;
		return view.full(task);
	});

	app.post('/v1/tasks/:id/cancel', async (request) => {
		const task = own(request);
		void ledger.end(task, 'cancelled');
		return view.full(task);
	});
}
