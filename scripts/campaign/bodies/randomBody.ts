import fc from 'fast-check';
import type { Field } from '../../../nodes/catalog/schema';
import type { ModelSpec } from '../../../nodes/catalog/modelSpec';

const LINK = 'https://example.com/a.png';
const WORDS = [
	'',
	' ',
	'a kite',
	'5',
	'true',
	'null',
	'{{ $json.x }}',
	'={{ 1 }}',
	'😀'.repeat(40),
	'ÄÖÜ\u0000\u0007',
	'\ud800',
	'한국어\u202e',
	'%00%ff',
	'../..',
	'<b>&amp;</b>',
	'x'.repeat(6_000),
	'__proto__',
	'constructor',
	LINK,
	'asset://ast_1',
	'asset://',
	'data:image/png;base64,AAAA',
	'http://',
	'generate',
	'16:9',
	'1080p',
	'4K',
	'preexisting',
	'ECONNREFUSED',
];
const NUMBERS = [
	0,
	-0,
	1,
	-1,
	3,
	5,
	10,
	1.5,
	1e21,
	-1e308,
	2 ** 31,
	2 ** 53,
	NaN,
	Infinity,
	5e-324,
];
/** Names that objects have by themselves, and names of other fields. */
const NAMES = [
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'hasOwnProperty',
	'then',
	'toJSON',
	'length',
	'',
	' ',
	'prompt',
	'model',
	'error',
	'json',
	'a.b',
	'0',
	'😀',
	'n',
	'seed',
	'callback_url',
	'extra',
];

export type Body = Record<string, unknown>;

/** An object that owns each of its names, `__proto__` included, as JSON.parse would make it. */
function createObject(entries: readonly (readonly [name: string, value: unknown])[]): Body {
	const object: Body = {};
	for (const [name, value] of entries)
		Object.defineProperty(object, name, {
			value,
			enumerable: true,
			configurable: true,
			writable: true,
		});
	return object;
}

/** A list in a list in a list: far deeper than any meaningful value. */
const createNestedList = (levels: number): unknown =>
	JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;

/** Any value that JSON or an expression can bring, seldom more than three levels deep. */
const { anyValue } = fc.letrec<{ anyValue: unknown }>((tie) => ({
	anyValue: fc.oneof(
		{ maxDepth: 3 },
		{ arbitrary: fc.constantFrom(...WORDS), weight: 30 },
		{ arbitrary: fc.constantFrom(...NUMBERS), weight: 20 },
		{ arbitrary: fc.constantFrom(true, false, null, undefined), weight: 10 },
		{ arbitrary: fc.string({ unit: 'binary' }), weight: 8 },
		{ arbitrary: fc.date({ noInvalidDate: true }), weight: 2 },
		{ arbitrary: fc.array(tie('anyValue'), { maxLength: 3 }), weight: 18 },
		{ arbitrary: fc.array(tie('anyValue'), { minLength: 200, maxLength: 200 }), weight: 1 },
		{
			arbitrary: fc
				.array(fc.tuple(fc.constantFrom(...NAMES), tie('anyValue')), { maxLength: 3 })
				.map(createObject),
			weight: 10,
		},
	),
}));

/** A value that the field was made for, so that some bodies pass. */
function createPlausibleValue(spec: ModelSpec, name: string): fc.Arbitrary<unknown> {
	const field: Partial<Field> = spec.fields[name] ?? {};
	const { type, min = 1, max = 8 } = field;
	if (field.enum?.length) return fc.constantFrom(...field.enum);
	if (type === 'integer' || type === 'number')
		return fc.integer({ min: Math.ceil(min), max: Math.max(Math.ceil(min), Math.min(max, 30)) });
	if (type === 'boolean') return fc.boolean();
	return fc.constant(
		/urls|references/.test(name) ? [LINK] : /image|url/.test(name) ? LINK : 'a kite',
	);
}

/** One field of a body: `plausible` of 10 values are what the field is for, the others anything. */
function createEntry(spec: ModelSpec, plausible: number): fc.Arbitrary<[string, unknown]> {
	const createValue = (name: string) =>
		fc.oneof(
			{ arbitrary: createPlausibleValue(spec, name), weight: plausible * 50 },
			{ arbitrary: anyValue, weight: (10 - plausible) * 50 },
			{ arbitrary: fc.constant(createNestedList(500)), weight: 1 },
		);
	const known = Object.keys(spec.fields).map((name) =>
		fc.tuple(fc.constant(name), createValue(name)),
	);
	return fc.oneof(
		{ arbitrary: fc.oneof(...known), weight: 85 },
		{ arbitrary: fc.tuple(fc.constantFrom(...NAMES), anyValue), weight: 15 },
	);
}

/** Bodies for a model: mostly its own fields, some with what they are for, some with anything at all. */
export function createRandomBody(spec: ModelSpec): fc.Arbitrary<Body> {
	const [prompt, ...bodies] = [createPlausibleValue(spec, 'prompt'), 9, 6, 2].map((part) =>
		typeof part === 'number' ? fc.array(createEntry(spec, part), { maxLength: 3 }) : part,
	) as [fc.Arbitrary<unknown>, ...fc.Arbitrary<[string, unknown][]>[]];
	return fc
		.tuple(fc.option(prompt, { freq: 10 }), fc.oneof(...bodies))
		.map(([text, entries]) =>
			createObject(text === null ? entries : [['prompt', text], ...entries]),
		);
}

/** Values of an option: mostly what it is for, sometimes anything, as by mistake. */
export const createRandomOption = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
	fc.oneof({ arbitrary: usual, weight: 97 }, { arbitrary: anyValue, weight: 3 });
