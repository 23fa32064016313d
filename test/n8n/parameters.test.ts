import type { IExecuteFunctions } from 'n8n-workflow';
import ts from 'typescript';
import type { GatewayError } from '../../nodes/gateway/errors';
import { ItemReader } from '../../nodes/n8n/itemReader';
import {
	choiceParameter,
	listParameter,
	numberParameter,
	objectParameter,
	switchParameter,
	textParameter,
	type Parameter,
} from '../../nodes/n8n/parameters';
import { parseSource, visitNodes } from '../support/sourceFacts';

const base = { name: 'field', displayName: 'Some Field', description: 'A field' };
const integer = numberParameter({
	...base,
	min: 1,
	max: 60,
	isInteger: true,
	shown: 5,
	fallback: 20,
});
const decimal = numberParameter({ ...base, min: 0, shown: 1, fallback: undefined });
const onOff = switchParameter(base);
const words = textParameter(base);
const choice = choiceParameter({
	...base,
	options: [
		{ name: 'Send', value: 'send' },
		{ name: 'Do Not Send', value: 'refuse' },
	],
	fallback: 'send',
});
const object = objectParameter(base);
const list = listParameter(base);

interface ParameterCases {
	parameter: Parameter<unknown>;
	/** Raw values and what they stand for. */
	clean: [raw: unknown, value: unknown][];
	/** Raw values and what the message says of them after the label. */
	unclean: [raw: unknown, problem: string][];
}

const NUMBER = 'must be a whole number, but is';
const RANGE = 'must be 1 to 60, but is';
const OBJECT = 'must be a JSON object, but is';

/** Every kind of parameter, by the function that makes it. */
const KINDS: Record<string, ParameterCases> = {
	switchParameter: {
		parameter: onOff,
		clean: [
			[true, true],
			[false, false],
			['true', true],
			[' FALSE ', false],
		],
		unclean: [
			['yes', 'must be true or false, but is the text "yes"'],
			['', 'must be true or false, but is empty'],
			[1, 'must be true or false, but is 1'],
			[null, 'must be true or false, but is null'],
			[[true], 'must be true or false, but is [true]'],
		],
	},
	numberParameter: {
		parameter: integer,
		clean: [
			[1, 1],
			[60, 60],
			['5', 5],
			[' 5 ', 5],
			['5.0', 5],
		],
		unclean: [
			[0, `${RANGE} 0`],
			[61, `${RANGE} 61`],
			['61', `${RANGE} 61`],
			[5.5, `${NUMBER} 5.5`],
			['5,5', `${NUMBER} the text "5,5"`],
			['5 s', `${NUMBER} the text "5 s"`],
			['0x5', `${NUMBER} the text "0x5"`],
			['1e1', `${NUMBER} the text "1e1"`],
			['', `${NUMBER} empty`],
			[null, `${NUMBER} null`],
			[true, `${NUMBER} true`],
			[[5], `${NUMBER} [5]`],
			[NaN, `${NUMBER} NaN`],
			[Infinity, `${NUMBER} Infinity`],
		],
	},
	textParameter: {
		parameter: words,
		clean: [
			['a kite', 'a kite'],
			[' a kite\n', 'a kite'],
			[5, '5'],
			[false, 'false'],
			[null, ''],
		],
		unclean: [
			[{ a: 1 }, 'must be a text, but is {"a":1}'],
			[['a'], 'must be a text, but is ["a"]'],
		],
	},
	choiceParameter: {
		parameter: choice,
		clean: [
			['send', 'send'],
			['refuse', 'refuse'],
		],
		unclean: [
			['Refuse', 'must be send or refuse (Do Not Send), but is "Refuse"'],
			['', 'must be send or refuse (Do Not Send), but is ""'],
			[['send'], 'must be send or refuse (Do Not Send), but is ["send"]'],
		],
	},
	listParameter: {
		parameter: list,
		clean: [
			['imgn-4.0, qwn-image-2.0', ['imgn-4.0', 'qwn-image-2.0']],
			[
				['imgn-4.0', ' qwn-image-2.0 '],
				['imgn-4.0', 'qwn-image-2.0'],
			],
			['', []],
			[' , ', []],
			[null, []],
			[['', null], []],
			[5, ['5']],
		],
		unclean: [
			[{ a: 1 }, 'must be texts with commas between them, but is {"a":1}'],
			[[{ a: 1 }], 'must be texts with commas between them, but is [{"a":1}]'],
			['a; b', 'must have commas between its entries, and no spaces in them, but has "a; b"'],
			['a, b c', 'must have commas between its entries, and no spaces in them, but has "b c"'],
		],
	},
	objectParameter: {
		parameter: object,
		clean: [
			[{ a: 1 }, { a: 1 }],
			['{"a":1}', { a: 1 }],
			['', undefined],
			[null, undefined],
		],
		unclean: [
			['{"a":', `${OBJECT} "{"a":"`],
			['[1]', `${OBJECT} "[1]"`],
			[[1], `${OBJECT} [1]`],
			['null', `${OBJECT} "null"`],
			[7, `${OBJECT} 7`],
		],
	},
};

