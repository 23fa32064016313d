import type { INode } from 'n8n-workflow';
import ts from 'typescript';
import { createLimiter } from '../../../nodes/gateway/concurrency';
import { readAsset } from '../../../nodes/gateway/assets/schema';
import { ERROR_CODES, type ErrorCode } from '../../../nodes/gateway/errorCodes';
import { GatewayError, type ErrorDetails } from '../../../nodes/gateway/errors';
import { readTask, type Task } from '../../../nodes/gateway/tasks/schema';
import type { TextResult } from '../../../nodes/gateway/text/schema';
import { assertAssetUsable, assetToItem } from '../../../nodes/n8n/items/asset';
import {
	createNodeError,
	createRunError,
	failureToItem,
	toGatewayError,
} from '../../../nodes/n8n/items/failure';
import { findTaskError, taskToItem, taskToJson } from '../../../nodes/n8n/items/task';
import { extractJson, textToItem } from '../../../nodes/n8n/items/text';
import { catchError } from '../../support/gatewayClient';
import { parseSource, visitNodes } from '../../support/sourceFacts';

const rawTask = {
	task_id: 'task_1',
	model: 'clipk-v3',
	action: 'generate',
	status: 'completed',
	progress: '100%',
	created_at: 1_763_640_000,
	completed_at: 1_763_640_062,
	result: { videos: [{ url: ['https://example.com/a.mp4'], expires_at: 1_763_726_462 }] },
	cost: 178_500,
};
const read = (more: object = {}): Task => readTask({ ...rawTask, ...more })!;
const limit = createLimiter(1);

describe('the item of a task', () => {
	it('is flat, with its times in ISO 8601 and its cost in quota and USD', () => {
		expect(taskToJson(read())).toEqual({
			task_id: 'task_1',
			model: 'clipk-v3',
			action: 'generate',
			status: 'completed',
			progress: 100,
			created_at: '2025-11-20T12:00:00.000Z',
			completed_at: '2025-11-20T12:01:02.000Z',
			expires_at: '2025-11-21T12:01:02.000Z',
			urls: ['https://example.com/a.mp4'],
			cost: 178_500,
			cost_usd: 0.357,
		});
	});

	it('has every field also where little is known, and the hold until the cost is', () => {
		expect(taskToJson(readTask({ task_id: 'task_1', pre_consumed_cost: 500 })!)).toEqual({
			...{ task_id: 'task_1', model: null, action: null, status: 'queued', progress: 0 },
			...{ created_at: null, completed_at: null, expires_at: null, urls: [] },
			...{ cost: null, cost_usd: null, pre_consumed_cost: 500 },
		});
	});

	it('states a refund as 0, and why it failed', () => {
		const failed = read({ status: 'failed', cost: 0, pre_consumed_cost: 500, error: 'No' });

		expect(taskToJson(failed)).toMatchObject({ cost: 0, cost_usd: 0, reason: 'No' });
		expect(taskToJson(failed)).not.toHaveProperty('pre_consumed_cost');
	});

	it("is the gateway's own object with Simplify off", async () => {
		const item = await taskToItem({} as never, read(), { simplify: false }, { limit });

		expect(item).toEqual({ json: rawTask });
	});

	it('downloads nothing of a task that has not completed', async () => {
		const options = { simplify: true, download: 'data' };

		expect(
			await taskToItem({} as never, read({ status: 'processing' }), options, { limit }),
		).toMatchObject({ json: { status: 'processing' } });
	});

	it('keeps what is paid with the error of a file that does not arrive', async () => {
		const getCredentials = async () => ({ baseUrl: 'https://gateway.example.com' });
		const task = { ...read(), urls: ['http://127.0.0.1/a.mp4'] };
		const item = taskToItem(
			{ getCredentials, helpers: {} } as never,
			task,
			{ simplify: true, download: 'data' },
			{ limit },
		);

		expect(await catchError(item)).toMatchObject({
			code: 'link_not_public',
			details: {
				task_id: 'task_1',
				status: 'completed',
				billed: 178_500,
				urls: ['http://127.0.0.1/a.mp4'],
				expires_at: '2025-11-21T12:01:02.000Z',
				retry: false,
			},
		});
	});
});

describe('the error of a task', () => {
	it.each(['queued', 'processing', 'completed'])('is none while it is %s', (status) =>
		expect(findTaskError(read({ status }))).toBeUndefined(),
	);

	it('that failed says why, what it cost and what to do', () => {
		expect(findTaskError(read({ status: 'failed', cost: 0, error: 'Too dark' }))).toMatchObject({
			code: 'task_failed',
			message: 'The task task_1 failed: Too dark',
			hint: 'It was refunded in full. Run it again for a new task, or change the request.',
			details: { task_id: 'task_1', status: 'failed', model: 'clipk-v3', billed: 0, retry: true },
		});
	});

	it('that was cancelled is no reason to retry, and tells a charge', () => {
		expect(findTaskError(read({ status: 'cancelled', cost: 12 }))).toMatchObject({
			code: 'task_cancelled',
			message: 'The task task_1 was cancelled',
			hint: '12 quota were charged. Run it again for a new task.',
			details: { billed: 12, retry: false },
		});
	});
});

