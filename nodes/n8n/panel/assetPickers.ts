import type { UnconditionalProperty } from './property';
import { isBlank } from '../../catalog/json';
import { getLabel, toTitle } from '../../catalog/labels';
import { findsNothing } from '../../catalog/links';
import type { RequestBody } from '../../catalog/rules';
import type { Fields } from '../../catalog/schema';

/** Lists of assets for link fields that take them (spec section 2.4). `target`: the field that gets the references. */
export function listAssetPickers(fields: Fields) {
	return Object.entries(fields).flatMap(([target, field]) => {
		if (!field.assets || !field.media || field.anyLink) return [];
		const isList = field.type === 'links';
		const name = `${target.replace(/_urls$/, '')}_asset${isList ? 's' : ''}`;
		const label = getLabel(target, field);
		const base = {
			displayName: `${label.replace(/ URLs?$/, '')} Asset${isList ? 's' : ''}`,
			name,
			// One of `assetReferences`.
			typeOptions: { loadOptionsMethod: `get${toTitle(field.media)}Assets` },
			description: isList
				? `Active assets of the library, added to ${label}`
				: `An active asset of the library, used when ${label} is empty`,
		};
		const property: UnconditionalProperty = isList
			? { ...base, type: 'multiOptions', default: [] }
			: { ...base, type: 'options', default: '' };
		return [{ name, target, isList, property }];
	});
}

/** The body with the chosen assets. Lists grow; a single link is set where it was empty. */
export function addPickedAssets(
	fields: Fields,
	body: RequestBody,
	picked: RequestBody,
	isTool: boolean,
) {
	const added = listAssetPickers(fields).flatMap(({ name, target, isList }) => {
		const isUsed = isList || !(target in body);
		const isMissing = !isTool && isUsed && name in picked && findsNothing(picked[name]);
		// An expression that finds nothing is named by the check.
		if (isMissing) return [[target, undefined] as const];
		const chosen = [picked[name]].flat(2).filter((reference) => !isBlank(reference));
		if (!chosen.length || (target in body && body[target] === undefined)) return [];
		// What is no reference, and a second one for a single link, is named by the check.
		const single = chosen.length > 1 ? chosen : chosen[0];
		const value = isList ? [body[target] ?? [], chosen].flat() : (body[target] ?? single);
		return [[target, value] as const];
	});
	return { ...body, ...Object.fromEntries(added) };
}
