import { NodeOperationError, type INodeProperties } from 'n8n-workflow';
import { executeAsTool, itemsNode, linear, runWorkflow, TOOL_CALLER } from '../../scripts/engine';
import { createProbeNode, PROBE, runProbe, type Execute } from '../support/probeNode';

describe('the engine harness: items and parameters', () => {
	it('keeps the pairing of items across nodes', async () => {
		const result = await runProbe(
			linear(
				itemsNode([{ id: 'a' }, { id: 'b' }]),
				{ type: PROBE },
				{
					type: 'n8n-nodes-base.set',
					typeVersion: 3.4,
					parameters: {
						assignments: {
							assignments: [
								{
									id: '1',
									name: 'origin',
									type: 'string',
									value: "={{ $('Items').item.json.id }}",
								},
							],
						},
					},
				},
			),
			async (context) =>
				context
					.getInputData()
					.map((_, item) => ({ json: {}, pairedItem: { item } }))
					.reverse(),
		);

		expect(result.status).toBe('success');
		expect(result.items('probe').map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 1 },
			{ item: 0 },
		]);
		expect(result.json('set')).toEqual([{ origin: 'b' }, { origin: 'a' }]);
	});

	it('resolves expressions for each item', async () => {
		const result = await runProbe(
			linear(itemsNode([{ n: 2 }, { n: 3 }]), {
				type: PROBE,
				parameters: { text: '={{ $json.n ** 2 }} of {{ $vars.unit }}' },
			}),
			async (context) =>
				context.getInputData().map((_, item) => ({
					json: { text: context.getNodeParameter('text', item) as string },
					pairedItem: { item },
				})),
			{ variables: { unit: 'm' } },
		);

		expect(result.json('probe')).toEqual([{ text: '4 of m' }, { text: '9 of m' }]);
	});

	it('refuses a workflow whose required field is empty, as the server does', async () => {
		const required: INodeProperties = {
			displayName: 'Model',
			name: 'model',
			type: 'string',
			default: '',
			required: true,
		};
		const result = await runWorkflow(linear(itemsNode([{}]), { type: PROBE }), {
			nodeTypes: { [PROBE]: createProbeNode(async () => [], [required]) },
		});

		expect(result.status).toBe('error');
		expect(result.error?.message).toContain('Parameter "Model" is required');
	});

	it('shows the execution id to the node', async () => {
		const execute: Execute = async (context) => [
			{
				json: {
					id: context.getExecutionId(),
					resumeUrl: context.getWorkflowDataProxy(0).$execution.resumeUrl as string,
				},
			},
		];
		const given = await runProbe(linear(itemsNode([{}]), { type: PROBE }), execute, {
			executionId: '4711',
		});
		const fresh = await runProbe(linear(itemsNode([{}]), { type: PROBE }), execute);

		expect(given.json('probe')).toEqual([
			{
				id: '4711',
				resumeUrl: expect.stringMatching(
					/^http:\/\/localhost:5678\/webhook-waiting\/4711\?signature=/,
				),
			},
		]);
		expect(fresh.json('probe')).toEqual([expect.objectContaining({ id: fresh.executionId })]);
		expect(fresh.executionId).not.toBe(given.executionId);
	});
});

describe("the engine harness: n8n's own nodes", () => {
	it('runs Set, If and Code', async () => {
		const workflow = linear(
			itemsNode([{ n: 1 }, { n: 2 }]),
			{
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				parameters: {
					includeOtherFields: true,
					assignments: {
						assignments: [{ id: '1', name: 'double', type: 'number', value: '={{ $json.n * 2 }}' }],
					},
				},
			},
			{
				type: 'n8n-nodes-base.code',
				typeVersion: 2,
				parameters: {
					jsCode:
						"return $input.all().map(({ json }) => ({ json: { ...json, first: $('Items').first().json.n } }));",
				},
			},
			{
				type: 'n8n-nodes-base.if',
				typeVersion: 2.2,
				parameters: {
					conditions: {
						options: { caseSensitive: true, typeValidation: 'strict', version: 2 },
						combinator: 'and',
						conditions: [
							{
								id: '1',
								leftValue: '={{ $json.double }}',
								rightValue: 3,
								operator: { type: 'number', operation: 'gt' },
							},
						],
					},
				},
			},
		);
		const result = await runWorkflow(workflow);

		expect(result.error).toBeUndefined();
		expect(result.json('if')).toEqual([{ n: 2, double: 4, first: 1 }]);
		expect(result.json('if', 1)).toEqual([{ n: 1, double: 2, first: 1 }]);
		expect(result.executed).toEqual(['Items', 'set', 'code', 'if']);
	});

	it('hands a node to an agent as a tool', async () => {
		const result = await executeAsTool(
			{ type: PROBE, parameters: { text: "={{ $fromAI('prompt', 'What to draw', 'string') }}" } },
			{ prompt: 'a heron' },
			{
				nodeTypes: {
					[PROBE]: createProbeNode(async (context) => [
						{ json: { drew: context.getNodeParameter('text', 0) as string } },
					]),
				},
			},
		);

		expect(result.json(TOOL_CALLER)).toEqual([{ drew: 'a heron' }]);
	});
});

