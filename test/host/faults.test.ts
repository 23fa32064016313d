import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type FaultKind, type Sandbox } from '../../sandbox';
import { linear, type NodeSpec } from '../../scripts/engine';
import { createHost } from '../../scripts/host/createHost';
import type { HeadlessRun, N8nHost } from '../../scripts/host/n8nHost';
import { CALLS, type CallRow } from '../matrix/calls';
import { FAULTS, type Fault } from '../matrix/faults';
import { expectedOutcome } from '../matrix/outcomes';
import { hostsOr } from '../support/hosts';

/** Faults of the matrix as the sandbox sends them over real connections. */
const KINDS: Record<string, FaultKind> = {
	...Object.fromEntries(
		FAULTS.filter(({ name }) => /^\d+$/.test(name)).map(({ name, refusal }) => [
			name,
			{ status: Number(name), headers: refusal?.headers as Record<string, string> },
		]),
	),
	'reset before the work': 'reset-before',
	'reset after the work': 'reset-after',
	truncated: 'reset-midway',
	'cut short': 'broken-json',
	slow: 'slow-body',
	'silence before the headers': 'hang',
	'silence after the headers': 'silent-body',
	'silence in the body': 'silent-midway',
};
const SAMPLE = [
	'submit',
	'poll after submitting',
	'download',
	'text:chat streamed',
	'embedding:create',
];
const ROWS = SAMPLE.map((name) => CALLS.find((row) => row.name === name)!);
/** The longest that a silent connection is waited for, twice, and the run around it. */
const TIMEOUT_MS = 400_000;

interface Cell {
	row: CallRow;
	fault: string;
	expected: string;
}

/** An answer may take ten minutes to begin, embeddings two, a byte of a file one. */
const isTooLong = (row: CallRow, fault: string) =>
	(row.kind === 'stream' && /^silence (before|after) the headers/.test(fault)) ||
	((row.kind === 'write' || row.kind === 'download') && fault.startsWith('silence'));

/** A download follows a redirect, and the host that it leads to is not there. */
const isFollowed = (row: CallRow, { group }: Fault) =>
	row.kind === 'download' && group === 'redirect';

const CELLS: Cell[] = ROWS.flatMap((row) =>
	FAULTS.filter(
		(fault) => fault.name in KINDS && !isTooLong(row, fault.name) && !isFollowed(row, fault),
	).map((fault) => ({
		row,
		fault: fault.name,
		expected: expectedOutcome(row.kind, fault).once,
	})),
);

/** What the sandbox knows a cell by: the prompt or text that its item sends. */
const nameOf = ({ row, fault }: Cell): string => `${row.name}, ${fault}`;

/** Parameters of a row with the name of the cell instead of its words. */
const NAMED: Record<string, IDataObject> = {
	submit: { parameters: '={{ { prompt: $json.name } }}' },
	'poll after submitting': { prompt: '={{ $json.name }}' },
	download: {
		resource: 'image',
		operation: 'generate',
		model: { __rl: true, mode: 'id', value: 'imgn-4.0' },
		prompt: '={{ $json.name }}',
		taskId: undefined,
	},
	'text:chat streamed': {
		messages: { entry: [{ role: 'user', text: '={{ $json.name }}' }] },
		options: { stream: true, maxSilence: 20 },
	},
	'embedding:create': { input: '={{ $json.name }}', options: { batchSize: 1 } },
};

const workflowOf = (row: CallRow) => {
	const [resource, operation] = row.menu.split(':');
	const node: NodeSpec = {
		name: 'Gateway',
		type: 'n8n-nodes-generation-gateway.generationGateway',
		credentials: 'generationGatewayApi',
		parameters: { resource, operation, ...row.parameters(''), ...NAMED[row.name] } as never,
		onError: 'continueRegularOutput',
	};
	const names = CELLS.filter((cell) => cell.row === row).map((cell) => ({ name: nameOf(cell) }));
	return {
		...linear(
			{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
			{
				name: 'Rows',
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				parameters: { mode: 'raw', jsonOutput: JSON.stringify({ rows: names }), options: {} },
			},
			{
				name: 'Split',
				type: 'n8n-nodes-base.splitOut',
				parameters: { fieldToSplitOut: 'rows', options: {} },
			},
			node,
		),
		id: idOf(row),
		name: row.name,
	};
};

const idOf = (row: CallRow): string => `matrix-${row.name.replace(/\W+/g, '-')}`;

function endOf(json: Record<string, unknown> | undefined, row: CallRow): string {
	const { details } = (json ?? {}) as { details?: { code?: string } };
	if (details) return String(details.code);
	const [field, pattern] = row.done;
	return pattern.test(JSON.stringify(json?.[field] ?? '')) ? 'done' : 'pending';
}

const itemsOf = ({ data }: HeadlessRun) =>
	(data.resultData.runData.Gateway?.[0]?.data?.main ?? []).flat().map(({ json }) => json);

describe.each(hostsOr('newest'))('a sample of the matrix in n8n $n8n', (version) => {
	let sandbox: Sandbox;
	let host: N8nHost;
	let folder: string;

	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'faults-'));
		sandbox = await startSandbox({ taskMs: 500 });
		const injected = new Set<string>();
		sandbox.faults.injection = ({ method, path: at, body }) => {
			const [, id] = /(task_[0-9a-f]+)/.exec(at) ?? [];
			const words = JSON.stringify(id ? sandbox.task(id)?.body : body) ?? '';
			const cell = CELLS.find((one) => words.includes(JSON.stringify(nameOf(one)).slice(1, -1)));
			const isMeant = cell && method === cell.row.match.method && cell.row.match.path.test(at);
			if (!isMeant || injected.has(nameOf(cell))) return undefined;
			injected.add(nameOf(cell));
			return { kind: KINDS[cell.fault]! };
		};
		host = await createHost(version, { userFolder: path.join(folder, 'user'), gateway: sandbox });
		await host.importWorkflows(ROWS.map(workflowOf));
	});

	afterAll(async () => {
		await sandbox.close();
		await rm(folder, { recursive: true, force: true });
	});

	it.each(ROWS.map((row) => [row.name, row] as const))(
		'%s ends as the table says, whatever the fault',
		async (_name, row) => {
			const run = await host.execute(idOf(row));
			const cells = CELLS.filter((cell) => cell.row === row);

			expect(run.data.resultData.error?.message).toBeUndefined();
			const items = itemsOf(run);
			expect(cells.map((cell, index) => `${cell.fault}: ${endOf(items[index], row)}`)).toEqual(
				cells.map(({ fault, expected }) => `${fault}: ${expected}`),
			);
		},
		TIMEOUT_MS,
	);

	it('bills no row twice', () => {
		const prompts = sandbox.tasks().map(({ body }) => String(body.prompt));
		expect(prompts).toHaveLength(new Set(prompts).size);
	});
});
