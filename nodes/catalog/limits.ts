import { describeFile } from './fileLimits';
import type { Field, Limits } from './schema';
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

/** The limits in words: `3 to 15`, `at most 2,500 characters`, `at most 7 entries; JPG or PNG, at most 30 MB each`. */
export function describeLimits(limits: Limits & Partial<Pick<Field, 'file' | 'type'>>): string {
	const { enum: accepted, min, max, maxLength, minItems, maxItems, file, type } = limits;
	const each = type === 'links' && maxItems !== 1 && file?.mostMb ? ' each' : '';
	return [
		accepted ? joinWords(accepted) : '',
		describeRange(min, max),
		maxLength === undefined ? '' : `at most ${formatCount(maxLength)} characters`,
		describeItems(minItems, maxItems),
		file ? describeFile(file) + each : '',
	]
		.filter(Boolean)
		.join('; ');
}

/** `no entries`, `1 entry`, `2,500 entries` */
const describeCount = (count: number, one: string, many: string): string =>
	`${count === 0 ? 'no' : formatCount(count)} ${count === 1 ? one : many}`;

/**
 * The limit that the value breaks, to follow the label: `must be 5 or 10, but is 7`. `isAccepted`: the gateway
 * takes the value all the same, so it `should be 5 or 10`. Does not look at its type.
 */
export function findLimitProblem(
	value: unknown,
	limits: Limits,
	isAccepted = false,
): string | undefined {
	const { enum: accepted, min, max, maxLength, minItems, maxItems } = limits;
	const [must, allowed] = isAccepted ? ['should', 'recommended'] : ['must', 'allowed'];
	const describeWanted = (wanted: string) => `${must} be ${wanted}, but is ${describeValue(value)}`;
	if (Array.isArray(value)) {
		const { length } = value;
		if (length <= (maxItems ?? length) && length >= (minItems ?? length)) return undefined;
		const range = maxItems === 1 ? 'only 1 is' : `${describeRange(minItems, maxItems)} are`;
		return `has ${describeCount(length, 'entry', 'entries')}; ${range} ${allowed}`;
	}
	if (accepted && !accepted.includes(value as never)) return describeWanted(joinWords(accepted));
	if (typeof value === 'number' && (value < (min ?? value) || value > (max ?? value)))
		return describeWanted(describeRange(min, max));
	if (typeof value !== 'string' || maxLength === undefined) return undefined;
	// As people count: an emoji is one.
	const count = [...value].length;
	if (count <= maxLength) return undefined;
	const has = describeCount(count, 'character', 'characters');
	return `has ${has}; at most ${formatCount(maxLength)} are ${allowed}`;
}
