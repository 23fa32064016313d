import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { TOOL_CALLER_TYPE } from '../../scripts/engine/harnessNodes';
import { onFastClock } from '../support/fastClock';
import { modelId } from '../support/gateway';
import { AGENT, parse, TOOL, toolNode, useModelTool } from '../support/useModelTool';

const { gateway, runCalls, requestCalls, withTool } = useModelTool();

/** The same calls in both ways. */
const WAYS: [string, (parameters: IDataObject, calls: IDataObject[]) => Promise<IDataObject[]>][] =
	[
		['run by n8n for the agent', requestCalls],
		[
			'called by the agent',
			async (parameters, calls) => {
				const run = await withTool(parameters, async (tool) => {
					const answers: unknown[] = [];
					for (const given of calls) answers.push(parse(await tool.invoke(given)));
					return { answers: answers as IDataObject[] };
				});
				expect(run.error).toBeUndefined();
				return run.json(AGENT)[0]!.answers as IDataObject[];
			},
		],
	];

it('says above the output how to try the tool without an agent', async () => {
	const run = await runCalls({}, [{}]);

	expect(run.hints(TOOL).map(({ message }) => message)).toContain(
		'To try the tool without an agent, put the fields into Fixed Fields.',
	);
});

it('downloads no file that nobody gets: the agent reads links', async () => {
	gateway.sandbox.settings.resultLinks = () => [`${gateway.sandbox.url}/files/none?status=404`];
	const run = await runCalls({ options: { markAsAi: true } }, [{ prompt: 'a kite' }]);

	expect(run.json(`${AGENT} 0`)).toMatchObject([{ status: 'completed' }]);
	expect(gateway.sandbox.downloads).toEqual([]);
	expect(run.hints(TOOL).map(({ message }) => message)).toContainEqual(
		expect.stringMatching(/not marked as made by AI: only their links are returned/),
	);
});

describe.each(WAYS)('the model tool, %s', (_way, makeCalls) => {
	it('gives links, the task ID and the cost', async () => {
		const [answer] = await makeCalls({}, [{ prompt: 'a kite', aspect_ratio: '16:9' }]);

		expect(answer).toMatchObject({
			task_id: expect.stringMatching(/^task_/),
			model: 'imgn-4.0',
			status: 'completed',
			urls: [expect.stringContaining('http')],
			cost_usd: 0.0425,
		});
		expect(gateway.bodies()).toEqual([
			{ model: 'imgn-4.0', prompt: 'a kite', aspect_ratio: '16:9' },
		]);
	});

	it('says what is wrong with a call and sends nothing, so that the next call is right', async () => {
		const [refusal, answer] = await makeCalls({}, [
			{ prompt: 'a kite', aspect_ratio: 'wide', n: 0 },
			{ prompt: 'a kite', aspect_ratio: '16:9' },
		]);

		expect(refusal).toMatchObject({
			error: expect.stringMatching(/Aspect Ratio must be 1:1, .*but is wide.*must be at least 1/s),
			details: { code: 'invalid_input' },
		});
		expect(answer).toMatchObject({ status: 'completed' });
		expect(gateway.posts()).toHaveLength(1);
	});

	it('says how to try it to somebody who runs it without an agent', async () => {
		const [refusal, wrong] = await makeCalls({}, [{}, { aspect_ratio: '16:9' }]);

		expect(refusal).toMatchObject({ error: 'Prompt is empty' });
		expect(refusal!.message).toMatch(/ To try the tool without an agent, .* Fixed Fields\.$/);
		expect(wrong!.message).not.toContain('Fixed Fields');
	});

	it('pays once for calls that are equal', async () => {
		const args = { prompt: 'a kite', seed: 7 };
		const answers = await makeCalls({}, [args, { seed: '7', prompt: 'a kite', n: null }, args]);

		expect(new Set(answers.map(({ task_id }) => task_id)).size).toBe(1);
		expect(gateway.sandbox.tasks()).toHaveLength(1);
	});

	it('makes a new task for an equal call where the user wants that', async () => {
		const args = { prompt: 'a kite' };
		const answers = await makeCalls({ options: { ifAlreadyMade: 'make' } }, [args, args]);

		expect(new Set(answers.map(({ task_id }) => task_id)).size).toBe(2);
	});

	it('sends what the user has fixed, whatever the agent says', async () => {
		await makeCalls({ fixedFields: '{ "n": 2 }' }, [{ prompt: 'a kite', n: 8 }]);

		expect(gateway.bodies()).toEqual([{ model: 'imgn-4.0', prompt: 'a kite', n: 2 }]);
	});

	it('keeps to the limits of the user, which the agent cannot set', async () => {
		const answers = await makeCalls({ options: { maximumRunCost: 0.05 } }, [
			{ prompt: 'a kite' },
			{ prompt: 'a boat' },
		]);

		expect(answers).toMatchObject([
			{ status: 'completed' },
			{ error: expect.stringContaining('Cost Limit per Execution') },
		]);
		expect(gateway.sandbox.tasks()).toHaveLength(1);
	});

	it('counts equal calls once, also where no price is stated', async () => {
		const args = { prompt: 'a kite' };
		const options = { maximumRunCost: 0.04, unknownPrice: 'send' };
		const answers = await makeCalls({ model: modelId('flx-2-pro'), options }, [args, args]);

		expect(answers).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
		expect(gateway.sandbox.tasks()).toHaveLength(1);
	});

	it('counts nothing for a call that the gateway refuses', async () => {
		let posts = 0;
		gateway.sandbox.faults.injection = ({ method }) =>
			method === 'POST' && (posts += 1) === 1 ? { kind: { status: 400 } } : undefined;
		const [refused, answer] = await makeCalls({ options: { maximumRunCost: 0.05 } }, [
			{ prompt: 'a kite' },
			{ prompt: 'a boat' },
		]);

		expect(refused).toMatchObject({ details: { code: 'bad_request', billed: 0 } });
		expect(answer).toMatchObject({ status: 'completed' });
	});

	it('makes a new task for an equal call after one that failed', async () => {
		let tries = 0;
		gateway.sandbox.settings.fail = () => ((tries += 1) === 1 ? 'failed' : undefined);
		const args = { prompt: 'a kite' };
		const [failed, answer] = await makeCalls({}, [args, args]);

		expect(failed).toMatchObject({ error: expect.stringContaining('failed') });
		expect(answer).toMatchObject({ status: 'completed' });
		expect(gateway.sandbox.tasks()).toHaveLength(2);
	});
});

