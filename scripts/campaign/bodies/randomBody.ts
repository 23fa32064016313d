import type { ModelSpec } from '../../../nodes/catalog/modelSpec';
import type { Chance } from '../random';

type Roll = () => number;

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

const oneOf = <T>(list: readonly T[], roll: Roll): T => list[Math.floor(roll() * list.length)]!;

/** Any value that JSON or an expression can bring, seldom more than three levels deep. */
function wildValue(roll: Roll, depth = 0): unknown {
	const kind = Math.floor(roll() * (depth > 2 ? 6 : 9));
	if (kind < 2) return oneOf(WORDS, roll);
	if (kind < 4) return oneOf(NUMBERS, roll);
	if (kind === 4) return oneOf([true, false, null, undefined], roll);
	if (kind === 5) return roll() < 0.1 ? new Date(roll() * 1e12) : oneOf(WORDS, roll);
	const size = Math.floor(roll() * 4);
	if (kind < 8)
		return Array.from({ length: roll() < 0.03 ? 200 : size }, () => wildValue(roll, depth + 1));
	return wildObject(
		Array.from({ length: size }, () => oneOf(NAMES, roll)),
		() => wildValue(roll, depth + 1),
	);
}

/** An object that really owns its names, `__proto__` included, as JSON.parse would make it. */
function wildObject(
	names: readonly string[],
	value: (name: string) => unknown,
): Record<string, unknown> {
	const made: Record<string, unknown> = {};
	for (const name of names)
		Object.defineProperty(made, name, {
			value: value(name),
			enumerable: true,
			configurable: true,
			writable: true,
		});
	return made;
}

/** A list in a list in a list: far deeper than anything that means something. */
const deep = (levels: number): unknown =>
	JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;

/** A value that the field was made for, so that some bodies pass. */
function plausible(spec: ModelSpec, name: string, roll: Roll): unknown {
	const {
		values,
		type,
		min = 1,
		max = 8,
	} = (spec.fields[name] ?? {}) as {
		values?: readonly unknown[];
		type?: string;
		min?: number;
		max?: number;
	};
	if (values?.length) return oneOf(values, roll);
	if (type === 'integer' || type === 'number')
		return Math.round(min + roll() * (Math.min(max, 30) - min));
	if (type === 'boolean') return roll() < 0.5;
	return /urls|references/.test(name) ? [LINK] : /image|url/.test(name) ? LINK : 'a kite';
}

/** A body for a model: mostly its own fields, some with what they are for, some with anything at all. */
export function wildBody(spec: ModelSpec, chance: Chance, number: number): Record<string, unknown> {
	const roll = chance.roll('body', spec.id, number);
	const own = Object.keys(spec.fields);
	const names = new Set(roll() < 0.9 ? ['prompt'] : []);
	for (let more = Math.floor(roll() * 4); more > 0; more -= 1)
		names.add(roll() < 0.85 ? oneOf(own, roll) : oneOf(NAMES, roll));
	const tame = roll() * 0.9;
	return wildObject([...names], (name) => {
		if (roll() < 0.002) return deep(500);
		return roll() < tame ? plausible(spec, name, roll) : wildValue(roll);
	});
}

/** What an option is filled with: mostly what it is for, sometimes anything, as by mistake. */
export function wildOption(usual: unknown, chance: Chance, ...about: (string | number)[]): unknown {
	const roll = chance.roll('option', ...about);
	return roll() < 0.03 ? wildValue(roll) : usual;
}