describe('the item of a failure', () => {
	const details: ErrorDetails = {
		task_id: 'task_1',
		status: 'failed',
		billed: 12,
		retry: true,
		http_status: 400,
		gateway_code: 'asset_not_found',
		retry_after: 7,
		issues: [{ field: 'prompt', message: 'Prompt is empty' }],
	};

	it('is tested here with every field of details', () => {
		const declared: string[] = [];
		visitNodes(parseSource('nodes/gateway/errors.ts'), (node) => {
			if (ts.isInterfaceDeclaration(node) && node.name.text === 'ErrorDetails')
				for (const member of node.members)
					if (ts.isPropertySignature(member)) declared.push(member.name.getText());
		});
		expect(Object.keys(details).sort()).toEqual(declared.sort());
	});

	it.each(Object.keys(ERROR_CODES) as ErrorCode[])(
		'of %s holds its code, and every detail that is known',
		(code) => {
			const error = new GatewayError(code, 'One\nTwo', { hint: 'Three.', details });

			expect(failureToItem({ error, index: 4 })).toEqual({
				json: {
					...{ item_index: 4, error: 'One; Two', message: 'Three.', details: { code, ...details } },
					...{ task_id: details.task_id, status: details.status },
				},
				pairedItem: { item: 4 },
			});
		},
	);

	it('leaves out what is not known: an unknown charge is not 0', () => {
		const error = new GatewayError('not_found', 'No', { details: { billed: undefined } });

		expect(failureToItem({ error, index: 0 }).json.details).toEqual({
			code: 'not_found',
			retry: false,
		});
	});

	it.each([
		[new TypeError('No such thing'), 'No such thing'],
		[{ message: 'From n8n', description: 'Do this.' }, 'From n8n'],
		['words', 'words'],
	])('is unexpected for other things that are thrown: %p', (thrown, message) => {
		expect(toGatewayError(thrown)).toMatchObject({ code: 'unexpected', message, cause: thrown });
	});

	it("keeps the hint of an error of n8n's own", () => {
		const hintOf = (description: string | null) =>
			toGatewayError({ message: 'From n8n', description }).hint;

		expect(hintOf('Do this.')).toBe('Do this.');
		expect(hintOf(null)).toBe(ERROR_CODES.unexpected.action);
	});
});

describe('the error that ends a run', () => {
	const node = { name: 'Gateway', type: 'x', typeVersion: 1 } as unknown as INode;
	const failed = (index: number, task_id?: string) => ({
		error: new GatewayError('task_failed', `Item ${index} broke\nmore`, { details: { task_id } }),
		index,
	});

	it('is that of the first item, with its details and what to do', () => {
		const error = createRunError(node, [failed(0)], 1);

		expect(error).toMatchObject({
			message: 'Item 0 broke',
			description: `more<br>${ERROR_CODES.task_failed.action}`,
			context: { itemIndex: 0, details: { code: 'task_failed', retry: true } },
		});
	});

	it('counts and lists the others, and names every task that is paid', () => {
		const failures = Array.from({ length: 12 }, (_, index) => failed(index, `task_${index}`));
		const { description } = createRunError(node, failures, 20, ['task_90', 'task_91']);
		const lines = String(description).split('<br>');

		expect(lines).toContain('12 of 20 items failed.');
		expect(lines).toContain('Item 1: Item 1 broke');
		expect(lines).toContain('and 2 more');
		expect(lines.filter((line) => line.startsWith('Item '))).toHaveLength(9);
		expect(lines.at(-2)).toBe(
			`Tasks of the failed items: ${failures.map(({ index }) => `task_${index}`).join(', ')}`,
		);
		expect(lines.at(-1)).toBe(
			'Already submitted and possibly billed, get them with Task &gt; Get: task_90, task_91',
		);
	});

	it('keeps its words where n8n would put its own, and no markup', () => {
		const error = new GatewayError('connection_failed', 'ECONNREFUSED, preexisting', {
			hint: '<b>Check</b>',
		});

		expect(createNodeError(node, error, 2)).toMatchObject({
			message: 'ECONNREFUSED, preexisting',
			description: '&lt;b&gt;Check&lt;/b&gt;',
			context: { itemIndex: 2 },
		});
	});
});

