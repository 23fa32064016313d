import fc from 'fast-check';
import { FALLBACKS, UNPRICED, type Behaviour } from './simulatedGateway';
import type { Execution, NodeSettings } from './simulatedN8n';
import type { World } from './world';

export interface Model {
	/** Executions so far, and whether the last one can go on. */
	executions: number;
	canGoOn: boolean;
}

const fault = fc.constantFrom(
	...([undefined, undefined, 'lost', 'unsent', 'refused', 'refused for long'] as const),
	...(['overloaded', 'failed'] as const),
);
const behaviour: fc.Arbitrary<Behaviour> = fc.record({
	faults: fc.array(fault, { maxLength: 10 }),
	hold: fc.constantFrom('right', 'right', 'missing', 'zero', 'negative', 'small at first'),
	settled: fc.constantFrom(1, 1, 0.5, 2, 15),
	durationMs: fc.constantFrom(300, 3_000, 20_000),
	failing: fc.constantFrom(0, 0, 1, 3),
	skewMs: fc.constantFrom(0, -60_000, 60_000),
});
const settings: fc.Arbitrary<NodeSettings> = fc.record({
	model: fc.constantFrom('imgn-4.0', 'imgn-4.0', UNPRICED),
	rows: fc.integer({ min: 1, max: 4 }),
	isRandom: fc.boolean(),
	ownKey: fc.constantFrom('none', 'none', 'row', 'shared'),
	fallback: fc.constantFrom(undefined, undefined, ...FALLBACKS),
	wait: fc.constantFrom('poll', 'poll', 'none'),
	perExecution: fc.option(fc.constantFrom(1, 2.5, 4), { nil: undefined }),
	perItem: fc.option(fc.constantFrom(1, 3), { nil: undefined }),
	perDay: fc.option(fc.constantFrom(1, 2.5, 4), { nil: undefined }),
	maxWait: fc.constantFrom(10, 60),
	tries: fc.integer({ min: 1, max: 3 }),
	onError: fc.constantFrom('continue', 'stop'),
});
const together = fc.oneof(
	{ weight: 3, arbitrary: settings.map((of) => [of]) },
	{ weight: 1, arbitrary: fc.tuple(settings, settings) },
	{ weight: 1, arbitrary: settings.map((of) => [of, of]) },
);
const moment = fc.constantFrom(15, 50, 200, 1_000, 5_000);
const interruption = fc.oneof(
	{ weight: 4, arbitrary: fc.constant({}) },
	{ weight: 1, arbitrary: moment.map((stopAfterMs) => ({ stopAfterMs })) },
	{ weight: 1, arbitrary: moment.map((killAfterMs) => ({ killAfterMs })) },
);
export type Interruption = { stopAfterMs?: number; killAfterMs?: number };

abstract class Command implements fc.AsyncCommand<Model, World> {
	constructor(
		protected readonly given: { behaviour: Behaviour; interruption: Interruption },
		private readonly name: string,
	) {}

	check({ executions }: Readonly<Model>): boolean {
		return executions >= 0;
	}

	async run(model: Model, world: World): Promise<void> {
		world.gateway.behave(this.given.behaviour);
		const executions = this.begin(world);
		await world.n8n.run(executions, this.given.interruption);
		const execution = executions.at(-1)!;
		model.executions = world.n8n.executions.length;
		model.canGoOn = execution.isOver && !execution.isStopped && !execution.error;
		world.check();
	}

	protected abstract begin(world: World): Execution[];

	toString(): string {
		return `${this.name} ${JSON.stringify(this.given)}`;
	}
}

export class Execute extends Command {
	constructor(
		given: { behaviour: Behaviour; interruption: Interruption },
		/** Of several executions at once. */
		private readonly settings: NodeSettings[],
	) {
		super(given, `execute ${JSON.stringify(settings)}`);
	}

	protected begin(world: World): Execution[] {
		return this.settings.map((of) => world.n8n.start(of));
	}
}

export class NextPassOfLoop extends Command {
	override check({ canGoOn }: Readonly<Model>): boolean {
		return canGoOn;
	}

	protected begin({ last }: World): Execution[] {
		last.pass += 1;
		return [last];
	}
}

/** Another workflow reads every task whose ID is known. */
class Read implements fc.AsyncCommand<Model, World> {
	check({ executions }: Readonly<Model>): boolean {
		return executions > 0;
	}

	async run(_model: Model, world: World): Promise<void> {
		await world.read();
		world.check();
	}

	toString(): string {
		return 'another workflow reads the tasks';
	}
}

export class RetryInList extends Command {
	constructor(
		given: { behaviour: Behaviour; interruption: Interruption },
		private readonly isRestarted: boolean,
		/** Where earlier nodes run again, they give the rows in other places. */
		private readonly moves = false,
	) {
		const how = moves ? 'retry in the list with moved rows' : 'retry in the list';
		super(given, isRestarted ? `restart, then ${how}` : how);
	}

	override check({ executions }: Readonly<Model>): boolean {
		return executions > 0;
	}

	protected begin(world: World): Execution[] {
		if (this.isRestarted) world.n8n.restart();
		world.wasRestarted ||= this.isRestarted;
		return [world.n8n.retry(world.last, this.moves)];
	}
}

const given = fc.record({ behaviour, interruption });
export const commands = fc.commands(
	[
		fc.tuple(given, together).map((of) => new Execute(...of)),
		given.map((of) => new NextPassOfLoop(of, 'next pass of a loop')),
		fc.tuple(given, fc.boolean(), fc.boolean()).map((of) => new RetryInList(...of)),
		fc.constant(new Read()),
	],
	{ maxCommands: 5 },
);
