import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

export interface CodeJob {
	code: string;
	nodeMode: 'runOnceForAllItems' | 'runOnceForEachItem' | 'runCode';
	chunk?: { startIndex: number; count: number };
}

type Outcome = { ok: true; result: unknown } | { ok: false; error: unknown };
type Script = (...args: unknown[]) => Promise<unknown>;

const AsyncFunction = (async () => {}).constructor as new (...namesAndBody: string[]) => Script;

const WORKFLOW_DATA = [
	'$',
	'$input',
	'$json',
	'$binary',
	'$node',
	'$items',
	'$parameter',
	'$execution',
	'$executionId',
	'$workflow',
	'$prevNode',
	'$runIndex',
	'$itemIndex',
	'$vars',
	'$now',
	'$today',
	'$jmespath',
	'DateTime',
	'Duration',
	'Interval',
];

/**
 * Runs the JavaScript of a Code node in this process, with n8n's real workflow data (`$input`, `$('Node')`, …).
 * On a server that is the job of a sandboxed task runner; here nothing is sandboxed, so run only code you trust.
 */
export async function runCodeJob(
	jobType: string,
	job: CodeJob,
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<Outcome> {
	try {
		if (jobType !== 'javascript') throw new Error(`The engine harness runs no ${jobType} code`);
		const result =
			job.nodeMode === 'runOnceForEachItem'
				? await runForEachItem(job, context, items)
				: await runScript(job.code, context, 0, { items });
		return { ok: true, result };
	} catch (error) {
		return { ok: false, error };
	}
}

async function runForEachItem(
	{ code, chunk }: CodeJob,
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<IDataObject[]> {
	const start = chunk?.startIndex ?? 0;
	const end = start + (chunk?.count ?? items.length);
	const results: IDataObject[] = [];
	for (let index = start; index < end; index++) {
		const result = (await runScript(code, context, index, { item: items[index] })) as
			IDataObject | undefined;
		if (result === undefined || result === null) continue;
		const item = 'json' in result || 'binary' in result ? result : { json: result };
		results.push({ ...item, pairedItem: { item: index } });
	}
	return results;
}

async function runScript(
	code: string,
	context: IExecuteFunctions,
	itemIndex: number,
	extra: Record<string, unknown>,
): Promise<unknown> {
	const proxy = context.getWorkflowDataProxy(itemIndex);
	const script = new AsyncFunction(...WORKFLOW_DATA, ...Object.keys(extra), code);
	return await script.call(
		context,
		...WORKFLOW_DATA.map((name) => proxy[name] as unknown),
		...Object.values(extra),
	);
}
