import { isObject } from './json';
import { amount, type CostEstimate, QUOTA_PER_USD } from './pricing';

/** What a request to a text or speech model uses. Undefined: not known. */
export interface Usage {
	/** Tokens. */
	input?: number;
	output?: number;
	/** Of speech. */
	seconds?: number;
}

type Part = keyof Usage;

/** USD for one token or one second. */
export type UsagePrice = Partial<Record<Part, number>>;

const PARTS: readonly [RegExp, Part][] = [
	[/input|prompt/, 'input'],
	[/output|completion/, 'output'],
	[/second|minute|hour/, 'seconds'],
];
const TOKENS: readonly [RegExp, number][] = [
	[/million|(^|_)(per_?)?1?m(_|tok|$)/, 1_000_000],
	[/thousand|(^|_)(per_?)?1?k(_|tok|$)/, 1_000],
	[/per_?token(?!s)|(^|_)token(_|$)/, 1],
];
const SECONDS: readonly [RegExp, number][] = [
	[/second/, 1],
	[/minute/, 60],
	[/hour/, 3_600],
];
const CURRENCIES: readonly [RegExp, number][] = [
	[/(^|_)(usd|dollars?)(_|$)/, 1],
	[/quota/, 1 / QUOTA_PER_USD],
];
/** Prices of something else than a usual request. */
const SPECIAL =
	/cent|cache|batch|char|image|audio_(in|out)|put_audio|reason|min(imum)?_|max(imum)?_|discount|off_?peak/;
/** Fields that say what the numbers beside them mean. */
const CONTEXT = /^(currency|unit|per)$/i;

const find = <T>(table: readonly [RegExp, T][], words: string): T | undefined =>
	table.find(([pattern]) => pattern.test(words))?.[1];

/** Numbers with all names that lead to them, and the texts that explain them. */
function* listNumbers(value: unknown, names: readonly string[]): Generator<[string, number]> {
	if (typeof value === 'number') yield [names.join('_').toLowerCase().replace(/\W+/g, '_'), value];
	if (Array.isArray(value)) for (const part of value) yield* listNumbers(part, names);
	if (!isObject(value)) return;
	const context = Object.entries(value)
		.filter(([name, text]) => CONTEXT.test(name) && typeof text === 'string')
		.map(([, text]) => String(text));
	for (const [name, part] of Object.entries(value))
		yield* listNumbers(part, [...names, ...context, name]);
}

/**
 * The prices of a model by usage, from its `price_config`, whose shape is not shown (spec section 4). A number
 * counts where its names say what it is for, the unit and the currency, e.g. `input_usd_per_million_tokens`.
 * Where two numbers stand for the same, or one of input and output is missing, nothing is known.
 */
export function readUsagePrice(priceConfig: unknown): UsagePrice | undefined {
	const price: UsagePrice = {};
	for (const [names, number] of listNumbers(priceConfig, [])) {
		const part = find(PARTS, names);
		const unit = find(part === 'seconds' ? SECONDS : TOKENS, names);
		const currency = find(CURRENCIES, names);
		if (!part || !unit || !currency || SPECIAL.test(names) || number < 0) continue;
		const usd = (number * currency) / unit;
		if (price[part] !== undefined && price[part] !== usd) return undefined;
		price[part] = usd;
	}
	const isHalf = (price.input === undefined) !== (price.output === undefined);
	return isHalf || !Object.keys(price).length ? undefined : price;
}

/** What this usage costs. `unknown` says why that is not known. */
export function priceUsage(price: UsagePrice | undefined, usage: Usage): CostEstimate {
	if (!price) return { unknown: 'the list of models states no price by usage' };
	const parts = Object.entries(price) as [Part, number][];
	const missing = parts.find(([part]) => usage[part] === undefined)?.[0];
	if (missing) return { unknown: NOT_KNOWN[missing] };
	return amount(parts.reduce((usd, [part, rate]) => usd + rate * usage[part]!, 0));
}

const NOT_KNOWN: Record<Part, string> = {
	input:
		'files, links, Extra Body and tools other than functions may add tokens that nobody can count',
	output:
		'the answer may have any length: set Maximum Tokens (Generate Content: Maximum Output Tokens)',
	seconds: 'how long the recording is, only the answer tells',
};
