import type { Field } from '../../../nodes/catalog/schema';
import type { ModelSpec } from '../../../nodes/catalog/modelSpec';
import type { SeededRandom } from '../random';

type NextRandom = () => number;

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

const pickOne = <T>(list: readonly T[], next: NextRandom): T =>
	list[Math.floor(next() * list.length)]!;

/** Any value that JSON or an expression can bring, seldom more than three levels deep. */
function createValue(next: NextRandom, depth = 0): unknown {
	const kind = Math.floor(next() * (depth > 2 ? 6 : 9));
	if (kind < 2) return pickOne(WORDS, next);
	if (kind < 4) return pickOne(NUMBERS, next);
	if (kind === 4) return pickOne([true, false, null, undefined], next);
	if (kind === 5) return next() < 0.1 ? new Date(next() * 1e12) : pickOne(WORDS, next);
	const size = Math.floor(next() * 4);
	if (kind < 8)
		return Array.from({ length: next() < 0.03 ? 200 : size }, () => createValue(next, depth + 1));
	return createObject(
		Array.from({ length: size }, () => pickOne(NAMES, next)),
		() => createValue(next, depth + 1),
	);
}

/** An object that really owns its names, `__proto__` included, as JSON.parse would make it. */
function createObject(
	names: readonly string[],
	value: (name: string) => unknown,
): Record<string, unknown> {
	const object: Record<string, unknown> = {};
	for (const name of names)
		Object.defineProperty(object, name, {
			value: value(name),
			enumerable: true,
			configurable: true,
			writable: true,
		});
	return object;
}

/** A list in a list in a list: far deeper than anything that means something. */
const createNestedList = (levels: number): unknown =>
	JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;

/** A value that the field was made for, so that some bodies pass. */
function createPlausibleValue(spec: ModelSpec, name: string, next: NextRandom): unknown {
	const field: Partial<Field> = spec.fields[name] ?? {};
	const { type, min = 1, max = 8 } = field;
	if (field.enum?.length) return pickOne(field.enum, next);
	if (type === 'integer' || type === 'number')
		return Math.round(min + next() * (Math.min(max, 30) - min));
	if (type === 'boolean') return next() < 0.5;
	return /urls|references/.test(name) ? [LINK] : /image|url/.test(name) ? LINK : 'a kite';
}

/** A body for a model: mostly its own fields, some with what they are for, some with anything at all. */
export function createRandomBody(
	spec: ModelSpec,
	random: SeededRandom,
	number: number,
): Record<string, unknown> {
	const next = random.sequence('body', spec.id, number);
	const fieldNames = Object.keys(spec.fields);
	const names = new Set(next() < 0.9 ? ['prompt'] : []);
	for (let more = Math.floor(next() * 4); more > 0; more -= 1)
		names.add(next() < 0.85 ? pickOne(fieldNames, next) : pickOne(NAMES, next));
	const plausibleShare = next() * 0.9;
	return createObject([...names], (name) => {
		if (next() < 0.002) return createNestedList(500);
		return next() < plausibleShare ? createPlausibleValue(spec, name, next) : createValue(next);
	});
}

/** What an option is filled with: mostly what it is for, sometimes anything, as by mistake. */
export function createRandomOption(
	usual: unknown,
	random: SeededRandom,
	...about: (string | number)[]
): unknown {
	const next = random.sequence('option', ...about);
	return next() < 0.03 ? createValue(next) : usual;
}
