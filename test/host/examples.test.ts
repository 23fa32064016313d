import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'flatted';
import { startSandbox, type Sandbox } from '../../sandbox';
import type { WorkflowJson } from '../../scripts/engine';
import { createHost } from '../../scripts/host/createHost';
import {
	createMailCredential,
	startMailbox,
	type Mail,
	type Mailbox,
} from '../../scripts/host/mailbox';
import type { N8nHost } from '../../scripts/host/n8nHost';
import { getVersion } from '../../scripts/host/versions';
import { Editor } from '../support/browser';
import { hostsOr } from '../support/hosts';
import { CHANGED_MAIL, listChanged } from '../support/listedModels';
import { waitFor } from '../support/repositoryCopy';

/** The examples that need more than one run of the command line: a person, a mail, a callback, a table. */
const NAMES = [
	'approve-before-paying',
	'callback-trigger',
	'daily-budget',
	'evaluation',
	'long-videos-in-one-node',
	'model-drift-report',
	'model-tool',
	'spend-report',
	'suspended-await',
];
const MANUAL = 'When clicking Execute';
/** Data tables that a workflow makes itself came with 2.x. */
const hasTables = ({ n8n }: { n8n: string }) => !n8n.startsWith('1.');

interface Listed {
	id: string;
	status: string;
	mode: string;
}
interface RunData {
	resultData: {
		error?: { message: string };
		/** Custom data of the execution. */
		metadata?: Record<string, string>;
		runData: Record<string, { data?: { main: { json: Record<string, unknown> }[][] } }[]>;
	};
}

const readExample = async (id: string): Promise<WorkflowJson & { id: string }> => {
	const file = path.join(__dirname, '..', '..', 'examples', `${id}.json`);
	return { ...(JSON.parse(await readFile(file, 'utf8')) as WorkflowJson), id };
};