describe('the engine harness: errors', () => {
	const failOnB: Execute = async (context) =>
		context.getInputData().map(({ json }, item) => {
			if (json.id !== 'b') return { json, pairedItem: { item } };
			const error = new NodeOperationError(context.getNode(), 'b is not taken', {
				itemIndex: item,
				description: 'Choose a',
			});
			if (context.continueOnFail())
				return { json: { error: error.message }, error, pairedItem: { item } };
			throw error;
		});

	it('stops at a node that throws, and says why', async () => {
		const result = await runProbe(
			linear(itemsNode([{ id: 'b' }]), { type: PROBE }, { type: 'n8n-nodes-base.noOp' }),
			failOnB,
		);

		expect(result.status).toBe('error');
		expect(result.nodeError('probe')).toMatchObject({
			message: 'b is not taken',
			description: 'Choose a',
			context: { itemIndex: 0 },
		});
		expect(result.error?.message).toBe('b is not taken');
		expect(result.items('noOp')).toEqual([]);
	});

	it('goes on with continueRegularOutput', async () => {
		const result = await runProbe(
			linear(
				itemsNode([{ id: 'a' }, { id: 'b' }]),
				{ type: PROBE, onError: 'continueRegularOutput' },
				{ type: 'n8n-nodes-base.noOp' },
			),
			failOnB,
		);

		expect(result.status).toBe('success');
		expect(result.json('noOp')).toEqual([{ id: 'a' }, { error: 'b is not taken' }]);
	});

	it('sends failed items to the error output, with their input, with continueErrorOutput', async () => {
		const result = await runProbe(
			linear(itemsNode([{ id: 'a' }, { id: 'b' }]), {
				type: PROBE,
				onError: 'continueErrorOutput',
			}),
			async (context) =>
				context.getInputData().map(({ json }, item) => ({
					json: json.id === 'b' ? { error: 'b is not taken', details: { task_id: 't1' } } : json,
					pairedItem: { item },
				})),
		);

		expect(result.json('probe')).toEqual([{ id: 'a' }]);
		expect(result.json('probe', 1)).toEqual([
			{ id: 'b', error: 'b is not taken', details: { task_id: 't1' } },
		]);
	});

	it("replaces the json of an item that carries an error object, as n8n's engine does", async () => {
		const result = await runProbe(
			linear(itemsNode([{}]), { type: PROBE, onError: 'continueRegularOutput' }),
			async (context) => [
				{
					json: { task_id: 't1' },
					error: new NodeOperationError(context.getNode(), 'no luck'),
					pairedItem: { item: 0 },
				},
			],
		);

		expect(result.json('probe')).toEqual([{ error: 'no luck' }]);
	});

	it('runs a node again with Retry On Fail', async () => {
		const times: number[] = [];
		const result = await runProbe(
			linear(itemsNode([{}]), {
				type: PROBE,
				retryOnFail: true,
				maxTries: 3,
				waitBetweenTries: 40,
			}),
			async () => {
				times.push(Date.now());
				if (times.length < 3) throw new Error('not yet');
				return [{ json: { tries: times.length } }];
			},
		);

		expect(result.json('probe')).toEqual([{ tries: 3 }]);
		expect(times[2]! - times[0]!).toBeGreaterThanOrEqual(75);
	});
});

describe('the engine harness: stopping and waiting', () => {
	it('stops when the signal aborts, and tells the node', async () => {
		const user = new AbortController();
		let isAborted = false;
		const result = await runProbe(
			linear(itemsNode([{}]), { type: PROBE }, { type: 'n8n-nodes-base.noOp' }),
			async (context) =>
				await new Promise((resolve) => {
					context.getExecutionCancelSignal()?.addEventListener('abort', () => {
						isAborted = true;
						resolve([{ json: {} }]);
					});
					user.abort();
				}),
			{ signal: user.signal },
		);

		expect(isAborted).toBe(true);
		expect(result.status).toBe('canceled');
		expect(result.executed).not.toContain('noOp');
	});

	it('suspends a run whose node calls putExecutionToWait', async () => {
		const until = new Date(Date.now() + 60_000);
		const result = await runProbe(
			linear(itemsNode([{}]), { type: PROBE }, { type: 'n8n-nodes-base.noOp' }),
			async (context) => {
				await context.putExecutionToWait(until);
				return context.getInputData();
			},
		);

		expect(result.status).toBe('waiting');
		expect(result.waitTill).toEqual(until);
		expect(result.items('noOp')).toEqual([]);
	});

	it('collects the hints and the chunks of a node', async () => {
		const chunks: unknown[] = [];
		const result = await runProbe(
			linear(itemsNode([{}]), { type: PROBE }),
			async (context) => {
				context.addExecutionHints({ message: 'Two rows were skipped', location: 'outputPane' });
				if (context.isStreaming()) context.sendChunk('item', 0, 'he');
				return [{ json: {} }];
			},
			{ mode: 'webhook', onChunk: ({ type, content }) => chunks.push({ type, content }) },
		);

		expect(result.hints('probe')).toEqual([
			{ message: 'Two rows were skipped', location: 'outputPane' },
		]);
		expect(chunks).toEqual([{ type: 'item', content: 'he' }]);
	});
});
