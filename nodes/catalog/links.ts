import type { Field } from './families';
import { quote } from './labels';
import type { RequestBody } from './rules';

const ASSET = /^asset:\/\/[\w.-]+$/;

/**
 * Why the value cannot stand as this field's link, or undefined (spec sections 2.2, 2.4 and 7:
 * public HTTP(S) links; `asset://` only where assets are accepted; no base64 and no data URIs).
 */
export function findLinkProblem(value: string, field: Field): string | undefined {
	if (field.anyLink) return undefined;
	if (value.startsWith('asset:')) {
		if (!field.assets)
			return `${quote(value)} is an asset reference, which this model does not accept here; give a public http(s) link`;
		return ASSET.test(value)
			? undefined
			: `${quote(value)} is not of the form asset://<asset_id>, e.g. asset://ast_01`;
	}
	if (URL.canParse(value) && /^https?:\/\/./i.test(value)) return undefined;
	if (!field.media)
		return `${quote(value)} is not a link; give a public one that starts with http:// or https://`;
	const isBase64 = value.length > 100 && /^[A-Za-z0-9+/=\s]+$/.test(value);
	if (isBase64 || /^data:/i.test(value))
		return `${isBase64 ? 'base64' : 'a data URI'} is given, and only public http(s) links are accepted; put the file into a binary field of the item and name that field here`;
	return `${quote(value)} is neither a link nor a binary field of the item; give a public link that starts with http:// or https://`;
}

/** Gives what stands for a text where a field takes the link of a file. */
export type ReplaceLink = (text: string, name: string, field: Field) => string;

/** The body with each link of a file replaced, also within lists and their entries; all else stays as it is. */
export function replaceLinks(
	fields: Readonly<Record<string, Field>>,
	body: RequestBody,
	replace: ReplaceLink,
): RequestBody {
	const replaced = (value: unknown, name: string, field: Field): unknown => {
		if (Array.isArray(value)) return value.map((one) => replaced(one, name, field));
		if (field.items && typeof value === 'object' && value !== null)
			return replaceLinks(field.items, value as RequestBody, replace);
		return field.media && typeof value === 'string' ? replace(value, name, field) : value;
	};
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [
			name,
			fields[name] ? replaced(value, name, fields[name]) : value,
		]),
	);
}
