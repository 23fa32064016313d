import type { IDataObject } from 'n8n-workflow';
import type { FaultInjection } from '../../sandbox/faults';
import { onFastClock } from '../support/fastClock';
import { modelId, NODE, useGateway } from '../support/gateway';

const gateway = useGateway();
/** 0.0425 USD. */
const FIRST = 'imgn-4.0';
/** 0.02125 USD. */
const SECOND = 'qwn-image-2.0';
const kite = { model: modelId(FIRST), prompt: 'a kite' };
const withFallback = (more: IDataObject = {}) => ({
	...kite,
	options: { fallbackModels: SECOND, ...more },
});
const isSubmitOf = (model: string, { method, path, body }: Parameters<FaultInjection>[0]) =>
	method === 'POST' && path === '/v1/tasks' && (body as IDataObject).model === model;
const refuse = (status: number) =>
	(gateway.sandbox.faults.injection = (request) =>
		isSubmitOf(FIRST, request) ? { kind: { status } } : undefined);
const modelsSent = () => gateway.bodies().map((body) => (body as IDataObject).model);
const billed = () => gateway.sandbox.tasks().reduce((sum, { cost }) => sum + cost, 0);

it.each([
	['image:generate', FIRST, kite, `${FIRST}, ${SECOND}, ${SECOND}`, [FIRST, SECOND]],
	[
		'text:chat',
		'gp-5-mini',
		{ model: modelId('gp-5-mini'), messages: { entry: [{ role: 'user', text: 'Hello' }] } },
		'gp-5-mini, gp-5',
		['gp-5-mini', 'gp-5'],
	],
] as const)(
	'of %s is none twice, nor the chosen one',
	async (menu, first, parameters, fallbackModels, expected) => {
		gateway.sandbox.faults.injection = ({ method, body }) =>
			method === 'POST' && (body as IDataObject).model === first
				? { kind: { status: 400 } }
				: undefined;
		const run = await gateway.run(menu, { ...parameters, options: { fallbackModels } });

		expect(run.json(NODE)).toMatchObject([{ fallback_from: first }]);
		const sent = gateway.sandbox.requests.filter(({ headers }) => !headers.prefer);
		const models = sent.flatMap(({ body }) => ((body as IDataObject)?.model as string) ?? []);
		expect(models).toEqual(expected);
	},
);

it(
	'fails with what nobody knows of the first model, where the second is refused',
	onFastClock(async () => {
		gateway.sandbox.faults.injection = (request) => {
			if (isSubmitOf(FIRST, request)) return { kind: { status: 503 } };
			return isSubmitOf(SECOND, request) ? { kind: { status: 400 } } : undefined;
		};
		const run = await gateway.run('image:generate', withFallback(), {
			// Equal rows share their task, and its error.
			items: [{}, {}],
			node: { onError: 'continueRegularOutput' },
		});
		const items = run.json(NODE) as ({ details: IDataObject; message: string } & IDataObject)[];

		expect(items).toHaveLength(2);
		for (const { details, error, message } of items) {
			expect(details).toMatchObject({ code: 'bad_request', fallback_from: FIRST });
			expect(details.billed ?? null).toBeNull();
			expect(error).not.toBe(details.fallback_reason);
			const names = `This is about ${SECOND}, which was tried instead of ${FIRST}: `;
			expect(message.split(names)).toEqual([expect.any(String), details.fallback_reason]);
		}
	}),
);

it.each([503, 502])(
	'asks the next model when the first is answered %i for ever, and pays once',
	onFastClock(async (status) => {
		refuse(status);
		const run = await gateway.run('image:generate', withFallback());

		expect(run.json(NODE)).toEqual([
			expect.objectContaining({
				model: SECOND,
				status: 'completed',
				fallback_from: FIRST,
				fallback_reason: expect.stringContaining('The gateway could not process the request'),
			}),
		]);
		expect(run.items(NODE)[0]!.binary).toHaveProperty('data');
		expect(gateway.sandbox.tasks()).toHaveLength(1);
		expect(billed()).toBe(10_625);
		expect(run.hints(NODE).map(({ message }) => message)).toEqual([
			'1 image, $0.02125',
			expect.stringMatching(/qwn-image-2.0 was tried instead of imgn-4.0$/),
			expect.stringContaining('<b>qwn-image-2.0-1.png</b>'),
		]);
	}),
);

