import fc from 'fast-check';
import { systemClock } from '../../../nodes/n8n/systemClock';
import { commands, type Model } from './commands';
import { FOUND } from './foundSequences';
import { World } from './world';

/** As many random sequences; for more: `SEQUENCES=100000 npx jest test/GenerationGateway/account/account.model`. */
const RUNS = Number(process.env.SEQUENCES ?? 300);
const SEED = Number(process.env.SEED ?? 20_261_123);

describe('money and keys', () => {
	const original = { ...systemClock };
	afterAll(() => {
		Object.assign(systemClock, original);
		jest.restoreAllMocks();
	});

	it.each(Object.keys(FOUND))('hold in %s', async (name) => {
		const [model, world] = [{ executions: 0, canGoOn: false }, new World()];
		for (const command of FOUND[name]!()) await command.run(model, world);
	});

	it(`hold in ${RUNS} random sequences of runs, retries, loops, stops, kills and faults`, async () => {
		await fc.assert(
			fc.asyncProperty(commands, async (sequence) => {
				const model: Model = { executions: 0, canGoOn: false };
				const setup = () => ({ model, real: new World() });
				await fc.asyncModelRun(setup, sequence);
			}),
			{ numRuns: RUNS, seed: SEED },
		);
	}, 7_200_000);
});