/** A reader of an item with these parameters, as n8n resolves them: a missing one gives the fallback. */
function readerOf(parameters: Record<string, unknown>): ItemReader {
	const getNodeParameter = (name: string, _index: number, fallback: unknown) =>
		Object.hasOwn(parameters, name) ? parameters[name] : fallback;
	const getNode = () => ({ type: 'generationGateway', parameters });
	return new ItemReader({ getNodeParameter, getNode } as unknown as IExecuteFunctions, 3);
}

it('has cases for every kind of parameter there is', () => {
	const made: string[] = [];
	visitNodes(parseSource('nodes/n8n/parameters.ts'), (node) => {
		if (ts.isFunctionDeclaration(node) && node.name?.text.endsWith('Parameter'))
			made.push(node.name.text);
	});
	expect(Object.keys(KINDS).sort()).toEqual(made.sort());
});

describe.each(Object.entries(KINDS))('%s', (_kind, { parameter, clean, unclean }) => {
	it.each(clean)('reads %j as %j, at the top and as an option', (raw, value) => {
		const reader = readerOf({ field: raw, options: { field: raw } });

		expect(reader.parameter(parameter)).toEqual(value);
		expect(reader.option(parameter)).toEqual(value);
		expect(() => reader.assertValid()).not.toThrow();
	});

	it.each(unclean)('refuses %j, and names the field as the panel does', (raw, problem) => {
		for (const read of ['parameter', 'option'] as const) {
			const reader = readerOf({ field: raw, options: { field: raw } });
			expect(reader[read](parameter)).toEqual(parameter.fallback);
			expect(reader.issues).toEqual([{ field: 'field', message: `Some Field ${problem}` }]);
		}
	});

	it('counts its fallback where it is not set', () => {
		const reader = readerOf({});

		expect(reader.parameter(parameter)).toEqual(parameter.fallback);
		expect(reader.option(parameter)).toEqual(parameter.fallback);
		expect(reader.issues).toEqual([]);
	});

	it('keeps its name and label in the panel', () =>
		expect(parameter.property).toMatchObject({ name: 'field', displayName: 'Some Field' }));
});

describe('a number', () => {
	it('without an upper limit may be as large as it likes', () => {
		const reader = readerOf({ field: 1e9 });
		expect(reader.parameter(decimal)).toBe(1e9);
	});

	it.each([
		['0.5', 0.5],
		['-0', -0],
	])('need not be whole: %s', (raw, value) =>
		expect(readerOf({ field: raw }).parameter(decimal)).toBe(value),
	);

	it('that cannot be read never turns into no limit without an issue', () => {
		const reader = readerOf({ field: '-1' });
		expect(reader.parameter(decimal)).toBeUndefined();
		expect(reader.issues[0]?.message).toBe('Some Field must be at least 0, but is -1');
	});

	it('shows its limits in the panel', () => {
		expect(integer.property).toMatchObject({
			typeOptions: { minValue: 1, maxValue: 60, numberPrecision: 0 },
			default: 5,
		});
	});
});

describe('a switch', () => {
	it('is turned the other way by adding it', () => {
		const on = switchParameter({ ...base, isOn: true });

		expect([onOff.fallback, onOff.property.default]).toEqual([false, true]);
		expect(on.fallback).toBe(true);
		expect(readerOf({ options: { field: 'false' } }).option(on)).toBe(false);
	});
});

describe('an item', () => {
	it('reports all issues at once, in order, and that nothing was sent', () => {
		const other = {
			...onOff,
			name: 'other',
			property: { ...onOff.property, displayName: 'Other' },
		};
		const reader = readerOf({ field: 'many', options: { other: 'maybe' } });
		reader.parameter(integer);
		reader.option(other);
		reader.addIssue('prompt', 'Prompt is empty');
		let error: GatewayError | undefined;
		try {
			reader.assertValid();
		} catch (caught) {
			error = caught as GatewayError;
		}

		expect(error).toMatchObject({
			code: 'invalid_input',
			message: [
				`Some Field ${NUMBER} the text "many"`,
				'Other must be true or false, but is the text "maybe"',
				'Prompt is empty',
			].join('\n'),
			hint: 'Nothing was sent and nothing was billed.',
			details: { retry: false, billed: 0 },
		});
		expect(error?.details.issues).toEqual(reader.issues);
		expect(error?.details.issues?.map(({ field }) => field)).toEqual(['field', 'other', 'prompt']);
	});

	it('resolves its options once, for its own index', () => {
		const getNodeParameter = jest.fn(() => ({ field: '7' }));
		const reader = new ItemReader({ getNodeParameter } as unknown as IExecuteFunctions, 3);
		reader.option(integer);
		reader.option(words);

		expect(getNodeParameter.mock.calls).toEqual([['options', 3, {}]]);
	});

	it('may have no options at all', () => {
		expect(readerOf({ options: null }).option(integer)).toBe(20);
		expect(readerOf({ options: undefined }).option(integer)).toBe(20);
	});
});
