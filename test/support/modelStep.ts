import type { AsyncCommand } from 'fast-check';
import type { VirtualClock } from './virtualClock';

/** What a model-based test acts on. `check` throws when a promise was broken. */
interface ModelWorld {
	clock: VirtualClock;
	check(): void;
}

/** Gives what creates the commands of a model: each acts on the world, and then checks it. */
export const stepsOf =
	<World extends ModelWorld>() =>
	(name: string, act: (world: World) => unknown): AsyncCommand<object, World> => ({
		check: () => true,
		run: async (_model, world) => {
			await world.clock.run(Promise.resolve(act(world)));
			world.check();
		},
		toString: () => name,
	});