it.each([400, 403, 404])('asks it at once when the first is refused with %i', async (status) => {
	refuse(status);
	const run = await gateway.run('image:generate', withFallback());
	expect(run.json(NODE)).toMatchObject([{ model: SECOND, fallback_from: FIRST }]);
	expect(modelsSent()).toEqual([FIRST, SECOND]);
});

it.each([
	[401, 'invalid_api_key'],
	[402, 'insufficient_balance'],
	// From a proxy before the gateway.
	[407, 'not_found'],
])('asks no other model after %i', async (status, code) => {
	refuse(status);
	const run = await gateway.run('image:generate', withFallback(), {
		node: { onError: 'continueRegularOutput' },
	});
	expect(run.json(NODE)).toMatchObject([{ details: { code } }]);
	expect(modelsSent()).toEqual([FIRST]);
});

it(
	'asks no other model where the first may have made the task',
	onFastClock(async () => {
		refuse(500);
		const run = await gateway.run('image:generate', withFallback(), {
			node: { onError: 'continueRegularOutput' },
		});
		expect(run.json(NODE)).toMatchObject([{ details: { code: 'gateway_error' } }]);
		expect(new Set(modelsSent())).toEqual(new Set([FIRST]));
	}),
);

it(
	'asks no other model when one try of the submission was lost, whatever the others are answered',
	onFastClock(async () => {
		let isFirst = true;
		gateway.sandbox.faults.injection = (request) => {
			if (!isSubmitOf(FIRST, request)) return undefined;
			const kind = isFirst ? ('reset-after' as const) : { status: 503 };
			isFirst = false;
			return { kind };
		};
		await gateway.run('image:generate', withFallback());
		expect(new Set(modelsSent())).toEqual(new Set([FIRST]));
		expect(gateway.sandbox.tasks()).toHaveLength(1);
	}),
);

it.each([400, 403, 404])(
	'asks no other model when polls of the task are refused with %i, and waits on',
	async (status) => {
		let refused = 0;
		gateway.sandbox.faults.injection = ({ method, path }) =>
			method === 'GET' && path.startsWith('/v1/tasks/') && (refused += 1) <= 3
				? { kind: { status } }
				: undefined;
		const run = await gateway.run('image:generate', withFallback({ cancelOnStop: true }));
		expect(run.json(NODE)).toMatchObject([{ model: FIRST, status: 'completed' }]);
		expect(modelsSent()).toEqual([FIRST]);
	},
);

it.each([400, 403, 404])(
	'asks it for all rows with one key when the first is refused with %i, whichever comes first',
	async (status) => {
		for (const isLate of [false, true]) {
			let refused = 0;
			const before = gateway.sandbox.tasks().length;
			const hasMade = () => gateway.sandbox.tasks().length > before;
			gateway.sandbox.faults.injection = (request) => {
				if (!isSubmitOf(FIRST, request)) return undefined;
				refused += 1;
				// The task of the first row is made before the others are refused.
				const isHeld = isLate && refused > 1 && !hasMade();
				return { kind: isHeld ? { status: 429, retryAfter: '0.2' } : { status } };
			};
			const parameters = withFallback({ idempotencyKey: `key ${isLate}`, maximumRunCost: 0.05 });
			const run = await gateway.run('image:generate', parameters, { items: [{}, {}, {}] });

			expect(run.json(NODE)).toMatchObject(Array(3).fill({ model: SECOND, fallback_from: FIRST }));
		}
		expect(modelsSent().filter((model) => model === SECOND).length).toBeGreaterThan(1);
		expect(gateway.sandbox.tasks()).toHaveLength(2);
	},
);

