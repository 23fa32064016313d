import type { Limits } from './families';
import { joinWords, quote } from './labels';

/** `at most 2500 characters, 1 to 7 entries`: the limits as words, for the panel and the docs. */
export function describeLimits({
	enum: allowed,
	min,
	max,
	maxLength,
	minItems,
	maxItems,
}: Limits): string {
	const words: string[] = [];
	if (allowed) words.push(joinWords(allowed));
	if (min !== undefined && max !== undefined) words.push(`${min} to ${max}`);
	else if (min !== undefined) words.push(`at least ${min}`);
	else if (max !== undefined) words.push(`at most ${max}`);
	if (maxLength !== undefined) words.push(`at most ${maxLength} characters`);
	if (minItems !== undefined && maxItems !== undefined && minItems !== maxItems)
		words.push(`${minItems} to ${maxItems} entries`);
	else if (maxItems !== undefined)
		words.push(maxItems === 1 ? 'one entry' : `at most ${maxItems} entries`);
	else if (minItems !== undefined) words.push(`at least ${minItems} entries`);
	return words.join(', ');
}

/** What is said of a value that breaks a limit. */
export interface LimitViolation {
	/** `7 is given` */
	given: string;
	/** `7 is given, and 5 or 10 is accepted` */
	refusal: string;
}

/**
 * What of `limits` the value breaks, or undefined. Says nothing about a value of another type than
 * the limits are about.
 */
export function findLimitViolation(value: unknown, limits: Limits): LimitViolation | undefined {
	const { enum: allowed, min, max, maxLength, minItems, maxItems } = limits;
	if (Array.isArray(value)) {
		const { length } = value;
		if (length <= (maxItems ?? length) && length >= (minItems ?? length)) return undefined;
		const accepted =
			maxItems === 1 ? 'only one is' : `${describeLimits({ minItems, maxItems })} are`;
		return breach(
			`${length} ${length === 1 ? 'entry is' : 'entries are'} given`,
			`${accepted} accepted`,
		);
	}
	if (allowed && !allowed.includes(value as never))
		return breach(
			`${quote(value)} is given`,
			`${allowed.length > 1 ? '' : 'only '}${joinWords(allowed)} is accepted`,
		);
	if (typeof value === 'number' && (value < (min ?? value) || value > (max ?? value)))
		return breach(`${value} is given`, `${describeLimits({ min, max })} is accepted`);
	if (typeof value === 'string' && maxLength !== undefined && lengthOf(value) > maxLength)
		return breach(`${lengthOf(value)} characters are given`, `at most ${maxLength} are accepted`);
	return undefined;
}

const breach = (given: string, accepted: string): LimitViolation => ({
	given,
	refusal: `${given}, and ${accepted}`,
});

/** Characters as people count them: an emoji is one, not the two units JavaScript stores. */
const lengthOf = (text: string) => [...text].length;