describe('a tool whose model does not do', () => {
	it(
		'has another model do it, without the fields that this one does not take',
		onFastClock(async () => {
			gateway.sandbox.faults.injection = ({ body }) =>
				(body as { model?: string } | undefined)?.model === 'imgn-4.0'
					? { kind: { status: 503 } }
					: undefined;
			const [answer] = await requestCalls({ options: { fallbackModels: 'gp-4o-image' } }, [
				{ prompt: 'a kite', seed: 7, aspect_ratio: '16:9' },
			]);

			expect(answer).toMatchObject({ model: 'gp-4o-image', fallback_from: 'imgn-4.0' });
		}),
	);

	it.each([
		[undefined, { error: expect.stringMatching(/^Model srx-2 is delisted/) }],
		['clipk-v3', { model: 'clipk-v3', fallback_from: 'srx-2' }],
	])('says so when it is no longer served, or has %s do it', async (fallbackModels, expected) => {
		const options = fallbackModels ? { fallbackModels } : {};
		const [answer] = await requestCalls({ model: modelId('srx-2'), options }, [
			{ prompt: 'a kite' },
		]);

		expect(answer).toMatchObject(expected);
	});
});

describe('a call that a model has made up', () => {
	it('is refused with the fields that there are', async () => {
		const run = await withTool({}, async (tool) => ({
			answer: parse(await tool.invoke({ prompt: 'a kite', quality: 'best' })),
		}));

		expect(run.json(AGENT)).toMatchObject([
			{ answer: { error: expect.stringMatching(/imgn-4\.0 does not take Quality\. It takes/) } },
		]);
	});

	it.each(['image_urls', 'first_frame_image'])(
		'is refused with %s, which the model does not take, where n8n runs the tool',
		async (name) => {
			const [answer] = await requestCalls({}, [{ prompt: 'a kite', [name]: 'https://a.io/b.png' }]);

			expect(answer!.error).toMatch(/^imgn-4\.0 does not take [^;]*$/);
			expect(gateway.posts()).toEqual([]);
		},
	);

	it('is refused with what the fallback does not take, and sent to a model that nobody knows', async () => {
		const replaced = { model: modelId('srx-2'), options: { fallbackModels: 'pxv-v6' } };
		const [answer] = await requestCalls(replaced, [
			{ prompt: 'a kite', video_urls: ['https://a.io/b.mp4'] },
		]);
		expect(answer!.error).toMatch(/^pxv-v6 does not take Video URLs[^;]*$/);
		expect(gateway.posts()).toEqual([]);

		await withTool({ model: modelId('foo-9') }, async (tool) => ({
			answer: await tool.invoke({ prompt: 'a kite', style: 'x', image_urls: [] }),
		}));
		expect(gateway.bodies()).toEqual([{ model: 'foo-9', prompt: 'a kite', style: 'x' }]);
	});

	it('is refused with what every request takes, unless the user has fixed it', async () => {
		const answerTo = (parameters: IDataObject, more: IDataObject) =>
			withTool(parameters, async (tool) => ({
				answer: parse(await tool.invoke({ prompt: 'a kite', ...more })),
			}));
		const callback_url = 'https://example.com/hook';
		for (const more of [{ callback_url }, { extra: { a: 1 } }])
			expect((await answerTo({}, more)).json(AGENT)).toMatchObject([
				{
					answer: {
						error: expect.stringMatching(/^imgn-4\.0 does not take (Callback URL|Extra)\./),
					},
				},
			]);
		expect(gateway.posts()).toEqual([]);
		await answerTo(
			{ fixedFields: { callback_url } },
			{ callback_url: 'https://example.com/other' },
		);

		expect(gateway.bodies()).toEqual([{ model: 'imgn-4.0', prompt: 'a kite', callback_url }]);
	});

	it('is read apart from the item of the agent, whose fields may have the same names', async () => {
		const chat = { action: 'sendMessage', chatInput: 'draw a kite', n: 8 };
		await runWorkflow(
			linear(itemsNode([chat]), {
				type: TOOL_CALLER_TYPE,
				name: AGENT,
				parameters: { tool: TOOL, arguments: { prompt: 'a kite' } as never },
				subNodes: { ai_tool: [toolNode({})] },
			}),
			gateway.options(),
		);

		expect(gateway.bodies()).toEqual([{ model: 'imgn-4.0', prompt: 'a kite' }]);
	});
});