describe('the item of an answer', () => {
	const answer: TextResult = { texts: ['Hello'], toolCalls: [], raw: { id: 'x' } };
	const options = { model: 'gp-5', isJson: false, simplify: true };

	it('holds its text first, and what it took', () => {
		const { json } = textToItem(
			{
				...answer,
				model: 'gp-5-2026',
				finishReason: 'stop',
				usage: { input: 1, output: 2 },
				cost: 500,
			},
			options,
		);

		expect(Object.keys(json)[0]).toBe('text');
		expect(json).toEqual({
			text: 'Hello',
			model: 'gp-5-2026',
			finish_reason: 'stop',
			usage: { input_tokens: 1, output_tokens: 2, total_tokens: null },
			cost: 500,
			cost_usd: 0.001,
		});
	});

	it('has every field also where little is known', () => {
		expect(textToItem({ ...answer, texts: [] }, options).json).toEqual({
			...{ text: '', model: 'gp-5', finish_reason: null, usage: null },
		});
	});

	it('holds alternatives, tool calls and pictures where there are some', () => {
		const toolCalls = [{ id: 'c1', name: 'lookup', arguments: { city: 'Ghent' } }];
		const images = [{ type: 'output_image' }];

		expect(
			textToItem({ ...answer, texts: ['A', 'B'], toolCalls, images }, options).json,
		).toMatchObject({ text: 'A', texts: ['A', 'B'], tool_calls: toolCalls, images });
	});

	it("is the gateway's own object with Simplify off", () => {
		expect(textToItem(answer, { ...options, simplify: false })).toEqual({ json: { id: 'x' } });
	});

	it('holds the JSON that was asked for', () => {
		const json = { ...options, isJson: true };

		expect(textToItem({ ...answer, texts: ['{"a":1}'] }, json).json).toMatchObject({
			data: { a: 1 },
		});
		expect(
			textToItem({ ...answer, toolCalls: [{ name: 'lookup', arguments: {} }] }, json).json,
		).toMatchObject({ text: 'Hello' });
	});

	it.each([
		['stop', 'The answer is not JSON', ERROR_CODES.text_not_json.action],
		[
			'length',
			'The answer is not JSON, because it was cut off',
			'Raise Maximum Tokens. The text is in details.',
		],
		[
			'max_tokens',
			'The answer is not JSON, because it was cut off',
			'Raise Maximum Tokens. The text is in details.',
		],
	])('keeps the text that is no JSON, ended by %s', async (finishReason, message, hint) => {
		const make = async () =>
			textToItem({ ...answer, finishReason, cost: 500 }, { ...options, isJson: true });

		expect(await catchError(make())).toMatchObject({
			code: 'text_not_json',
			message,
			hint,
			details: { text: 'Hello', finish_reason: finishReason, billed: 500 },
		});
	});

	it.each([
		['{"a":1}', { a: 1 }],
		[' [1] ', [1]],
		['```json\n{"a":1}\n```', { a: 1 }],
		['Here it is:\n```\n[1]\n```\nDone.', [1]],
		['The answer is {"a":{"b":1}}. Good?', { a: { b: 1 } }],
		['null', null],
		['"x"', 'x'],
	])('finds the JSON in %j', (text, value) => expect(extractJson(text)).toEqual({ value }));

	it.each(['', 'Hello', '{"a":', '{a: 1}'])('finds no JSON in %j', (text) =>
		expect(extractJson(text)).toBeUndefined(),
	);
});

describe('the item of an asset', () => {
	const raw = {
		...{ id: 'ast_1', model: 'sdn-2.0', type: 'video', name: 'Harbour', status: 'failed' },
		...{ duration_seconds: 12.5, created_at: 1_763_640_000, error: { message: '审核超时' } },
	};
	const asset = readAsset(raw)!;

	it('is flat, with its times in ISO 8601 and its reason in English', () => {
		expect(assetToItem(asset, true).json).toEqual({
			...{ id: 'ast_1', model: 'sdn-2.0', type: 'video', name: 'Harbour', status: 'failed' },
			...{ duration_seconds: 12.5, created_at: '2025-11-20T12:00:00.000Z', updated_at: null },
			...{ asset_url: null, reason: 'The review timed out', reason_original: '审核超时' },
		});
		expect(assetToItem(asset, false).json).toBe(raw);
	});

	it('is an error where the review rejected it', async () => {
		expect(await catchError((async () => assertAssetUsable(asset))())).toMatchObject({
			code: 'asset_rejected',
			message: 'The asset ast_1 was not accepted: The review timed out',
			details: { asset_id: 'ast_1', status: 'failed', reason_original: '审核超时', billed: 0 },
		});
		expect(() => assertAssetUsable({ ...asset, status: 'active' })).not.toThrow();
	});
});
