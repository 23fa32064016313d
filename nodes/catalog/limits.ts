import type { Limits } from './schema';
import { describeValue, formatCount, joinWords } from './labels';

/** `3 to 15`, `at least 1`, `at most 7`. Empty without bounds. */
function describeRange(min?: number, max?: number): string {
	if (min === undefined) return max === undefined ? '' : `at most ${max}`;
	return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}

/** The length of a list: `1 to 7 entries`, `one entry`. */
function describeItems(minItems?: number, maxItems?: number): string {
	if (maxItems === 1) return 'one entry';
	const range = describeRange(minItems, maxItems);
	return range && `${range} entries`;
}

/** The limits in words: `3 to 15`, `at most 2,500 characters, at most 7 entries`. */
export function describeLimits(limits: Limits): string {
	const { enum: accepted, min, max, maxLength, minItems, maxItems } = limits;
	return [
		accepted ? joinWords(accepted) : '',
		describeRange(min, max),
		maxLength === undefined ? '' : `at most ${formatCount(maxLength)} characters`,
		describeItems(minItems, maxItems),
	]
		.filter(Boolean)
		.join(', ');
}

/** A limit that a value breaks, to follow the label. */
export interface LimitViolation {
	/** `must be 5 or 10, but is 7` */
	refusal: string;
	/** `should be 5 or 10, but is 7`: the gateway accepts it. */
	warning: string;
}

const valueViolation = (accepted: string, value: unknown): LimitViolation => {
	const sentence = `be ${accepted}, but is ${describeValue(value)}`;
	return { refusal: `must ${sentence}`, warning: `should ${sentence}` };
};

function countViolation(
	count: number,
	[one, many]: readonly [string, string],
	accepted: string,
): LimitViolation {
	const has = `has ${count === 0 ? 'no' : formatCount(count)} ${count === 1 ? one : many}`;
	const verb = accepted === 'only 1' ? 'is' : 'are';
	return {
		refusal: `${has}; ${accepted} ${verb} allowed`,
		warning: `${has}; ${accepted} ${verb} recommended`,
	};
}

/** The limit that the value breaks. Does not look at its type. */
export function findLimitViolation(value: unknown, limits: Limits): LimitViolation | undefined {
	const { enum: accepted, min, max, maxLength, minItems, maxItems } = limits;
	if (Array.isArray(value)) {
		const { length } = value;
		if (length <= (maxItems ?? length) && length >= (minItems ?? length)) return undefined;
		const range = maxItems === 1 ? 'only 1' : describeRange(minItems, maxItems);
		return countViolation(length, ['entry', 'entries'], range);
	}
	if (accepted && !accepted.includes(value as never))
		return valueViolation(joinWords(accepted), value);
	if (typeof value === 'number' && (value < (min ?? value) || value > (max ?? value)))
		return valueViolation(describeRange(min, max), value);
	if (typeof value === 'string' && maxLength !== undefined && countCharacters(value) > maxLength)
		return countViolation(
			countCharacters(value),
			['character', 'characters'],
			`at most ${formatCount(maxLength)}`,
		);
	return undefined;
}

/** As people count: an emoji is one. */
const countCharacters = (text: string) => [...text].length;
