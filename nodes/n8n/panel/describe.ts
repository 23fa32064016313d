import type { Field } from '../../catalog/families';
import { escapeHtml } from '../../catalog/labels';
import { describeLimits } from '../../catalog/limits';

/** The description of one model's field, with the limits that no menu shows. */
export function describeField(field: Field, hasMenu: boolean): string {
	const { min, max, ...others } = { ...field, enum: undefined };
	const limits = describeLimits(hasMenu ? others : { ...others, min, max });
	const notes = [field.media && 'or a binary field', limits].filter(Boolean).join('; ');
	return escapeHtml(notes ? `${field.description} (${notes})` : field.description);
}
