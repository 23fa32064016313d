import { modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();

describe('If Already Made', () => {
	const make = async (options: object) =>
		(
			await gateway.run('image:generate', {
				model: modelId('imgn-4.0'),
				prompt: 'a kite',
				options: { output: 'links', ...options },
			})
		).json(NODE)[0]?.task_id;

	it.each([
		[{ ifAlreadyMade: 'make' }, false],
		[{ ifAlreadyMade: 'make', idempotencyKey: 'left over' }, false],
		[{ ifAlreadyMade: 'reuse' }, true],
		[{ ifAlreadyMade: 'key', idempotencyKey: 'row-1' }, true],
		[{ idempotencyKey: 'row-1' }, true],
		[{}, false],
	])('%j: a second execution has the same task: %s', async (options, isSame) => {
		const [first, second] = [await make(options), await make(options)];
		expect(first === second).toBe(isSame);
	});

	it('asks for the key before anything is sent', async () => {
		const run = await gateway.run('image:generate', {
			model: modelId('imgn-4.0'),
			prompt: 'a kite',
			options: { ifAlreadyMade: 'key' },
		});

		expect(run.nodeError(NODE)?.message).toBe(
			'Idempotency Key is empty. Give it a value under Options, or choose something else for If Already Made',
		);
		expect(gateway.posts()).toEqual([]);
	});
});
