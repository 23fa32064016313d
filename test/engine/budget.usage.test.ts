import { file } from '../../scripts/engine';
import { modelId, NODE, useGateway } from '../support/gateway';
import { json, useStubGateway } from '../support/stubGateway';

const gateway = useGateway();
const stub = useStubGateway();
/** The sandbox lists 1 USD for a million input tokens and 4 for a million output tokens. */
const chat = {
	model: modelId('gp-5-mini'),
	messages: { entry: [{ role: 'user', text: 'Say hello' }] },
};
const LINK = 'https://example.com/kite.png';
const LIMITED = { maximumCost: 1, max_tokens: 100 };
const goOn = { node: { onError: 'continueRegularOutput' as const } };
const paths = () => gateway.sandbox.requests.map(({ path }) => path);
const sendChat = (options: object) =>
	gateway.run('text:chat', { ...chat, options: options as never });

describe('a cost limit of a text', () => {
	it('is estimated at most before, from the price list, and nothing is sent', async () => {
		const run = await sendChat({ maximumCost: 0.001, max_tokens: 1_000 });

		expect(run.nodeError(NODE)?.message).toMatch(
			/^The request is estimated at \$0\.004\d*, but Cost Limit per Item is \$0\.001$/,
		);
		expect(paths()).toEqual(['/v1/models']);
	});

	it('gives the cost of the usage after', async () => {
		const run = await sendChat({ maximumCost: 1, max_tokens: 1_000 });

		const [{ usage, cost, cost_usd }] = run.json(NODE) as [
			{ usage: { input_tokens: number; output_tokens: number }; cost: number; cost_usd: number },
		];
		const usd = (usage.input_tokens + 4 * usage.output_tokens) / 1_000_000;
		expect(cost).toBe(Math.ceil(usd * 500_000));
		expect(cost_usd).toBeCloseTo(usd, 5);
	});

	it.each([
		['text:chat', 'gp-5-mini', '. To know the cost, turn off Stream'],
		['text:generateContent', 'gmn-2.5-flash', ''],
	] as const)(
		'that streams to its client says that the cost of an answer without usage is not known: %s',
		async (menu, model, hint) => {
			const candidates = [{ content: { parts: [{ text: 'Hi' }] } }];
			stub.answer = (response, _body, { url }) =>
				url === '/v1/models'
					? json(response, { data: [{ id: model }] })
					: json(response, { choices: [{ message: { content: 'Hi' } }], candidates });
			const options = { maximumCost: 1, unknownPrice: 'send' };
			const run = await stub.run(
				menu,
				{ ...chat, model: modelId(model), options },
				{ engine: { mode: 'webhook', onChunk: () => undefined } },
			);

			expect(run.json(NODE)).toMatchObject([{ text: 'Hi' }]);
			expect(run.hints(NODE).map(({ message }) => message)).toEqual([
				`The cost of a request is not known. The limit counts its estimate, if there is one${hint}`,
			]);
		},
	);

	it('asks for prices once for a run, and never without a limit', async () => {
		const items = Array.from({ length: 5 }, () => ({}));
		await gateway.run(
			'text:chat',
			{ ...chat, options: { maximumRunCost: 1, max_tokens: 100 } },
			{ items },
		);
		expect(paths().filter((path) => path === '/v1/models')).toHaveLength(1);
		gateway.sandbox.requests.length = 0;

		await sendChat({ max_tokens: 100 });
		expect(paths()).toEqual(['/v1/chat/completions']);
	});

	it('counts what other items have reserved', async () => {
		const run = await gateway.run(
			'text:chat',
			{ ...chat, options: { maximumRunCost: 0.01, max_tokens: 1_000 } },
			{ items: [{}, {}, {}, {}], ...goOn },
		);

		const errors = run.json(NODE).map(({ error }) => String(error ?? '').slice(0, 25));
		expect(errors).toEqual(['', '', 'The request is estimated ', 'The request is estimated ']);
		expect(paths().filter((path) => path === '/v1/chat/completions')).toHaveLength(2);
	});

	it('is refused without Maximum Tokens, unless the user sends all the same', async () => {
		const run = await sendChat({ maximumCost: 1 });
		expect(run.nodeError(NODE)?.message).toBe(
			'The price of this request is not known, so the cost limit cannot be kept (the answer may have any length: set Maximum Tokens (Generate Content: Maximum Output Tokens))',
		);

		await sendChat({ maximumCost: 1, unknownPrice: 'send' });
		expect(paths().filter((path) => path === '/v1/chat/completions')).toHaveLength(1);
	});

	it('is refused where the list states no price, and nothing is invented', async () => {
		gateway.sandbox.settings.listModels = (models) =>
			models.map((model) => ({ ...model, price_config: { input: 1, output: 4 } }));
		const run = await sendChat({ maximumCost: 1, max_tokens: 10 });

		expect(run.nodeError(NODE)?.message).toContain('the list of models states no price by usage');
		expect(paths()).toEqual(['/v1/models']);
	});

	it('counts what it has cost in the limit of the day', async () => {
		const limits = { maximumDailyCost: 0.005, max_tokens: 1_000 };
		const [first] = (await sendChat(limits)).json(NODE) as [{ cost_usd: number }];
		const sent = paths().length;
		const run = await sendChat({ ...limits, max_tokens: 1_249 });

		expect(run.nodeError(NODE)?.message).toContain(
			`on top of $${first.cost_usd} spent or planned today (UTC), but Cost Limit per Day is $0.005`,
		);
		expect(paths().slice(sent)).toEqual(['/v1/models']);
	});
});