it('counts the task of a row though another one with its key is refused by both models', async () => {
	let [refused, sent] = [0, 0];
	gateway.sandbox.faults.injection = (request) => {
		if (isSubmitOf(SECOND, request)) return (sent += 1) > 1 ? { kind: { status: 400 } } : undefined;
		if (!isSubmitOf(FIRST, request)) return undefined;
		const isHeld = (refused += 1) > 1 && !gateway.sandbox.tasks().length;
		return { kind: isHeld ? { status: 429, retryAfter: '0.2' } : { status: 400 } };
	};
	const parameters = withFallback({ idempotencyKey: 'key', maximumRunCost: 1 });
	const node = { onError: 'continueRegularOutput' as const };
	const run = await gateway.run('image:generate', parameters, { items: [{}, {}], node });

	expect(run.json(NODE)).toMatchObject([{ model: SECOND }, { error: expect.any(String) as never }]);
	const { contextData } = run.run.data.executionData!;
	const { generationGatewayBudget } = contextData[`node:${NODE}`] as IDataObject;
	const counted = Object.values(generationGatewayBudget as Record<string, number[]>);
	expect(counted.map(([quota]) => quota)).toEqual([10_625]);
});

it('gives back what was reserved for each model that was refused', async () => {
	const refused = ['imgn-4.0', 'gmn-3-pro-image-preview'];
	gateway.sandbox.faults.injection = ({ method, body }) =>
		method === 'POST' && refused.includes(String((body as IDataObject).model))
			? { kind: { status: 400 } }
			: undefined;
	const fallbackModels = 'gmn-3-pro-image-preview, qwn-image-2.0';
	const run = await gateway.run(
		'image:generate',
		withFallback({ fallbackModels, maximumRunCost: 0.0425 }),
	);
	expect(run.json(NODE)).toMatchObject([{ model: SECOND, status: 'completed' }]);
});

it('asks the next model when the task fails, which was refunded', async () => {
	gateway.sandbox.settings.fail = ({ model }) => (model === FIRST ? 'too hot' : undefined);
	const run = await gateway.run('image:generate', withFallback());
	gateway.sandbox.settings.fail = () => undefined;

	expect(run.json(NODE)).toMatchObject([
		{ model: SECOND, fallback_reason: expect.stringContaining('failed: too hot') },
	]);
	expect(gateway.sandbox.tasks().map(({ status, cost }) => [status, cost > 0])).toEqual([
		['failed', false],
		['completed', true],
	]);
});

it('takes the next model for one that is gone', async () => {
	const run = await gateway.run('task:submit', {
		model: modelId('srx-2'),
		parameters: { prompt: 'a kite' },
		wait: 'poll',
		options: { fallbackModels: 'clipk-v3' },
	});
	expect(run.json(NODE)).toMatchObject([
		{ model: 'clipk-v3', status: 'completed', fallback_from: 'srx-2' },
	]);
	expect(modelsSent()).toEqual(['clipk-v3']);
});

it.each(['srx-2', 'gx-imagine-1.0-video-rev'])(
	'takes the fields of the panel for the next model where %s is gone',
	async (deprecated) => {
		const run = await gateway.run('video:generate', {
			model: modelId(deprecated),
			prompt: 'a kite',
			aspect_ratio: '9:16',
			extra_body: '{ "duration": 3 }',
			options: { fallbackModels: 'clipk-v3' },
		});

		expect(run.json(NODE)).toMatchObject([{ model: 'clipk-v3', fallback_from: deprecated }]);
		expect(gateway.sandbox.tasks().map(({ body }) => body)).toEqual([
			{ model: 'clipk-v3', prompt: 'a kite', aspect_ratio: '9:16', duration: 3 },
		]);
	},
);

