import type { INode } from 'n8n-workflow';
import ts from 'typescript';
import { ERROR_CODES, type ErrorCode } from '../../../nodes/gateway/errorCodes';
import { GatewayError, type ErrorDetails } from '../../../nodes/gateway/errors';
import {
	createNodeError,
	createRunError,
	describeFailures,
	failureToItem,
	toGatewayError,
} from '../../../nodes/n8n/items/failure';
import { parseSource, visitNodes } from '../../support/sourceFacts';

describe('the item of a failure', () => {
	const details: ErrorDetails = {
		task_id: 'task_1',
		status: 'failed',
		billed: 12,
		retry: true,
		http_status: 400,
		gateway_code: 'asset_not_found',
		gateway_type: 'invalid_request_error',
		param: 'image_urls',
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
					item_index: 4,
					error: 'One; Two',
					message: 'Three.',
					details: { code, ...details },
					task_id: details.task_id,
					status: details.status,
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
		const made = { taskIds: ['task_90', 'task_0', 'task_91', 'task_90'], unclear: [18, 3] };
		Object.assign(failures[11]!.error.details, { may_have_executed: true });
		const { description, context } = createRunError(node, failures, 20, made);
		const lines = String(description).split('<br>');

		expect(lines).toContain('12 of 20 items failed.');
		expect(lines).toContain('Item 1: Item 1 broke; more');
		expect(lines).toContain('and 1 more');
		expect(lines.filter((line) => line.startsWith('Item '))).toHaveLength(10);
		expect(lines.at(-3)).toBe(
			`Tasks of the failed items: ${failures.map(({ index }) => `task_${index}`).join(', ')}`,
		);
		expect(lines.at(-2)).toBe(
			'Already submitted and possibly billed, get them with Task > Get: task_90, task_91',
		);
		expect(lines.at(-1)).toBe('Not known whether it was carried out and billed: item 3, 11, 18');
		const others = [...failures.slice(1).map(({ index }) => `task_${index}`), 'task_90', 'task_91'];
		expect(context.details).toMatchObject({ task_id: 'task_0', other_task_ids: others });
	});

	it('does not repeat its message where all items have failed for it', () => {
		const error = new GatewayError('task_failed', 'Broken');
		const failures = [0, 1].map((index) => ({ error, index }));

		expect(createRunError(node, failures, 2).description).toBe(
			`${ERROR_CODES.task_failed.action}<br>2 of 2 items failed.`,
		);
	});

	it('lists ten items of a reason, and counts the rest', () => {
		const error = new GatewayError('task_failed', 'Broken');
		const failures = Array.from({ length: 12 }, (_, index) => ({ error, index }));

		expect(describeFailures(failures, 20)).toEqual([
			'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more: Broken',
		]);
	});

	it('keeps its words where n8n would put its own, and no markup', () => {
		const error = new GatewayError('connection_failed', 'ECONNREFUSED, preexisting', {
			hint: '<b>Check</b>',
		});

		expect(createNodeError(node, error, 2)).toMatchObject({
			message: 'ECONNREFUSED, preexisting',
			description: '&lt;b>Check&lt;/b>',
			context: { itemIndex: 2 },
		});
	});
});