describe('a request whose price nobody can tell', () => {
	const unpriced = { maximumRunCost: 1, unknownPrice: 'send' };

	it('lets the next ones go on when its cost stays unknown', async () => {
		const recordings = ['one', 'two', 'three'].map((name) => ({
			json: {},
			binary: { data: file(name, `${name}.mp3`, 'audio/mpeg') },
		}));
		const run = await gateway.run(
			'audio:transcribe',
			{ model: modelId('asr-1'), options: unpriced },
			{ items: recordings },
		);

		expect(run.json(NODE).map(({ text }) => String(text).slice(0, 14))).toEqual(
			Array<string>(3).fill('Transcript of '),
		);
	});

	it('lets the next ones be refused, when the limit is used up', async () => {
		const options = { ...unpriced, maximumRunCost: 0.000_001 };
		const run = await gateway.run(
			'text:chat',
			{ ...chat, options },
			{ items: [{}, {}, {}], ...goOn },
		);

		const errors = run.json(NODE).map(({ error }) => String(error ?? '').slice(0, 31));
		expect(errors).toEqual(['', ...Array<string>(2).fill('The request has no stated price')]);
	});

	it.each([{ max_tokens: -1 }, { max_tokens: 0 }, { max_tokens: 10, temperature: 1, n: -5 }])(
		'is one with %j, which a gateway may take for no limit',
		async (options) => {
			const run = await sendChat({ maximumCost: 1, ...options });

			expect(run.nodeError(NODE)?.message).toContain(
				'set Maximum Tokens (Generate Content: Maximum Output Tokens)',
			);
			expect(paths()).toEqual(['/v1/models']);
		},
	);

	it('is one with a picture', async () => {
		const messages = { entry: [{ role: 'user', text: 'What is it?', image_url: LINK }] };
		const run = await gateway.run('text:respond', { ...chat, messages, options: LIMITED });

		expect(run.nodeError(NODE)?.message).toContain('files, links, Extra Body and tools');
		expect(paths()).toEqual(['/v1/models']);
	});

	it('is one with Extra Body', async () => {
		const run = await sendChat({ ...LIMITED, extra_body: '{ "max_completion_tokens": 9 }' });

		expect(run.nodeError(NODE)?.message).toContain('files, links, Extra Body and tools');
		expect(paths()).toEqual(['/v1/models']);
	});
});

it('counts each byte of messages and options as a token at most', async () => {
	const tools = [{ type: 'function', function: { name: 'f', description: 'x'.repeat(50_000) } }];
	const options = { maximumCost: 0.05, max_tokens: 10, tools: JSON.stringify(tools) };
	const run = await gateway.run('text:chat', { ...chat, options });

	expect(run.nodeError(NODE)?.message).toMatch(/^The request is estimated at \$0\.05\d+, but/);
});

it('gives back what a refused request has reserved', async () => {
	gateway.sandbox.settings.quotaExhausted = true;
	const limits = { maximumDailyCost: 0.005, max_tokens: 1_000 };
	await sendChat(limits);
	gateway.sandbox.settings.quotaExhausted = false;

	expect((await sendChat(limits)).json(NODE)).toHaveLength(1);
});

it('does not count again what an earlier try has paid for', async () => {
	gateway.sandbox.faults.add({
		match: { path: '/v1/chat/completions' },
		kind: { status: 502 },
	});
	const run = await gateway.run(
		'text:chat',
		{ ...chat, options: { maximumRunCost: 0.017, max_tokens: 1_000 } },
		{
			items: [{}, {}, {}, {}],
			node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		},
	);

	expect(run.json(NODE)).toHaveLength(4);
});

it('counts speech by its seconds, which only the answer tells', async () => {
	const run = await gateway.run(
		'audio:transcribe',
		{
			model: modelId('asr-1'),
			options: {
				maximumRunCost: 1,
				unknownPrice: 'send',
				extra_body: '{ "response_format": "verbose_json" }',
			},
		},
		{ items: [{ json: {}, binary: { data: file('a long talk', 'talk.mp3', 'audio/mpeg') } }] },
	);

	const [{ duration, cost }] = run.json(NODE) as [{ duration: number; cost: number }];
	expect(duration).toBeGreaterThan(0);
	expect(cost).toBe(Math.ceil(Number((duration * 0.0001 * 500_000).toFixed(4))));
});

it('counts what speech has cost where the answer states it', async () => {
	const answer = { text: 'Hi', cost: 500_000 };
	const paths: unknown[] = [];
	stub.answer = (response, _body, { url }) => {
		paths.push(url);
		json(response, url === '/v1/models' ? { data: [{ id: 'asr-1' }] } : answer);
	};
	const item = { json: {}, binary: { data: file('a talk', 'talk.mp3', 'audio/mpeg') } };
	const run = await stub.run(
		'audio:transcribe',
		{ model: modelId('asr-1'), options: { maximumRunCost: 0.5, unknownPrice: 'send' } },
		{ items: [item, item], ...goOn },
	);

	expect(run.json(NODE)).toEqual([
		{ ...answer, cost_usd: 1 },
		expect.objectContaining({ error: expect.any(String) }),
	]);
	expect(paths).toEqual(['/v1/models', '/v1/audio/transcriptions']);
});

it('sends a request without a price list for the items that allow it', async () => {
	stub.answer = (response, _body, { url }) =>
		url === '/v1/models'
			? json(response, { error: { message: 'No list' } }, 403)
			: json(response, { choices: [{ message: { content: 'Hi' } }] });
	const run = await stub.run(
		'text:chat',
		{ ...chat, options: { ...LIMITED, unknownPrice: '={{ $json.price }}' } },
		{ items: [{ json: { price: 'refuse' } }, { json: { price: 'send' } }] as never, ...goOn },
	);

	expect(run.json(NODE)).toMatchObject([{ error: expect.any(String) }, { text: 'Hi' }]);
});
