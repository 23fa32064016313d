import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, retryExecution, type EngineRun } from '../../scripts/engine';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { restartProcess } from '../support/restartProcess';

const gateway = useGateway();
const [CHOSEN, FALLBACK, OTHER] = ['imgn-4.0', 'qwn-image-2.0', 'qwn-image-2.0-pro'];
/** Of the chosen model, in USD. */
const PRICE = 0.0425;
const items = ['a', 'b', 'c'].map((prompt) => ({ prompt }));
const image = (options: IDataObject = {}) => ({
	model: modelId(CHOSEN!),
	prompt: '={{ $json.prompt }}',
	options: { output: 'links', concurrency: 1, ...options },
});
const tasks = () => gateway.sandbox.tasks();
const paidFor = (prompt: string) =>
	tasks()
		.filter(({ body, cost }) => body.prompt === prompt && cost > 0)
		.map(({ body }) => body.model);
const spent = () => tasks().reduce((usd, { cost }) => usd + cost / 500_000, 0);
/** The last row fails. */
const fails = ({ prompt }: { prompt?: unknown }) => (prompt === 'c' ? 'too hot' : undefined);
const retryWith = async (
	failed: EngineRun,
	menu: 'image:generate' | 'text:chat',
	parameters: IDataObject,
) => await retryExecution(failed, linear(itemsNode(items), gatewayNode(menu, parameters)));

beforeEach(restartProcess);
afterEach(() => jest.restoreAllMocks());

describe('Retry in the list after Fallback Models have changed', () => {
	/** Row a is made by the fallback, row c by none. */
	async function makeInPart(options: IDataObject = {}): Promise<EngineRun> {
		const { settings } = gateway.sandbox;
		settings.now = () => Date.now() - 60_000;
		settings.fail = ({ model, prompt }) =>
			(model === CHOSEN && prompt === 'a') || prompt === 'c' ? 'no capacity' : undefined;
		const parameters = image({ fallbackModels: FALLBACK, ...options });
		const failed = await gateway.run('image:generate', parameters, { items });
		expect(failed.status).toBe('error');
		expect(paidFor('a')).toEqual([FALLBACK]);
		restartProcess();
		Object.assign(settings, { now: () => Date.now(), fail: () => undefined });
		return failed;
	}

	it.each([`${OTHER}, ${FALLBACK}`, `${FALLBACK}, ${OTHER}`])(
		'finds the task that a fallback has made: %s',
		async (fallbackModels) => {
			const retried = await retryWith(
				await makeInPart(),
				'image:generate',
				image({ fallbackModels }),
			);

			expect(retried.status).toBe('success');
			expect(['a', 'b', 'c'].map(paidFor)).toEqual([[FALLBACK], [CHOSEN], [CHOSEN]]);
			expect(retried.json(NODE)[0]).toMatchObject({ reused: true, fallback_from: CHOSEN });
		},
	);

	it('counts what was paid where the model is not in the list any more', async () => {
		const failed = await makeInPart();
		const limited = image({ maximumRunCost: 0.11 });
		const retried = await retryWith(failed, 'image:generate', limited);

		expect(retried.error?.message).toContain(
			'on top of $0.10625 spent or planned by this node in this execution',
		);
		// Nothing more was sent.
		expect(spent()).toBeCloseTo(0.02125 + PRICE);
	});

	it.each([
		['a limit', image({ maximumRunCost: 0.09 })],
		['a wrong value', image({ fallbackModels: OTHER, pollInterval: 'often' })],
		['a wrong row', { ...image(), prompt: '={{ $json.prompt === "c" ? "" : $json.prompt }}' }],
	])('finds it also after a Retry without that model, refused by %s', async (_name, parameters) => {
		const refused = await retryWith(await makeInPart(), 'image:generate', parameters);
		expect(refused.status).toBe('error');
		restartProcess();
		const again = image({ fallbackModels: FALLBACK });
		const retried = await retryWith(refused, 'image:generate', again);

		expect(retried.status).toBe('success');
		expect(['a', 'b', 'c'].map(paidFor)).toEqual([[FALLBACK], [CHOSEN], [CHOSEN]]);
	});

	it('sends only the text that has failed', async () => {
		let sent = 0;
		gateway.sandbox.faults.injection = ({ method }) =>
			method === 'POST' && (sent += 1) === 2 ? { kind: { status: 503 } } : undefined;
		const chat = (options: IDataObject) => ({
			model: modelId('gp-5-mini'),
			messages: { entry: [{ role: 'user', text: '={{ $json.prompt }}' }] },
			options: { concurrency: 1, ...options },
		});
		const failed = await gateway.run('text:chat', chat({}), { items });
		expect(failed.status).toBe('error');
		gateway.sandbox.faults.injection = undefined;
		gateway.sandbox.requests.length = 0;
		const retried = await retryWith(failed, 'text:chat', chat({ fallbackModels: 'gp-5' }));

		expect(retried.status).toBe('success');
		const bodies = gateway.sandbox.requests.map(({ body }) => JSON.stringify(body));
		expect(bodies).toEqual([expect.stringContaining('"b"')]);
	});
});

describe('Cost Limit per Execution in a Retry that makes finished rows again', () => {
	const limited = (usd: number) => image({ maximumRunCost: usd });

	it('refuses what is too much before anything is sent, after the 24 hours of the keys', async () => {
		gateway.sandbox.settings.fail = fails;
		const failed = await gateway.run('image:generate', limited(0.15), { items });
		expect(failed.status).toBe('error');
		gateway.sandbox.settings.fail = () => undefined;
		restartProcess();
		const day = 25 * 3_600_000;
		const { now } = Date;
		jest.spyOn(Date, 'now').mockImplementation(() => now() + day);
		const retried = await retryExecution(failed);

		// Two were paid, and one more would fit.
		expect(retried.error?.message).toContain('Cost Limit per Execution is $0.15');
		expect(tasks()).toHaveLength(3);
	});

	it('counts both tasks of a row whose key leads to a new one, e.g. with another API key', async () => {
		gateway.sandbox.settings.fail = fails;
		const failed = await gateway.run('image:generate', limited(0.18), { items });
		gateway.sandbox.settings.fail = () => undefined;
		restartProcess();
		gateway.sandbox.settings.accounts = { [gateway.sandbox.key]: 'another' };
		const retried = await retryExecution(failed);

		expect(retried.error?.message).toContain('Cost Limit per Execution is $0.18');
	});
});
