import { callTrigger, linear, type NodeSpec } from '../../scripts/engine';
import { forget, isSeen, see } from '../../nodes/GenerationGatewayTrigger/seen';
import { typeOf } from '../../scripts/package';
import { NODE } from '../support/gateway';
import { CellRunner } from './cell';
import type { Fault } from './faults';

const NUMBERS = [1, 5, 8];
/** How the truth about a task comes later than its callback, in milliseconds. */
const TRUTHS = {
	'at once': {},
	'seven seconds later': { endsAfter: 7_000 },
	'five seconds later, and 404 until then': { isUnknownUntil: 5_000 },
	never: { endsAfter: Infinity },
} as const;
/** Processes that get the callback in turn, each with a memory of its own. */
const PROCESSES = [1, 2, 3];

/** How often the sender repeats what is not answered 2xx, and once more after that. */
const DELIVERIES = 12;
const REDELIVERY_MS = 10_000;
const NOT_FOUND: Fault = { name: '404', group: 'refusal', refusal: { status: 404 } };

let runner: CellRunner;
beforeAll(async () => (runner = await CellRunner.create()));
afterAll(async () => await runner.close());

const cells = NUMBERS.flatMap((count) =>
	Object.entries(TRUTHS).flatMap(([truth, how]) =>
		PROCESSES.map((processes) => ({ count, truth, processes, how })),
	),
);

it.each(cells)(
	'a callback for $count tasks whose end is there $truth, repeated to $processes processes in turn, starts one run for each',
	async ({ count, truth, processes, how }) => {
		const { sandbox, time, internet } = runner;
		const { endsAfter = 0, isUnknownUntil = 0 } = how as {
			endsAfter?: number;
			isUnknownUntil?: number;
		};
		const ids = await runner.begin(count);
		const place = `workflow-${count} ${truth} ${processes}`;
		const trigger: NodeSpec = {
			type: typeOf('generationGatewayTrigger'),
			name: NODE,
			id: 'trigger',
			webhookId: 'hook',
			credentials: 'generationGatewayApi',
		};
		const json = { ...linear(trigger), id: place };
		internet.inject = () => (time.elapsed < isUnknownUntil ? NOT_FOUND : undefined);
		const finish = async () => await Promise.all(ids.map(async (id) => await sandbox.finish(id)));
		if (!endsAfter) await finish();
		else if (endsAfter < Infinity) setTimeout(() => void finish(), endsAfter);

		const scope = `${place} trigger`;
		const memories: Set<string>[] = [];
		const started: unknown[] = [];
		const statuses: (number | undefined)[] = [];
		/** A sender calls no more once it gets a 200. */
		let startedWhenDone: number | undefined;
		for (let delivery = 0; delivery < DELIVERIES; delivery += 1) {
			const memory = (memories[delivery % processes] ??= new Set());
			forget(scope, ids);
			for (const id of memory) see(scope, id);
			const body = { tasks: ids.map((task_id) => ({ task_id })) };
			const outcome = await time.run(callTrigger(json, { body }, runner.options()), 60_000);
			statuses.push(outcome?.response.status);
			started.push(...(outcome?.run?.json(NODE) ?? []).map(({ task_id }) => task_id));
			if (outcome?.response.status === 200) startedWhenDone ??= started.length;
			await time.pass(REDELIVERY_MS);
			for (const id of ids) if (isSeen(scope, id)) memory.add(id);
		}

		const hasEnd = endsAfter < Infinity;
		expect(started.sort()).toEqual(hasEnd ? [...ids].sort() : []);
		expect(startedWhenDone).toBe(hasEnd ? ids.length : undefined);
		expect(statuses.at(-1)).toBe(hasEnd ? 200 : 503);
	},
);
