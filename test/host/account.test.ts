import { gatewayNode, modelId, NODE } from '../support/gateway';
import { hostsOr } from '../support/hosts';
import {
	addLoop,
	calledWorkflow,
	splitOut,
	useHost,
	type Execution,
	type HostFixture,
	type HostWorkflow,
} from '../support/useHost';

/** 0.0425 USD, 21,250 quota. */
const PRICE = 21_250;

/** Called with rows: makes a picture of each. */
const workflow = (id: string, parameters: object): HostWorkflow =>
	calledWorkflow(
		id,
		splitOut('body.rows'),
		gatewayNode('image:generate', {
			model: modelId('imgn-4.0'),
			prompt: '={{ $json.prompt }}',
			...parameters,
		}),
	);

describe.each(hostsOr('newest'))('the account of executions in n8n $n8n', (version) => {
	const fixture: HostFixture<object> = useHost(version, { settings: { taskMs: 300 } });
	/** Publishes a workflow and calls it with rows. */
	const start = async (of: HostWorkflow, prompts: string[], times = 1): Promise<void> => {
		await fixture.deploy(of);
		const rows = prompts.map((prompt) => ({ prompt }));
		await Promise.all(
			Array.from({ length: times }, async () => await fixture.post(of.id, { rows })),
		);
	};
	const endedOf = async (workflowId: string, count: number): Promise<Execution[]> => {
		let found: Execution[] = [];
		await fixture.until(async () => {
			found = await fixture.executionsOf(workflowId);
			return (
				found.length === count && found.every(({ status }) => !['running', 'new'].includes(status))
			);
		});
		return found;
	};
	const details = async ({ id }: Execution) =>
		await fixture.host.rest<Execution>('GET', `/executions/${id}`);
	const tasksOf = (batch: string) =>
		fixture.sandbox.tasks().filter(({ body }) => String(body.prompt).startsWith(batch));
	const charged = (batch: string) => tasksOf(batch).reduce((sum, { cost }) => sum + cost, 0);

	it.each([
		['as it was', false, 5],
		['as it is now, repaired', true, 6],
	])(
		'retries in the list only what is missing, with the workflow %s',
		async (name, isRepaired, paid) => {
			const batch = isRepaired ? 'repaired' : 'retried';
			const id = `account-${batch}`;
			const prompts = ['a', 'b', 'c', 'd', 'e', 'f [fail]'].map((row) => `${batch} ${row}`);
			await start(workflow(id, {}), prompts);
			const [failed] = await endedOf(id, 1);
			expect(failed!.status).toBe('error');
			expect(tasksOf(batch)).toHaveLength(6);

			if (isRepaired) {
				const prompt = '={{ $json.prompt.replace(" [fail]", "") }}';
				await fixture.host.importWorkflows([workflow(id, { prompt })]);
			}
			await fixture.host.rest('POST', `/executions/${failed!.id}/retry`, {
				loadWorkflow: isRepaired,
			});
			const [retried] = await endedOf(id, 2);

			expect(retried!.status).toBe(isRepaired ? 'success' : 'error');
			expect(tasksOf(batch)).toHaveLength(7);
			expect(charged(batch)).toBe(paid * PRICE);
			expect((await details(retried!)).customData).toMatchObject({
				gateway_execution: `${failed!.id}, ${retried!.id}`,
				gateway_cost_usd: isRepaired ? '0.0425' : '0',
			});
		},
	);

	it('makes nothing again in a Retry of an execution that was stopped, of which n8n keeps nothing', async () => {
		const id = 'account-stopped';
		const { settings } = fixture.sandbox;
		// A task that has ended without a result is replaced if it is older than the request.
		settings.now = () => Date.now() - 60_000;
		settings.taskMs = ({ prompt }) => (String(prompt).endsWith('slow') ? 600_000 : 300);
		await start(workflow(id, {}), ['halted a', 'halted b slow']);
		await fixture.until(() => tasksOf('halted').some(({ status }) => status === 'completed'));
		await fixture.until(() => tasksOf('halted').length === 2);
		const [running] = await fixture.executionsOf(id);
		await fixture.host.rest('POST', `/executions/${running!.id}/stop`);
		await fixture.until(() => tasksOf('halted').some(({ status }) => status === 'cancelled'));
		Object.assign(settings, { taskMs: 300, now: () => Date.now() });
		const retry = { loadWorkflow: false };
		await fixture.host.rest('POST', `/executions/${running!.id}/retry`, retry);
		await endedOf(id, 2);

		expect(tasksOf('halted')).toHaveLength(3);
		expect(charged('halted')).toBe(2 * PRICE);
	});

	it('makes nothing again in a Retry of an execution that was killed with its n8n', async () => {
		const id = 'account-killed';
		const { settings } = fixture.sandbox;
		settings.taskMs = ({ prompt }) => (String(prompt).endsWith('slow') ? 600_000 : 300);
		const draw = (name: string, prompt: string) => {
			const options = { includeInput: true };
			const parameters = { model: modelId('imgn-4.0'), prompt, options };
			return gatewayNode('image:generate', parameters, { name });
		};
		const nodes = [draw('First', '={{ $json.prompt }}'), draw('Next', '={{ $json.prompt }} slow')];
		await start(calledWorkflow(id, splitOut('body.rows'), ...nodes), ['killed a', 'killed b']);
		await fixture.until(() => tasksOf('killed').length === 4);
		await fixture.host.stop('SIGKILL');
		await fixture.start();
		const [crashed] = await endedOf(id, 1);
		expect(crashed!.status).toBe('crashed');
		for (const { task_id, status } of tasksOf('killed'))
			if (status !== 'completed') await fixture.sandbox.finish(task_id);
		await fixture.host.rest('POST', `/executions/${crashed!.id}/retry`, { loadWorkflow: false });
		const [retried] = await endedOf(id, 2);
		settings.taskMs = 300;

		expect(retried!.status).toBe('success');
		expect(tasksOf('killed')).toHaveLength(4);
		expect(charged('killed')).toBe(4 * PRICE);
	});

	it('does not ask again for the texts that a failed execution has', async () => {
		const { faults } = fixture.sandbox;
		const requested = () =>
			fixture.sandbox.requests.filter(({ path }) => path === '/v1/chat/completions');
		faults.add({ match: { path: '/v1/chat/completions' }, kind: { status: 400 } });
		const node = gatewayNode('text:chat', {
			model: modelId('gp-5-mini'),
			messages: { entry: [{ role: 'user', text: '={{ $json.prompt }}' }] },
		});
		await start(calledWorkflow('account-texts', splitOut('body.rows'), node), ['a', 'b', 'c']);
		const [failed] = await endedOf('account-texts', 1);
		expect([failed!.status, requested().length]).toEqual(['error', 3]);
		await fixture.host.rest('POST', `/executions/${failed!.id}/retry`, { loadWorkflow: false });
		const [retried] = await endedOf('account-texts', 2);

		expect([retried!.status, requested().length]).toEqual(['success', 4]);
	});

	it('sends nothing more when 300 rows are stopped, cancels what it has made and names it', async () => {
		Object.assign(fixture.sandbox.settings, { taskMs: 600_000, apiLatencyMs: 50 });
		await start(
			workflow('account-stop', { options: { concurrency: 20 } }),
			Array.from({ length: 300 }, (_, row) => `stopped ${row}`),
		);
		await fixture.until(() => tasksOf('stopped').length >= 20);
		const [running] = await fixture.executionsOf('account-stop');
		await fixture.host.rest('POST', `/executions/${running!.id}/stop`);
		await fixture.until(() => tasksOf('stopped').every(({ status }) => status === 'cancelled'));
		const made = tasksOf('stopped');

		expect(made.length).toBeLessThan(120);
		const { customData } = await details(running!);
		expect(made.some(({ task_id }) => customData.gateway_task_ids?.includes(task_id))).toBe(true);
		Object.assign(fixture.sandbox.settings, { taskMs: 300, apiLatencyMs: 0 });
	});

	it('counts over a loop what tasks have cost, not what they were listed at', async () => {
		const { settings } = fixture.sandbox;
		const { settle } = settings;
		settings.settle = () => 100_000; // $0.20
		const id = 'account-loop';
		const json = workflow(id, { options: { maximumRunCost: 0.3 } });
		Object.assign(json.nodes.at(-1)!, { onError: 'continueRegularOutput' });
		await start(
			addLoop(json, { before: 'Split', first: NODE, last: NODE }),
			Array.from({ length: 5 }, (_, row) => `looped ${row}`),
		);
		const [ended] = await endedOf(id, 1);
		settings.settle = settle;

		// The second task was listed at $0.0425, which the limit still allowed; no third one is made.
		expect(tasksOf('looped')).toHaveLength(2);
		expect((await details(ended!)).customData.gateway_cost_usd).toBe('0.4');
		expect(ended!.status).toBe('success');
	});

	it('shares the limit of an account between five executions at once', async () => {
		fixture.sandbox.settings.submissionLimit = {
			requests: 20,
			windowMs: 2_000,
			hasRetryAfter: true,
		};
		const prompts = Array.from({ length: 40 }, (_, row) => `shared ${row}`);
		const startedAt = Date.now();
		await start(workflow('account-shared', { options: { output: 'links' } }), prompts, 5);
		const ended = await endedOf('account-shared', 5);
		delete fixture.sandbox.settings.submissionLimit;

		expect(ended.map(({ status }) => status)).toEqual(Array(5).fill('success'));
		expect(tasksOf('shared')).toHaveLength(200);
		const refused = fixture.sandbox.requests.filter(
			({ at, status }) => at >= startedAt && status === 429,
		);
		// Fewer than one refusal a task; the simulation has the closer bounds.
		expect(refused.length).toBeLessThan(200);
	});
});