describe('the fields of a fallback model', () => {
	const square = { ...withFallback(), aspect_ratio: '1:1', additionalFields: { seed: 7 } };
	const wide = {
		...square,
		model: modelId('gmn-3.1-flash-image-preview'),
		aspect_ratio: '21:9',
	};

	it('are checked before anything is sent, and what does not fit is named', async () => {
		const run = await gateway.run('image:generate', wide);
		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.nodeError(NODE)!.message).toBe(
			'Fallback model qwn-image-2.0: Aspect Ratio must be 1:1, 4:3, 3:4, 16:9, 9:16, 3:2 or 2:3, but is 21:9',
		);
	});

	it('are left out where the user allows it, and the dry run says so', async () => {
		const options = { ...wide.options, omitUnsupported: true, dryRun: true };
		const run = await gateway.run('image:generate', { ...wide, options });
		const [{ fallbacks }] = run.json<{ fallbacks: unknown }>(NODE) as [{ fallbacks: unknown }];
		expect(JSON.stringify(fallbacks)).toBe(
			'[{"model":"qwn-image-2.0","estimated_cost_usd":0.02125,"advice":["Fallback model qwn-image-2.0 runs without Aspect Ratio"]}]',
		);
	});

	it('are left out when it is asked', async () => {
		gateway.sandbox.settings.fail = ({ model }) => (model === SECOND ? undefined : 'too hot');
		const options = { ...wide.options, omitUnsupported: true };
		await gateway.run('image:generate', { ...wide, options });
		gateway.sandbox.settings.fail = () => undefined;
		expect(gateway.bodies().at(-1)).toEqual({ model: SECOND, prompt: 'a kite', seed: 7 });
	});

	it('are not left out where an expression for a link finds nothing', async () => {
		const run = await gateway.run('video:generate', {
			model: modelId('srx-2'),
			prompt: 'go',
			image_urls: ['={{ $json.urls[0] }}'],
			options: { fallbackModels: 'pxv-v6', omitUnsupported: true },
		});
		expect(gateway.sandbox.requests).toEqual([]);
		expect(run.nodeError(NODE)!.message).toContain('finds nothing');
	});

	it('must make the same: no video instead of an image', async () => {
		const run = await gateway.run('image:generate', withFallback({ fallbackModels: 'clipk-v3' }));
		expect(run.nodeError(NODE)!.message).toBe('Fallback model clipk-v3 is for videos, not images');
	});
});

it('counts the dearest model for the cost limits', async () => {
	const run = await gateway.run('image:generate', {
		model: modelId(SECOND),
		prompt: 'a kite',
		options: { fallbackModels: FIRST, maximumCost: 0.03 },
	});
	expect(gateway.sandbox.requests).toEqual([]);
	expect(run.nodeError(NODE)!.message).toBe(
		'The task is estimated at $0.0425, but Cost Limit per Item is $0.03',
	);
});

it('gives each model a key of its own under the key of the user', async () => {
	gateway.sandbox.settings.fail = ({ model }) => (model === FIRST ? 'too hot' : undefined);
	await gateway.run('image:generate', withFallback({ idempotencyKey: 'row 1' }));
	gateway.sandbox.settings.fail = () => undefined;
	expect(gateway.sandbox.tasks().map(({ key }) => key)).toEqual([
		'row 1',
		'row 1%model-qwn-image-2.0',
	]);
});

it('stays with the model that has answered when Retry On Fail runs the node again', async () => {
	let hasFailed = false;
	gateway.sandbox.settings.fail = ({ model, prompt }) => {
		if (prompt === 'a heron') return hasFailed ? undefined : ((hasFailed = true), 'once');
		return model === FIRST && !hasFailed ? 'too hot' : undefined;
	};
	const run = await gateway.run(
		'task:submit',
		{
			model: modelId('={{ $json.model }}'),
			parameters: '={{ ({ prompt: $json.prompt }) }}',
			wait: 'poll',
			options: { fallbackModels: '={{ $json.others }}' },
		},
		{
			items: [
				{ model: FIRST, prompt: 'a kite', others: SECOND },
				{ model: FIRST, prompt: 'a heron', others: '' },
			],
			node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		},
	);
	gateway.sandbox.settings.fail = () => undefined;
	expect(run.json(NODE)).toMatchObject([{ model: SECOND }, { model: FIRST }]);
	const paid = gateway.sandbox.tasks().filter(({ cost }) => cost > 0);
	expect(paid.map(({ body }) => body.prompt)).toEqual(['a kite', 'a heron']);
});

it(
	'says which model was chosen, also when only Retry On Fail gets a result of the next one',
	onFastClock(async () => {
		let sent = 0;
		gateway.sandbox.faults.injection = (request) => {
			if (isSubmitOf(FIRST, request)) return { kind: { status: 404 } };
			// As often as one try asks.
			return isSubmitOf(SECOND, request) && (sent += 1) <= 6
				? { kind: { status: 503 } }
				: undefined;
		};
		const run = await gateway.run('image:generate', withFallback(), {
			node: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});

		expect(modelsSent().filter((model) => model === FIRST)).toHaveLength(1);
		expect(run.json(NODE)).toMatchObject([
			{ model: SECOND, fallback_from: FIRST, fallback_reason: expect.stringContaining('not know') },
		]);
	}),
);
