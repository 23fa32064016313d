import ts from 'typescript';
import { ERROR_CODES, type ErrorCode, type ErrorCodeInfo } from '../../nodes/gateway/errorCodes';
import { GatewayError, stoppedError, withDetails } from '../../nodes/gateway/errors';
import { errorFromStatus } from '../../nodes/gateway/response';
import { ERROR_MEANINGS } from '../../scripts/docs/errorMeanings';
import { parseSource, sourceFiles, visitNodes } from '../support/sourceFacts';

const codes = Object.keys(ERROR_CODES) as ErrorCode[];

/** Codes in the first argument of `new GatewayError(…)`, and of `code:` in the table of statuses. */
function codesInSources(): Map<string, string[]> {
	const found = new Map<string, string[]>();
	const add = (code: string, file: string) => found.set(code, [...(found.get(code) ?? []), file]);
	for (const file of sourceFiles('nodes'))
		visitNodes(parseSource(file), (node) => {
			if (ts.isNewExpression(node) && node.expression.getText() === 'GatewayError')
				visitNodes(node.arguments![0]!, (part) => {
					if (ts.isStringLiteral(part)) add(part.text, file);
				});
			const isTable = file === 'nodes/gateway/response.ts';
			if (isTable && ts.isPropertyAssignment(node) && node.name.getText() === 'code')
				if (ts.isStringLiteral(node.initializer)) add(node.initializer.text, file);
		});
	return found;
}

