import { getOwn, isObject } from './json';
import type { Field, Fields } from './schema';
import { findTypeProblem } from './jsonTypes';
import { getLabel, quote } from './labels';
import type { RequestBody } from './rules';

/** Not beyond what no ID has: only its beginning is stated (spec section 2.4). */
const ASSET = /^asset:\/\/[^\s/?#{}<>",[\]]+$/;

export const isAssetReference = (text: string): boolean => ASSET.test(text);

/** Follows the label of a value that is undefined. Without the value, another request would be paid. */
export const describeMissing = (example: string): string =>
	`has an expression that finds nothing in this item. Check the names in it. Where an item may do without it, write e.g. {{ ${example} ?? '' }}`;

/** Of a link. */
export const FINDS_NOTHING = describeMissing('$json.urls?.[0]');

/** Whether an expression for a link has found nothing, e.g. a field that the item lacks, or an asset under review. */
export const findsNothing = (value: unknown): boolean =>
	[value].flat(2).some((link) => link === undefined || link === null);

export const isHttpLink = (text: string) => URL.canParse(text) && /^https?:\/\/./i.test(text);
const isBase64 = (text: string) => text.length > 100 && /^[A-Za-z0-9+/=\s]+$/.test(text);

/**
 * Why the text is no valid link, to follow the label. Links are public HTTP(S), or `asset://` where the field
 * takes assets; no base64 and no data URIs (spec sections 2.2, 2.4 and 7).
 */
export function findLinkProblem(text: string, field: Field): string | undefined {
	if (field.anyLink) return undefined;
	const isList = field.type === 'links';
	// A comma may be part of a link, in its query or in brackets.
	if (/(\S\s+|^[^?#(]+,\s*)(https?|asset):\/\//i.test(text))
		return `has several links in one text, ${quote(text)}. Give ${isList ? 'a list of them' : 'one'}`;
	if (/^(asset:|ast_)/.test(text)) return findAssetProblem(text, field);
	if (isHttpLink(text)) return undefined;
	const [be, has] = isList ? ['be public links', 'one is'] : ['be a public link', 'is'];
	if (!field.media) return `must ${be} (http:// or https://), but ${has} ${quote(text)}`;
	if (isBase64(text) || /^data:/i.test(text))
		return `must ${be}, but ${has} ${isBase64(text) ? 'base64 data' : 'a data URI'}. Put the file into a binary field of the item and give the name of that field`;
	const orFiles = isList ? 'names of binary fields' : 'the name of a binary field';
	return `must ${be} (http:// or https://) or ${orFiles}, but ${has} ${quote(text)}`;
}

function findAssetProblem(text: string, { assets }: Field): string | undefined {
	if (!assets) return `does not take assets, but has ${quote(text)}. Give a public link`;
	if (isAssetReference(text)) return undefined;
	return `has ${quote(text)}, which is not of the form asset://<asset_id>`;
}

/** The body with each link replaced, also inside of lists. A value of a wrong type stays as it was written. */
export function replaceLinks(
	fields: Fields,
	body: RequestBody,
	replace: (link: string, name: string, field: Field) => string,
): RequestBody {
	const replaced = (value: unknown, name: string, field: Field): unknown => {
		if (Array.isArray(value)) return value.map((item) => replaced(item, name, field));
		if (field.items && isObject(value))
			return replaceLinks(field.items, value, (link, inner, of) =>
				replace(link, name, { ...of, label: `${getLabel(inner, of)} in ${getLabel(name, field)}` }),
			);
		return field.media && typeof value === 'string' ? replace(value, name, field) : value;
	};
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => {
			const field = getOwn(fields, name);
			const isLeft = !field || findTypeProblem(value, field);
			return [name, isLeft ? value : replaced(value, name, field)];
		}),
	);
}
