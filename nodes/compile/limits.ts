import type { Limits } from '../families';
import { oneOf, shown } from './label';

/** `at most 2500 characters, 1 to 7 entries`: the limits as words, for the panel and the docs. */
export function limitsInWords({ values, min, max, maxLength, minItems, maxItems }: Limits): string {
  const words: string[] = [];
  if (values) words.push(oneOf(values));
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

/**
 * What of `limits` the value breaks, as the middle of a sentence: `7 is given, and 5 or 10 is
 * accepted`. Undefined when it breaks nothing or is of a type the limits say nothing about.
 */
export function broken(value: unknown, limits: Limits): string | undefined {
  const { values, min, max, maxLength, minItems, maxItems } = limits;
  if (Array.isArray(value)) {
    const count = value.length;
    const over = maxItems !== undefined && count > maxItems;
    const under = minItems !== undefined && count < minItems;
    if (!over && !under) return undefined;
    return `${count} ${count === 1 ? 'entry is' : 'entries are'} given, and ${limitsInWords({ minItems, maxItems })} ${maxItems === 1 ? 'is' : 'are'} accepted`;
  }
  if (values && !values.includes(value as never))
    return `${shown(value)} is given, and ${oneOf(values)} is accepted`;
  if (typeof value === 'number' && ((min !== undefined && value < min) || (max !== undefined && value > max)))
    return `${value} is given, and ${limitsInWords({ min, max })} is accepted`;
  if (typeof value === 'string' && maxLength !== undefined && lengthOf(value) > maxLength)
    return `${lengthOf(value)} characters are given, and at most ${maxLength} are accepted`;
  return undefined;
}

/** Characters as people count them: an emoji is one, not the two units JavaScript stores. */
const lengthOf = (text: string) => (text.length < 400 ? text.length : [...text].length);
