import fc from 'fast-check';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { hash } from '../../../sandbox/random';
import { runWorkflow } from '../../engine';
import { packageWith } from '../../package';
import { createAccount, LeakDetector, type Account } from '../account';
import { audit } from '../audit';
import type { Report } from '../report';
import { NODE_NAME, createBodyRuns, OPTIONS, type BodyRow, type BodyRun } from './runs';

const CONCURRENCY = 4;
/** A run that takes longer is stuck. */
const TIMEOUT_MS = 60_000;
/** How long a smaller example is searched for. */
const SHRINK_MS = 120_000;

export interface BodyPhaseOptions {
	seed: number;
	/** Bodies for each model, by panel and by JSON. */
	bodiesPerModel: number;
}

interface Tally {
	stuck: string[];
	bodies: number;
	tasks: number;
	messages: number;
	/** Bodies that passed validation and the sandbox refused, and the other way round. */
	refusedBySandbox: number;
	refusedByNode: number;
}

interface NodeOutput {
	error?: string;
	task_id?: string;
	dry_run?: boolean;
	data?: unknown;
	details?: { code?: string; issues?: { field: string }[]; http_status?: number };
}

/** Random bodies through every model's panel and as JSON: each must give a task or a message. */
export async function runBodyPhase({ seed, bodiesPerModel }: BodyPhaseOptions): Promise<Report> {
	const [account, began] = [createAccount(seed), Date.now()];
	const settings = { ...account.settings, taskMs: 5, callbacks: 'lost' as const };
	const [sandbox, reference] = [await startSandbox(settings), await startSandbox(settings)];
	const watch = new LeakDetector(account);
	const tally: Tally = {
		stuck: [],
		bodies: 0,
		tasks: 0,
		messages: 0,
		refusedBySandbox: 0,
		refusedByNode: 0,
	};
	const noteCrash = (reason: unknown) => tally.stuck.push(`unhandled rejection: ${String(reason)}`);
	process.on('unhandledRejection', noteCrash);
	try {
		const runs = createBodyRuns(bodiesPerModel);
		const pending = [...runs];
		const worker = async () => {
			for (let run = pending.shift(); run; run = pending.shift())
				await checkRun(run, seed, { sandbox, reference, account, watch, tally });
		};
		await Promise.all(Array.from({ length: CONCURRENCY }, worker));
		watch.scanSandbox(sandbox);
		const { tasks, messages, refusedByNode, refusedBySandbox } = tally;
		return {
			name: 'random bodies',
			rows: tasks + messages,
			tasks: sandbox.tasks().length,
			calls: sandbox.requests.length,
			faults: {},
			retriedRows: 0,
			forgeries: 0,
			seconds: (Date.now() - began) / 1000,
			findings: audit({ rows: [], tasks: [], forgedRuns: [], leaks: watch.found }),
			stuck: tally.stuck,
			notes: {
				bodies: tally.bodies,
				'became tasks': tasks,
				'became messages': messages,
				'passed here, refused by the sandbox': refusedBySandbox,
				'rejected by the node, accepted by the sandbox': refusedByNode,
			},
		};
	} finally {
		process.off('unhandledRejection', noteCrash);
		await Promise.all([sandbox.close(), reference.close()]);
	}
}

interface RunContext {
	sandbox: Sandbox;
	/** Takes bodies directly, to compare with what the node refused. */
	reference: Sandbox;
	account: Account;
	watch: LeakDetector;
	tally: Tally;
}

/**
 * Checks one run with random rows. When something is wrong, fast-check looks for the smallest rows that show
 * it, and these are reported with the seed and path that replay them.
 */
async function checkRun(run: BodyRun, campaignSeed: number, context: RunContext): Promise<void> {
	// Each run has a seed of its own: with the same one, all models would get the same values.
	const seed = hash(`${campaignSeed} ${run.name}`) | 0;
	let isFirst = true;
	const property = fc.asyncProperty(run.rows, async (rows) => {
		// Only the rows of the first run count; further runs look for a smaller example.
		const isCounted = isFirst;
		isFirst = false;
		const problems = await runRows(run, rows, isCounted, context);
		if (problems.length) throw new Error(problems.join('; '));
	});
	const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, {
		seed,
		numRuns: 1,
		interruptAfterTimeLimit: SHRINK_MS,
	});
	if (failed)
		context.tally.stuck.push(
			`${run.name}: ${String(errorInstance)} with ${fc.stringify(counterexample)}, replay with seed ${seed} path "${counterexamplePath}"`,
		);
}

/** Runs a workflow with these rows and returns what is wrong with its items. */
async function runRows(
	run: BodyRun,
	rows: BodyRow[],
	isCounted: boolean,
	{ sandbox, reference, account, watch, tally }: RunContext,
): Promise<string[]> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const timedOut = new Promise<undefined>(
		(done) => void (timer = setTimeout(() => done(undefined), TIMEOUT_MS)),
	);
	const ended = await Promise.race([
		runWorkflow(run.createWorkflow(rows), packageWith(sandbox.url, account.key)),
		timedOut,
	]).finally(() => clearTimeout(timer));
	if (!ended) return [`still running after ${TIMEOUT_MS / 1000} s`];
	watch.scan(`run of ${run.name}`, ended.run.data);
	const items = ended.items(NODE_NAME);
	const problems: string[] = [];
	if (isCounted) tally.bodies += rows.length;
	if (ended.status !== 'success' || items.length !== rows.length)
		problems.push(
			`${ended.status} with ${items.length} of ${rows.length} items, ${ended.error?.message ?? ''}`,
		);
	for (const { json, pairedItem } of items) {
		const at = (pairedItem as { item: number }).item;
		const output = json as unknown as NodeOutput;
		const isTask =
			output.task_id !== undefined || output.dry_run === true || typeof output.data === 'string';
		if (!isTask && !output.error) problems.push(`row ${at} gave neither a task nor a message`);
		if (output.error && isCrash(output)) problems.push(`row ${at}: ${output.error}`);
		if (!isCounted) continue;
		if (isTask) tally.tasks += 1;
		else tally.messages += 1;
		if (output.details?.http_status === 400) tally.refusedBySandbox += 1;
		if (
			!run.isPanel &&
			isAboutBody(output) &&
			(await isAccepted({ ...rows[at]!.body, model: run.model }, reference, account))
		)
			tally.refusedByNode += 1;
	}
	return problems;
}

/** Every foreseen error has a code of its own. */
const isCrash = ({ details }: NodeOutput): boolean =>
	details?.code === undefined || details.code === 'unexpected';

/** Refused before sending for what the body holds, not for an option or a model named twice. */
const isAboutBody = ({ details }: NodeOutput): boolean =>
	details?.issues?.every(
		({ field }) => !(field in OPTIONS) && field !== 'model' && field !== 'parameters',
	) ?? false;

async function isAccepted(body: object, { url }: Sandbox, { key }: Account): Promise<boolean> {
	const { status } = await axios.post(`${url}/v1/tasks`, body, {
		headers: { authorization: `Bearer ${key}` },
		validateStatus: () => true,
		proxy: false,
	});
	return status === 200;
}
