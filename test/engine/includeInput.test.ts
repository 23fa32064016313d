import type { IDataObject } from 'n8n-workflow';
import { file } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, runNode, useGateway } from '../support/gateway';

const gateway = useGateway();
const talk = file('talk', 'talk.mp3', 'audio/mpeg');
const items = [
	{ row: 'r1', ratio: '1:1' },
	{ row: 'r2', ratio: '7:1' },
];
const kites = { model: modelId('imgn-4.0'), prompt: 'a kite', aspect_ratio: '={{ $json.ratio }}' };
const run = async (options: object, onError = 'continueRegularOutput') =>
	await gateway.run(
		'image:generate',
		{ ...kites, options: { output: 'links', ...options } },
		{ items, node: { onError: onError as never } },
	);

describe('Include Input Fields', () => {
	it('has each result beside its row, finished or failed', async () => {
		const [finished, failed] = (await run({ includeInput: true })).json(NODE);

		expect(finished).toMatchObject({ row: 'r1', ratio: '1:1', status: 'completed' });
		expect(failed).toMatchObject({ row: 'r2', ratio: '7:1', item_index: 1 });
		expect(failed?.error).toContain('Aspect Ratio must be');
	});

	it('is off unless set; a failed row still says which one it is', async () => {
		const [finished, failed] = (await run({})).json(NODE);

		expect(finished).not.toHaveProperty('row');
		expect(failed).not.toHaveProperty('row');
		expect(failed).toMatchObject({ item_index: 1 });
	});

	it('may be chosen for each row', async () => {
		const [first, second] = (await run({ includeInput: '={{ $json.row === "r2" }}' })).json(NODE);

		expect([first?.row, second?.row]).toEqual([undefined, 'r2']);
	});

	it('goes with texts, too', async () => {
		const node = gatewayNode('text:chat', {
			model: modelId('gp-5-mini'),
			messages: { entry: [{ role: 'user', text: 'Hello' }] },
			options: { includeInput: true },
		});
		const ran = await runNode(node, [{ row: 'r1' }], gateway.options());

		expect(ran.json(NODE)[0]).toMatchObject({ row: 'r1', text: expect.any(String) });
	});
});

describe('an input field "error", which n8n takes for a failure of the node', () => {
	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const row = (error: unknown) => ({ json: { error } as IDataObject, binary: { data: talk } });

	it.each([
		['text:chat', { messages: { entry: [{ role: 'user', text: 'Hello' }] } }],
		['audio:transcribe', { model: modelId('asr-1') }],
		['embedding:create', { model: modelId('text-embedding-3-small'), input: 'x' }],
		['image:generate', { model: modelId('imgn-4.0'), prompt: 'a kite' }],
	] as const)('is left out, so Retry On Fail of %s repeats nothing', async (menu, parameters) => {
		const item = row('The first model was busy');
		const ran = await gateway.run(
			menu,
			{ model: modelId('gp-5-mini'), ...parameters, options: { includeInput: true } },
			{ items: [item], node },
		);
		const answered = gateway.sandbox.requests.filter(({ status = 0 }) => status < 300);
		// The same key gives the same task.
		const paid = new Set(answered.map(({ headers }, at) => headers['idempotency-key'] ?? at));

		expect(ran.status).toBe('success');
		expect(ran.json(NODE)[0]).not.toHaveProperty('error');
		expect([...paid]).toHaveLength(1);
	});
});
