import { readErrorBody } from '../../nodes/gateway/errorBody';

const none = { message: undefined, code: undefined, param: undefined };

describe('reading a refusal', () => {
	it.each([
		[
			'the envelope of the interface',
			{
				error: {
					code: 400,
					message: 'No such field',
					type: 'invalid_request_error',
					param: 'quality',
				},
			},
			{
				message: 'No such field',
				code: '400',
				param: 'quality',
				type: 'invalid_request_error',
			},
		],
		[
			'a code in words',
			{ error: { code: 'asset_not_found', message: 'No asset', param: 'image_urls' } },
			{ ...none, message: 'No asset', code: 'asset_not_found', param: 'image_urls' },
		],
		['an error that is text', { error: 'No such field' }, { ...none, message: 'No such field' }],
		[
			'a message alone',
			{ message: 'No such field', code: 1 },
			{ ...none, message: 'No such field', code: '1' },
		],
		[
			'the words of a legacy reply',
			{ code: 'error', data: 'insufficient quota' },
			{ ...none, message: 'insufficient quota', code: 'error' },
		],
		['a number for an error', { error: 500, message: 'x' }, { ...none, message: 'x', code: '500' }],
		['a name beside the reason', { error: 'Not Found', message: 'x' }, { ...none, message: 'x' }],
		['data without words', { code: 500, data: 0 }, { ...none, code: '500' }],
		['a list of data', { object: 'list', data: ['sk'], code: 404 }, { ...none, code: '404' }],
		['a detail', { detail: 'No such field' }, { ...none, message: 'No such field' }],
		['a list of details', { detail: [{ msg: 'Too long' }] }, { ...none, message: 'Too long' }],
		['a short name', { error: { msg: 'Too long' } }, { ...none, message: 'Too long' }],
		['a list of errors', { errors: [{ message: 'No' }] }, { ...none, message: 'No' }],
		['a list', [{ error: { code: 400, message: 'No' } }], { ...none, message: 'No', code: '400' }],
		['plain text', '  Bad gateway\n', { message: 'Bad gateway' }],
		[
			'fields of other types',
			{ error: { message: { text: 'No' }, code: [], type: 4, param: null } },
			none,
		],
		[
			'unknown fields',
			{ error: { message: 'No', trace: 'f00' }, request_id: 'r1' },
			{ ...none, message: 'No' },
		],
	])('reads %s', (_name, body, refusal) => expect(readErrorBody(body)).toEqual(refusal));

	it.each([
		['a web page', '<html>Bad gateway</html>'],
		['empty text', ' '],
		['null', null],
		['nothing', undefined],
		['a number', 7],
	])('finds nothing to say in %s', (_name, body) =>
		expect(readErrorBody(body).message).toBeUndefined(),
	);

	it('cuts a long text', () => expect(readErrorBody('x'.repeat(5000)).message).toHaveLength(300));
});