describe.each(hostsOr('newest'))('in n8n $n8n', (version) => {
	let sandbox: Sandbox;
	let mailbox: Mailbox;
	let mails: Mail[];
	let host: N8nHost;
	let folder: string;

	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'examples-'));
		sandbox = await startSandbox({ taskMs: 500 });
		mails = [];
		mailbox = await startMailbox((mail) => mails.push(mail));
		host = await createHost(version, { userFolder: path.join(folder, 'user'), gateway: sandbox });
		await host.importOtherCredential('smtp', createMailCredential(mailbox));
		await host.importWorkflows(await Promise.all(NAMES.map(readExample)));
		const approval = JSON.stringify(await readExample('approve-before-paying'));
		const withMarkup = approval.replace('A tram in', 'A <b>tram</b> in');
		await host.importWorkflows([
			{ ...(JSON.parse(withMarkup) as WorkflowJson), id: 'approve-markup' },
		]);
		await host.start();
		await host.signIn();
	});

	afterAll(async () => {
		await host?.stop();
		await mailbox?.close();
		await sandbox?.close();
		await rm(folder, { recursive: true, force: true });
	});

	beforeEach(() => {
		sandbox.reset();
		mails.length = 0;
	});

	const until = async (isMet: () => boolean | Promise<boolean>) =>
		await waitFor(isMet, 60_000, () => host.getLog().slice(-3000));

	const list = async (workflowId: string): Promise<Listed[]> => {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		return (await host.rest<{ results: Listed[] }>('GET', `/executions?filter=${filter}`)).results;
	};

	async function waitForStatus(id: string, status: string): Promise<void> {
		await until(
			async () => (await host.rest<Listed>('GET', `/executions/${id}`)).status === status,
		);
	}

	/** What a node put out, once its execution has succeeded. */
	async function outputOf(id: string, node: string): Promise<Record<string, unknown>[]> {
		await until(
			async () =>
				!['running', 'new', 'waiting'].includes(
					(await host.rest<Listed>('GET', `/executions/${id}`)).status,
				),
		);
		const { error, runData } = await readRun(id);
		expect(error?.message).toBeUndefined();
		return (runData[node]?.[0]?.data?.main[0] ?? []).map(({ json }) => json);
	}

	async function readRun(id: string): Promise<RunData['resultData']> {
		const { data } = await host.rest<{ data: string }>('GET', `/executions/${id}`);
		return (parse(data) as RunData).resultData;
	}

	const withTables = (name: string, test: () => Promise<void>) => {
		if (hasTables(version)) it(name, test);
	};

	// First, since the limit of a day counts what the other examples spend.
	withTables('keeps a daily budget, also over a restart', async () => {
		const run = async () => {
			const id = await host.runManually('daily-budget', MANUAL);
			await waitForStatus(id, 'success');
			const [kept, refused] = [await outputOf(id, 'Keep Cost'), await outputOf(id, 'Not Today')];
			return { kept, refused };
		};
		const first = await run();
		await host.stop();
		await host.start();
		await host.signIn();
		const second = await run();

		expect([first.kept.length, first.refused.length]).toEqual([2, 0]);
		expect([second.kept.length, second.refused.length]).toEqual([0, 2]);
		expect(second.refused[0]).toEqual({
			prompt: 'A brass compass',
			reason: 'The task is estimated at $0.02125, but Cost Limit per Execution is $0.0075',
		});
		expect(sandbox.tasks()).toHaveLength(2);
	});

	describe('approve before paying', () => {
		/** Runs up to the question, and answers it. */
		async function answer(label: string): Promise<string> {
			const id = await host.runManually('approve-before-paying', MANUAL);
			await waitForStatus(id, 'waiting');
			await until(() => mails.length === 1);
			expect(sandbox.tasks()).toEqual([]);
			const browser = await Editor.open(host.url, { isPictured: version === getVersion('newest') });
			await browser.pressInMail(mails[0]!.html, label, 'approval');
			await browser.close();
			return id;
		}

		it('asks with the price of all rows, and makes them after a yes', async () => {
			const id = await answer('Generate 2 videos');
			const videos = await outputOf(id, 'Make Videos');

			expect(mails[0]!.subject).toBe('Videos for $1.2376?');
			expect(videos.map(({ status }) => status)).toEqual(['completed', 'completed']);
			expect(videos.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0)).toBeCloseTo(1.2376);
		});

		it('pays nothing after a no', async () => {
			const id = await answer("Don't generate");
			expect(await outputOf(id, 'Not Approved')).toHaveLength(1);
			expect(sandbox.tasks()).toEqual([]);
		});
	});

	it('shows a prompt that looks like HTML as it is in the mail that asks', async () => {
		await host.runManually('approve-markup', MANUAL);
		await until(() => mails.length === 1);

		expect(mails[0]!.html).toContain('A &lt;b');
		expect(mails[0]!.html).not.toContain('<b>tram');
	});

	describe('report on models', () => {
		afterEach(() => {
			sandbox.settings.listModels = (served) => served;
		});

		it('mails what differs', async () => {
			sandbox.settings.listModels = listChanged;
			const id = await host.runManually('model-drift-report', MANUAL);
			const [compared] = await outputOf(id, 'Compare');
			await until(() => mails.length === 1);

			const counts = '1 new, 1 missing, 1 listed again, 1 price moved';
			expect(mails[0]).toMatchObject({
				to: 'maintainer@example.com',
				subject: `Models of ${new URL(sandbox.url).host}: ${counts}`,
			});
			expect(mails[0]!.text.trim()).toBe(CHANGED_MAIL);
			expect(compared).toMatchObject({ summary: counts });
		});

		it('mails nothing where nothing differs', async () => {
			const id = await host.runManually('model-drift-report', MANUAL);
			expect(await outputOf(id, 'Nothing Differs')).toMatchObject([{ has_differences: false }]);
			expect(mails).toEqual([]);
		});
	});

	it('starts the trigger by the task that the same workflow submits', async () => {
		await host.publish('callback-trigger');
		const id = await host.runManually('callback-trigger', MANUAL);
		await outputOf(id, 'Submit a Picture');
		const started = async () =>
			(await list('callback-trigger')).find((one) => one.id !== id && one.mode === 'webhook');
		await until(async () => (await started())?.status === 'success');

		const [stored] = await outputOf((await started())!.id, 'Store');
		expect(stored).toMatchObject({
			status: 'completed',
			task_id: sandbox.tasks()[0]!.task_id,
		});
	});

	it('suspends for the videos, and goes on when they have called back', async () => {
		sandbox.settings.taskMs = 4_000;
		const id = await host.runManually('suspended-await', MANUAL);
		await waitForStatus(id, 'waiting');
		expect(await outputOf(id, 'Results')).toHaveLength(3);
		sandbox.settings.taskMs = 500;
	});

	it('gives long videos from one node that is suspended, each beside its row', async () => {
		sandbox.settings.taskMs = 4_000;
		const id = await host.runManually('long-videos-in-one-node', MANUAL);
		await waitForStatus(id, 'waiting');
		const results = await outputOf(id, 'Results');
		sandbox.settings.taskMs = 500;

		expect(results.map(({ row_id, error }) => [row_id, error ?? undefined])).toEqual([
			['A-100', undefined],
			['A-101', undefined],
			['A-102', 'Duration must be 3 to 15, but is 90'],
		]);
	});

	withTables('has an agent film with one model as its tool', async () => {
		const id = await host.runManually('model-tool', MANUAL);
		const [answer] = await outputOf(id, 'Agent');

		expect(sandbox.tasks().map(({ body }) => body)).toMatchObject([
			{ model: 'clipk-v3', resolution: '720p', duration: 5, audio: false },
		]);
		expect(JSON.stringify(answer)).toContain(sandbox.tasks()[0]!.task_id);
	});

	if (hasTables(version))
		describe('evaluation of models', () => {
			it('scores each model on each prompt, by Execute', async () => {
				const id = await host.runManually('evaluation', MANUAL);
				const models = await outputOf(id, 'By Model');

				expect(models.map(({ model }) => model).sort()).toEqual(['imgn-4.0', 'qwn-image-2.0']);
				for (const one of models)
					expect(one).toMatchObject({
						average_score: expect.any(Number),
						sum_cost_usd: expect.any(Number),
						count_prompt: 2,
					});
			});

			it("gives score and cost to the runs of n8n's Evaluations", async () => {
				interface TestRun {
					status: string;
					metrics: Record<string, number>;
				}
				const { data: tables } = await host.rest<{ data: { id: string; name: string }[] }>(
					'GET',
					'/data-tables-global',
				);
				const table = tables.find(({ name }) => name === 'gateway_evaluation')!;
				const workflow = await host.rest<WorkflowJson & { versionId: string }>(
					'GET',
					'/workflows/evaluation',
				);
				// What the user activates, and chooses in the list.
				const nodes = workflow.nodes.map((node) =>
					node.type.endsWith('.evaluationTrigger')
						? {
								...node,
								disabled: false,
								parameters: {
									...node.parameters,
									dataTableId: { __rl: true, mode: 'list', value: table.id },
								},
							}
						: node,
				);
				await host.rest('PATCH', '/workflows/evaluation', { ...workflow, nodes });
				await host.rest('POST', '/workflows/evaluation/test-runs/new', {});
				const runs = async () =>
					await host.rest<TestRun[]>('GET', '/workflows/evaluation/test-runs');
				await until(async () => !['new', 'running'].includes((await runs())[0]?.status ?? 'new'));

				const [run] = await runs();
				expect(run).toMatchObject({ status: 'completed' });
				expect(run!.metrics).toMatchObject({ score: expect.any(Number) });
				expect(run!.metrics.cost_usd).toBeGreaterThan(0);
				expect(sandbox.tasks()).toHaveLength(4);
			});
		});

	withTables('sums up what all runs have cost', async () => {
		const RUNS = 50;
		let id = '';
		for (let run = 0; run < RUNS; run += 1) {
			id = await host.runManually('spend-report', MANUAL);
			await waitForStatus(id, 'success');
		}
		const report = await outputOf(id, 'Report');
		const tasks = sandbox.tasks();

		expect(tasks).toHaveLength(2 * RUNS);
		// Midnight may come meanwhile.
		const dayOf = ({ submitted }: { submitted: number }) =>
			new Date(submitted).toISOString().slice(0, 10);
		const days = [...new Set(tasks.map(dayOf))];
		expect(report.filter(({ workflow }) => workflow === 'Spend report')).toEqual(
			days.map((day) => {
				const ofDay = tasks.filter((task) => dayOf(task) === day);
				const quota = ofDay.reduce((sum, { cost }) => sum + cost, 0);
				return {
					day,
					workflow: 'Spend report',
					model: 'qwn-image-2.0',
					count_task_id: ofDay.length,
					sum_cost: quota,
					sum_cost_usd: expect.closeTo(quota / 500_000, 9),
				};
			}),
		);
	});

	it('lists each execution with its tasks and what they cost', async () => {
		const id = await host.runManually('callback-trigger', MANUAL);
		await outputOf(id, 'Submit a Picture');
		expect((await readRun(id)).metadata).toEqual({
			gateway_execution: id,
			gateway_task_ids: sandbox.tasks()[0]!.task_id,
			gateway_models: 'imgn-4.0',
			gateway_cost_usd: '0.0425',
		});
	});
});
