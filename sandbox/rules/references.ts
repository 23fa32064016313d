import { HttpError } from '../httpError';
import type { Body } from '../settings';
import type { ModelRule } from './rule';

/** What a reference needs to know of an asset. */
export interface ReferencedAsset {
	id: string;
	type: string;
	name: string;
	model: string;
}

export interface AssetLookup {
	/** The asset, when it is active and of this account. */
	findActive: (assetId: string, account: string) => ReferencedAsset | undefined;
	/** Whether the asset cannot be used on the model's current route. */
	isMisrouted: (asset: ReferencedAsset, body: Body) => boolean;
}

/** Section 2.4: the fields that take references, and the type each takes. */
const TYPE_OF_FIELD: Record<string, string> = {
	image_urls: 'image',
	first_frame_image: 'image',
	last_frame_image: 'image',
	'image_with_roles.url': 'image',
	video_urls: 'video',
	audio_urls: 'audio',
};

const TEXT_FIELDS = new Set([
	'prompt',
	'negative_prompt',
	'callback_url',
	'callback_events',
	'model',
	'action',
]);

function* findReferences(value: unknown, path: string): Generator<[path: string, text: string]> {
	if (typeof value === 'string') {
		if (/^asset:/i.test(value)) yield [path, value];
	} else if (Array.isArray(value)) {
		for (const item of value) yield* findReferences(item, path);
	} else if (typeof value === 'object' && value !== null) {
		for (const [name, item] of Object.entries(value))
			yield* findReferences(item, `${path}.${name}`);
	}
}

/** The five asset errors of section 7; `param` names the top-level field. */
export function checkReferences(
	rule: ModelRule,
	body: Body,
	account: string,
	assetStore: AssetLookup,
): void {
	for (const [field, value] of Object.entries(body)) {
		if (TEXT_FIELDS.has(field)) continue;
		for (const [path, text] of findReferences(value, field)) {
			checkReference(rule, body, account, assetStore, field, path, text);
		}
	}
}

function checkReference(
	rule: ModelRule,
	body: Body,
	account: string,
	assetStore: AssetLookup,
	field: string,
	path: string,
	text: string,
): void {
	const createError = (code: string, message: string): HttpError =>
		new HttpError(400, message, field, code);
	const type = Object.hasOwn(TYPE_OF_FIELD, path) ? TYPE_OF_FIELD[path] : undefined;
	if (!rule.hasAssets || type === undefined) {
		const subject = rule.hasAssets ? `The field ${field}` : `The model ${String(body.model)}`;
		throw createError(
			'asset_reference_unsupported',
			`${subject} does not accept asset references.`,
		);
	}
	const id = /^asset:\/\/([A-Za-z0-9_-]+)$/.exec(text)?.[1];
	if (id === undefined) {
		throw createError(
			'asset_reference_invalid',
			'An asset reference has the form asset://<asset_id>.',
		);
	}
	const asset = assetStore.findActive(id, account);
	if (asset === undefined)
		throw createError('asset_not_found', `The asset ${id} was not found or is not active.`);
	if (asset.type !== type) {
		throw createError(
			'asset_type_mismatch',
			`${field} takes ${type} assets; ${id} is of type ${asset.type}.`,
		);
	}
	if (assetStore.isMisrouted(asset, body)) {
		throw createError(
			'asset_route_mismatch',
			`The asset ${id} cannot be used on the model's current route.`,
		);
	}
}
