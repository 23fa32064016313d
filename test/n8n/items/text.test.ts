import { ERROR_CODES } from '../../../nodes/gateway/errorCodes';
import type { TextResult } from '../../../nodes/gateway/text/schema';
import { extractJson, textToItem } from '../../../nodes/n8n/items/text';
import { catchError } from '../../support/gatewayClient';

describe('the item of an answer', () => {
	const answer: TextResult = {
		texts: ['Hello'],
		finishReasons: [],
		toolCalls: [],
		raw: { id: 'x' },
	};
	const options = { model: 'gp-5', isJson: false, simplify: true };

	it('holds its text first, and what it took', () => {
		const { json } = textToItem(
			{
				...answer,
				model: 'gp-5-2026',
				finishReasons: ['stop'],
				usage: { output: 2, total: 2 },
				cost: 500,
			},
			options,
		);

		expect(Object.keys(json)[0]).toBe('text');
		expect(json).toEqual({
			text: 'Hello',
			model: 'gp-5-2026',
			finish_reason: 'stop',
			usage: { input_tokens: null, output_tokens: 2, total_tokens: 2 },
			cost: 500,
			cost_usd: 0.001,
		});
	});

	it('has every field also where little is known', () => {
		expect(textToItem({ ...answer, texts: [] }, options).json).toEqual({
			text: '',
			model: 'gp-5',
			finish_reason: null,
			usage: null,
		});
	});

	it('holds alternatives, tool calls and pictures where there are some', () => {
		const toolCalls = [{ id: 'c1', name: 'lookup', arguments: { city: 'Ghent' } }];
		const signed = toolCalls.map((toolCall) => ({ ...toolCall, kept: { extra_content: {} } }));
		const images = [{ type: 'output_image' }];

		expect(
			textToItem({ ...answer, texts: ['A', 'B'], toolCalls: signed, images }, options).json,
		).toEqual(
			expect.objectContaining({ text: 'A', texts: ['A', 'B'], tool_calls: toolCalls, images }),
		);
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
			'Raise Maximum Tokens (Generate Content: Maximum Output Tokens). The text is in details.',
		],
		[
			'incomplete',
			'The answer is not JSON, because it was cut off',
			'Raise Maximum Tokens (Generate Content: Maximum Output Tokens). The text is in details.',
		],
		[
			'max_tokens',
			'The answer is not JSON, because it was cut off',
			'Raise Maximum Tokens (Generate Content: Maximum Output Tokens). The text is in details.',
		],
		...['content_filter', 'refusal', 'SAFETY'].map(
			(reason) =>
				[
					reason,
					`The answer is not JSON, because the model refused to answer (${reason})`,
					'Change the messages or the files: the same request is refused again.',
				] as const,
		),
	] as const)(
		'keeps the text that is no JSON, ended by %s',
		async (finishReason, message, hint) => {
			const make = async () =>
				textToItem(
					{ ...answer, finishReasons: [finishReason], cost: 500 },
					{ ...options, isJson: true },
				);

			expect(await catchError(make())).toMatchObject({
				code: 'text_not_json',
				message,
				hint,
				details: {
					...{ text: 'Hello', finish_reason: finishReason, billed: 500 },
					retry: !message.includes('refused'),
				},
			});
		},
	);

	it.each([
		['{', '"name": "Ada", "tags": ["a"]}', { name: 'Ada', tags: ['a'] }],
		['{', '{"name": "Ada"}', { name: 'Ada' }],
		['{"draft": "a longer one"}', '{"a":1}', { a: 1 }],
		['Here is the JSON:\n{', '"a": {"b":1}}', { a: { b: 1 } }],
		['```json\n{"a": ', '{"b":1}}\n```', { a: { b: 1 } }],
		['{', '"a": {"b":1}}\nI hope this helps.', { a: { b: 1 } }],
	])('finds the JSON that begins with %j and goes on with %j', (beginning, text, value) =>
		expect(extractJson(text, beginning)).toEqual({ value }),
	);

	it.each([
		['{"a":1}', { a: 1 }],
		[' [1] ', [1]],
		['```json\n{"a":1}\n```', { a: 1 }],
		['Here it is:\n```\n[1]\n```\nDone.', [1]],
		['The answer is {"a":{"b":1}}. Good?', { a: { b: 1 } }],
		['As in source [1], the answer is:\n{"a": "\\"]"}', { a: '"]' }],
		['{"a": 1}, as in [1] and {name}.', { a: 1 }],
		['A {name of many words}: {"a":1}', { a: 1 }],
		['<think>Like {"a": "a draft"}.</think>{"a":1}', { a: 1 }],
		['{"a":"</think>"}', { a: '</think>' }],
		['For the prices [10, 20, 30, 40] the result is {"ok": true}.', { ok: true }],
		['The {name} values are [1,2,3,4]', [1, 2, 3, 4]],
		['\\frac{1}{2} is [1,2,3,4]', [1, 2, 3, 4]],
		['As in {"id": 1}: [{"id": 1}, {"id": 2}]', [{ id: 1 }, { id: 2 }]],
		['null', null],
		['"x"', 'x'],
	])('finds the JSON in %j', (text, value) => expect(extractJson(text)).toEqual({ value }));

	it.each([
		...['', 'Hello', '{"a":', '{a: 1}', 'As in [1]: {a: 1}'],
		...['{"a":{"b":1},"c":', 'As in [1]: {"a":[2]', '{"a":"}', '<think>Like {"a": "a draft"}.'],
	])('finds no JSON in %j', (text) => expect(extractJson(text)).toBeUndefined());
});
