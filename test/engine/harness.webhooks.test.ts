import type {
	IDataObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeType,
	IWebhookFunctions,
} from 'n8n-workflow';
import {
	callTrigger,
	callWaiting,
	file,
	itemsNode,
	linear,
	resumeAfterWait,
	runWorkflow,
	searchList,
	startInstance,
	type EngineRun,
} from '../../scripts/engine';
import { createProbeNode, PROBE } from '../support/probeNode';

describe('the engine harness: webhooks, waits and lists', () => {
	/** Suspends the execution; each callback names one finished task, and the wait ends after both. */
	function awaiting(): INodeType {
		const type = createProbeNode(async () => []);
		type.description.webhooks = [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: '',
				path: '',
				restartWebhook: true,
				isFullPath: true,
			},
		];
		const arrived: unknown[] = [];
		return {
			...type,
			async execute(this: IExecuteFunctions) {
				await this.putExecutionToWait(new Date(Date.now() + 60_000));
				const resumeUrl = this.getWorkflowDataProxy(0).$execution.resumeUrl as string;
				this.getExecuteData().data.main![0] = [{ json: { gaveUp: true } }];
				return [[{ json: { resumeUrl } }]];
			},
			async webhook(this: IWebhookFunctions) {
				arrived.push(this.getBodyData().task_id);
				const webhookResponse = { ok: arrived.length };
				if (arrived.length < 2) return { webhookResponse };
				return {
					webhookResponse,
					workflowData: [[{ json: { arrived, text: this.getNodeParameter('text') as string } }]],
				};
			},
		};
	}
	const workflow = () =>
		linear(
			itemsNode([{ id: 7 }]),
			{ type: PROBE, parameters: { text: '=of {{ $json.id ?? "none" }}' } },
			{ type: 'n8n-nodes-base.noOp' },
		);

	it('lets several callbacks end one wait', async () => {
		const suspended = await runWorkflow(workflow(), { nodeTypes: { [PROBE]: awaiting() } });
		const first = await callWaiting(suspended, { body: { task_id: 'a' } });
		const second = await callWaiting(suspended, { body: { task_id: 'b' } });

		expect(first).toEqual({ response: { status: 200, body: { ok: 1 } } });
		expect(second.response.body).toEqual({ ok: 2 });
		expect(second.run?.status).toBe('success');
		expect(second.run?.executionId).toBe(suspended.executionId);
		expect(second.run?.json('noOp')).toEqual([{ arrived: ['a', 'b'], text: 'of none' }]);
	});

	it('passes on what the node left behind when the time runs out', async () => {
		const suspended = await runWorkflow(workflow(), { nodeTypes: { [PROBE]: awaiting() } });
		const resumed = await resumeAfterWait(suspended);

		expect(resumed.status).toBe('success');
		expect(resumed.json('noOp')).toEqual([{ gaveUp: true }]);
	});

	it('serves resume links and signed files over HTTP', async () => {
		const instance = await startInstance();
		try {
			const suspended = await instance.run(workflow(), { nodeTypes: { [PROBE]: awaiting() } });
			const [{ resumeUrl } = { resumeUrl: '' }] = suspended.json<{ resumeUrl: string }>('probe');
			const post = async (url: string, task_id: string) =>
				(
					await fetch(url, {
						method: 'POST',
						headers: { 'content-type': 'application/json' },
						body: JSON.stringify({ task_id }),
					})
				).status;
			const statuses = [
				await post(resumeUrl.replace(/=.*/, '=forged'), 'x'),
				await post(resumeUrl, 'a'),
				await post(resumeUrl, 'b'),
				await post(resumeUrl, 'c'),
			];

			expect(statuses).toEqual([401, 200, 200, 409]);
			expect((await instance.waitForEnd(suspended.executionId)).json('noOp')).toEqual([
				expect.objectContaining({ arrived: ['a', 'b'] }),
			]);

			const signed = await instance.run(
				linear(itemsNode([{ json: {}, binary: { data: file('hello', 'a.txt', 'text/plain') } }]), {
					type: PROBE,
				}),
				{
					nodeTypes: {
						[PROBE]: createProbeNode(async (context) => [
							{
								json: {
									link: context.helpers.createBinarySignedUrl(
										context.helpers.assertBinaryData(0, 'data'),
									),
								},
							},
						]),
					},
				},
			);
			const answer = await fetch(signed.json<{ link: string }>('probe')[0]?.link ?? '');
			expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
				'text/plain',
				'hello',
			]);
		} finally {
			await instance.close();
		}
	});

	it('starts a workflow from the webhook of its trigger', async () => {
		const type = createProbeNode(async () => []);
		const trigger: INodeType = {
			description: {
				...type.description,
				group: ['trigger'],
				inputs: [],
				webhooks: [
					{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'done' },
				],
			},
			async webhook(this: IWebhookFunctions) {
				if (this.getQueryData() && (this.getQueryData() as IDataObject).secret !== 's') {
					this.getResponseObject().status(403).json({ message: 'No' });
					return { noWebhookResponse: true };
				}
				return { workflowData: [[{ json: this.getBodyData() }]] };
			},
		};
		const started = linear(
			{ type: 'test.trigger', webhookId: 'hook' },
			{ type: 'n8n-nodes-base.noOp' },
		);
		const options = { nodeTypes: { 'test.trigger': trigger } };

		const refused = await callTrigger(started, { query: { secret: 'x' } }, options);
		expect(refused).toEqual({ response: { status: 403, body: { message: 'No' }, headers: {} } });
		const taken = await callTrigger(
			started,
			{ query: { secret: 's' }, body: { task_id: 't' } },
			options,
		);
		expect(taken.response.status).toBe(200);
		expect(taken.run?.json('noOp')).toEqual([{ task_id: 't' }]);

		const instance = await startInstance();
		try {
			const runs: EngineRun[] = [];
			const [url] = instance.activate(started, options, (run) => runs.push(run));
			expect(url).toBe(`${instance.baseUrl}/webhook/hook/done`);
			await fetch(`${url}?secret=s`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: '{"task_id":"u"}',
			});
			expect(runs.map((run) => run.json('noOp'))).toEqual([[{ task_id: 'u' }]]);
		} finally {
			await instance.close();
		}
	});

	it('fills a list of the editor', async () => {
		const type: INodeType = {
			...createProbeNode(async () => []),
			methods: {
				listSearch: {
					async models(this: ILoadOptionsFunctions, filter?: string) {
						const known = [
							{ name: 'Clip', value: 'clip' },
							{ name: 'Still', value: this.getCurrentNodeParameter('text') as string },
						];
						return { results: known.filter(({ name }) => name.includes(filter ?? '')) };
					},
				},
			},
		};
		const found = await searchList(
			{ type: PROBE, parameters: { text: 'still-2' } },
			'models',
			{ filter: 'Still' },
			{ nodeTypes: { [PROBE]: type } },
		);

		expect(found.results).toEqual([{ name: 'Still', value: 'still-2' }]);
	});
});
