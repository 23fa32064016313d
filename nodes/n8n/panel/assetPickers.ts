import type { PropertyShape } from './property';
import { getLabel } from '../../catalog/labels';
import type { RequestBody } from '../../catalog/rules';
import type { ModelSpec } from '../../catalog/modelSpec';

/** A list of the account's assets beside a link field that accepts them (spec section 2.4). */
export interface AssetPicker {
	name: string;
	/** The wire field that gets the chosen `asset://` references. */
	into: string;
	isList: boolean;
	property: PropertyShape;
}

/** Names of the methods that fill the lists; the node provides them. */
const METHODS = {
	image: 'getImageAssets',
	video: 'getVideoAssets',
	audio: 'getAudioAssets',
} as const;

/** The pickers of a model: none unless the model's table says that a field takes assets. */
export function listAssetPickers(spec: ModelSpec): AssetPicker[] {
	return Object.entries(spec.fields).flatMap(([into, field]) => {
		if (!field.assets || !field.media || field.anyLink) return [];
		const isList = field.type === 'links';
		if (!isList && field.type !== 'link') return [];
		const name = `${into.replace(/_urls$/, '')}_asset${isList ? 's' : ''}`;
		const label = getLabel(into, field);
		const base = {
			displayName: `${label.replace(/ URLs?$/, '')} Asset${isList ? 's' : ''}`,
			name,
			typeOptions: { loadOptionsMethod: METHODS[field.media] },
			description: isList
				? `Active assets of the library, added to ${label}`
				: `An active asset of the library, used as ${label}`,
		};
		const property: PropertyShape = isList
			? { ...base, type: 'multiOptions', default: [] }
			: { ...base, type: 'options', default: '' };
		return { name, into, isList, property };
	});
}

/** The body with the assets that were picked: lists grow, a single link is set where it was empty. */
export function addPickedAssets(
	spec: ModelSpec,
	body: RequestBody,
	picked: RequestBody,
): RequestBody {
	const added = listAssetPickers(spec).flatMap(({ name, into, isList }) => {
		const chosen = [picked[name]]
			.flat()
			.filter((reference) => typeof reference === 'string' && reference !== '');
		if (!chosen.length) return [];
		return [
			[
				into,
				isList
					? [...([body[into] ?? []].flat() as unknown[]), ...chosen]
					: (body[into] ?? chosen[0]),
			] as const,
		];
	});
	return { ...body, ...Object.fromEntries(added) };
}
