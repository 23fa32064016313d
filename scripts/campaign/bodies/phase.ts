import axios from 'axios';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { runWorkflow } from '../../engine';
import { packageWith } from '../../package';
import { accountBy, LeakWatch, type Account } from '../account';
import { audit } from '../audit';
import { chanceBy } from '../random';
import type { Report } from '../report';
import { ASKED, bodyRunsBy, OPTIONS, type BodyRun } from './runs';

const LANES = 4;
/** A run that takes longer is stuck. */
const PATIENCE_MS = 60_000;

export interface BodyDemand {
	seed: number;
	/** Bodies for each model and door. */
	each: number;
}

interface Tally {
	stuck: string[];
	tasks: number;
	messages: number;
	/** Bodies that the check let through and the sandbox refused, and the other way round. */
	refusedThere: number;
	refusedHere: number;
}

interface Said {
	error?: string;
	task_id?: string;
	dry_run?: boolean;
	data?: unknown;
	details?: { issues?: { field: string }[]; http_status?: number };
}

/** Bodies of all kinds through every model's panel and through the JSON door: always a task or a message. */
export async function bodyPhase({ seed, each }: BodyDemand): Promise<Report> {
	const [chance, account, began] = [chanceBy(seed), accountBy(seed), Date.now()];
	const settings = { ...account.settings, taskMs: 5, callbacks: 'lost' as const };
	const [sandbox, judge] = [await startSandbox(settings), await startSandbox(settings)];
	const watch = new LeakWatch(account);
	const tally: Tally = { stuck: [], tasks: 0, messages: 0, refusedThere: 0, refusedHere: 0 };
	const crash = (reason: unknown) => tally.stuck.push(`nobody caught: ${String(reason)}`);
	process.on('unhandledRejection', crash);
	try {
		const runs = bodyRunsBy(chance, each);
		const waiting = [...runs];
		const lane = async () => {
			for (let run = waiting.shift(); run; run = waiting.shift())
				await judged(run, sandbox, judge, account, watch, tally);
		};
		await Promise.all(Array.from({ length: LANES }, lane));
		watch.lookAt(sandbox);
		const { tasks, messages, refusedHere, refusedThere } = tally;
		return {
			name: 'random bodies',
			rows: tasks + messages,
			tasks: sandbox.tasks().length,
			calls: sandbox.requests.length,
			strikes: {},
			again: 0,
			forgeries: 0,
			seconds: (Date.now() - began) / 1000,
			findings: audit({ rows: [], ledger: [], forged: [], leaks: watch.found }),
			stuck: tally.stuck,
			notes: {
				bodies: runs.length * each,
				'became tasks': tasks,
				'became messages': messages,
				'passed here, refused by the sandbox': refusedThere,
				'refused here, taken by the sandbox': refusedHere,
			},
		};
	} finally {
		process.off('unhandledRejection', crash);
		await Promise.all([sandbox.close(), judge.close()]);
	}
}

async function judged(
	run: BodyRun,
	sandbox: Sandbox,
	judge: Sandbox,
	account: Account,
	watch: LeakWatch,
	tally: Tally,
): Promise<void> {
	const { name, bodies, workflow } = run;
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<undefined>(
		(done) => void (timer = setTimeout(() => done(undefined), PATIENCE_MS)),
	);
	const ended = await Promise.race([
		runWorkflow(workflow, packageWith(sandbox.url, account.key)),
		late,
	]).finally(() => clearTimeout(timer));
	if (!ended) return void tally.stuck.push(`${name}: still running after ${PATIENCE_MS / 1000} s`);
	watch.look(`run of ${name}`, ended.run.data);
	const items = ended.items(ASKED);
	if (ended.status !== 'success' || items.length !== bodies.length)
		tally.stuck.push(
			`${name}: ${ended.status} with ${items.length} of ${bodies.length} items, ${ended.error?.message ?? ''}`,
		);
	for (const { json, pairedItem } of items) {
		const at = (pairedItem as { item: number }).item;
		const said = json as unknown as Said;
		const isTask =
			said.task_id !== undefined || said.dry_run === true || typeof said.data === 'string';
		if (!isTask && !said.error)
			tally.stuck.push(`${name}, body ${at}: neither a task nor a message`);
		if (said.error && isCrash(said)) tally.stuck.push(`${name}, body ${at}: ${said.error}`);
		if (isTask) tally.tasks += 1;
		else tally.messages += 1;
		if (said.details?.http_status === 400) tally.refusedThere += 1;
		if (
			!run.isPanel &&
			isAboutBody(said) &&
			(await isTaken({ ...bodies[at], model: run.model }, judge, account))
		)
			tally.refusedHere += 1;
	}
}

/** A finding of the check lists its issues and a reply has its status; what has neither and is no broken connection was not foreseen. */
const isCrash = ({ error = '', details = {} }: Said): boolean =>
	!details.issues && !details.http_status && !error.startsWith('The gateway ');

/** Refused before sending for what the body holds, not for an option or a model named twice. */
const isAboutBody = ({ details }: Said): boolean =>
	details?.issues?.every(
		({ field }) => !(field in OPTIONS) && field !== 'model' && field !== 'parameters',
	) ?? false;

async function isTaken(body: object, { url }: Sandbox, { key }: Account): Promise<boolean> {
	const { status } = await axios.post(`${url}/v1/tasks`, body, {
		headers: { authorization: `Bearer ${key}` },
		validateStatus: () => true,
		proxy: false,
	});
	return status === 200;
}