describe('the codes of errors', () => {
	it('are all thrown somewhere, and no others are', () => {
		const thrown = codesInSources();
		expect([
			...codes
				.filter((code) => !thrown.has(code))
				.map((code) => `${code}: nothing in nodes/ throws it`),
			...[...thrown]
				.filter(([code]) => !(codes as string[]).includes(code))
				.map(([code, files]) => `${code} of ${files.join()}: not in nodes/gateway/errorCodes.ts`),
		]).toEqual([]);
	});

	it('are words that a workflow can branch on', () => {
		expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
	});

	it.each(codes)('%s brings its hint, whether to retry and whether it was billed', (code) => {
		const { action, retry = false, billed }: ErrorCodeInfo = ERROR_CODES[code];
		const error = new GatewayError(code, 'It did not work');

		expect(error).toMatchObject({
			name: 'GatewayError',
			code,
			message: 'It did not work',
			hint: action,
		});
		expect(error.details).toEqual({ retry, ...(billed === 'no' && { billed: 0 }) });
	});

	it.each(codes)('%s is described in whole sentences', (code) => {
		const { action } = ERROR_CODES[code];
		for (const sentence of [ERROR_MEANINGS[code], action])
			expect(sentence).toMatch(/^(n8n |[A-Z`]).*\.$/s);
	});

	it('never promise another outcome of the same that the gateway refused for good', () => {
		const refused = codes.filter((code) => new GatewayError(code, '').isPermanent);

		expect(refused.sort()).toEqual([
			...['bad_request', 'forbidden', 'invalid_api_key', 'invalid_asset_reference'],
			...['invalid_credential', 'not_found', 'redirected'],
		]);
		expect(refused.filter((code) => 'retry' in ERROR_CODES[code])).toEqual([]);
	});
});

describe('an error', () => {
	it('keeps what it was given rather than what its code says', () => {
		const cause = new Error('socket');
		const details = { retry: false, billed: undefined, task_id: 'task_1' };
		const error = new GatewayError('rate_limited', 'No', { hint: 'Wait.', details, cause });

		expect(error).toMatchObject({ hint: 'Wait.', details, cause });
	});

	it('takes more details in place, so that everyone who holds it sees them', () => {
		const error = new GatewayError('not_found', 'No');

		expect(error.addDetails({ task_id: 'task_1', billed: undefined })).toBe(error);
		expect(withDetails(error, { asset_id: 'ast_1' })).toBe(error);
		expect(error.details).toEqual({
			retry: false,
			billed: undefined,
			task_id: 'task_1',
			asset_id: 'ast_1',
		});
	});

	it('does not share its details with the next', () => {
		const details = { task_id: 'task_1' };
		const first = new GatewayError('not_found', 'No', { details }).addDetails({
			task_id: 'task_2',
		});

		expect([first.details.task_id, details.task_id]).toEqual(['task_2', 'task_1']);
	});

	it.each([new Error('No'), 'No', undefined])('is the only thing that takes details: %p', (other) =>
		expect(withDetails(other, { task_id: 'task_1' })).toBe(other),
	);

	it('of a stopped execution is always the same', () => {
		expect(stoppedError()).toMatchObject({
			code: 'stopped',
			message: 'The execution was stopped',
			details: { retry: false },
		});
	});
});

describe('the error of a status', () => {
	it.each([
		[400, 'bad_request'],
		[401, 'invalid_api_key'],
		[402, 'insufficient_balance'],
		[403, 'forbidden'],
		[404, 'not_found'],
		[408, 'unknown_outcome'],
		[409, 'unknown_outcome'],
		[422, 'bad_request'],
		[425, 'unknown_outcome'],
		[429, 'rate_limited'],
		[500, 'gateway_error'],
		[502, 'gateway_error'],
		[503, 'gateway_error'],
		[529, 'gateway_error'],
	])('%i is %s', (status, code) => expect(errorFromStatus(status, '', 'write').code).toBe(code));

	it.each([
		[429, { code: 'insufficient_quota' }],
		[403, { code: 'insufficient_user_quota' }],
		[403, { code: 'pre_consume_token_quota_failed' }],
		[400, { type: 'payment_required' }],
		[500, { code: 'insufficient_balance' }],
	])('%i with %j is an empty balance', (status, error) =>
		expect(errorFromStatus(status, { error }, 'submit')).toMatchObject({
			code: 'insufficient_balance',
			details: { http_status: status, retry: false, billed: 0 },
		}),
	);

	it('names the field, the words and the code of the gateway', () => {
		const body = { error: { message: 'No such field', code: 'unknown_field', param: 'quality' } };

		expect(errorFromStatus(400, body, 'submit')).toMatchObject({
			message: 'The gateway refused the request (quality): No such field',
			details: { http_status: 400, gateway_code: 'unknown_field', retry: false, billed: 0 },
		});
	});

	it.each([
		[{ code: 'model_not_found', message: 'No imgn-4.0' }, 'Choose another model'],
		[{ message: 'The model imgn-4.0 does not exist' }, 'Choose another model'],
		[{ message: 'There is no GET /v1/models' }, 'Check the ID'],
		[{ code: 'asset_not_found', message: 'No model here' }, 'The asset is missing'],
	])('says what is not found: %j', (error, hint) => {
		expect(errorFromStatus(404, { error }, 'submit').hint).toMatch(new RegExp(`^${hint}`));
	});

	it.each([
		['asset_reference_invalid', 'asset://'],
		['asset_reference_unsupported', 'public link'],
		['asset_not_found', 'not active yet'],
		['asset_type_mismatch', 'type'],
		['asset_route_mismatch', 'another model'],
	])('explains %s', (gatewayCode, hint) => {
		const param = 'image_urls';
		const body = { error: { code: gatewayCode, message: 'No', param } };

		expect(errorFromStatus(400, body, 'submit')).toMatchObject({
			code: 'invalid_asset_reference',
			hint: expect.stringContaining(hint),
			details: { gateway_code: gatewayCode, param, billed: 0, retry: false },
		});
		// The code in the envelope is a number (section 7).
		const named = { error: { code: 400, type: gatewayCode, message: 'No' }, param };
		expect(errorFromStatus(400, named, 'submit')).toMatchObject({
			code: 'invalid_asset_reference',
			hint: expect.stringContaining(hint),
			details: { gateway_type: gatewayCode, param },
		});
	});
});
