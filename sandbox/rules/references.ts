import { Refusal } from '../httpError';
import type { Body } from '../settings';
import type { ModelRule } from './rule';

/** What a reference needs to know of an asset. */
export interface Referable {
	id: string;
	type: string;
	name: string;
	model: string;
}

export interface AssetLookup {
	/** The asset, when it is active and of this account. */
	active: (assetId: string, account: string) => Referable | undefined;
	/** Whether the asset cannot be used on the model's current route. */
	misrouted: (asset: Referable, body: Body) => boolean;
}

/** Section 2.4: the fields that take references, and the type each takes. */
const typeOfField: Record<string, string> = {
	image_urls: 'image',
	first_frame_image: 'image',
	last_frame_image: 'image',
	'image_with_roles.url': 'image',
	video_urls: 'video',
	audio_urls: 'audio',
};

const prose = new Set([
	'prompt',
	'negative_prompt',
	'callback_url',
	'callback_events',
	'model',
	'action',
]);

function* references(value: unknown, path: string): Generator<[path: string, text: string]> {
	if (typeof value === 'string') {
		if (/^asset:/i.test(value)) yield [path, value];
	} else if (Array.isArray(value)) {
		for (const entry of value) yield* references(entry, path);
	} else if (typeof value === 'object' && value !== null) {
		for (const [name, entry] of Object.entries(value)) yield* references(entry, `${path}.${name}`);
	}
}

/** The five asset errors of section 7; `param` names the top-level field. */
export function checkReferences(
	rule: ModelRule,
	body: Body,
	account: string,
	shelf: AssetLookup,
): void {
	for (const [field, value] of Object.entries(body)) {
		if (prose.has(field)) continue;
		for (const [path, text] of references(value, field)) {
			checkReference(rule, body, account, shelf, field, path, text);
		}
	}
}

function checkReference(
	rule: ModelRule,
	body: Body,
	account: string,
	shelf: AssetLookup,
	field: string,
	path: string,
	text: string,
): void {
	const refuse = (code: string, message: string): Refusal => new Refusal(400, message, field, code);
	const type = Object.hasOwn(typeOfField, path) ? typeOfField[path] : undefined;
	if (!rule.assets || type === undefined) {
		const what = rule.assets ? `The field ${field}` : `The model ${String(body.model)}`;
		throw refuse('asset_reference_unsupported', `${what} does not accept asset references.`);
	}
	const id = /^asset:\/\/([A-Za-z0-9_-]+)$/.exec(text)?.[1];
	if (id === undefined) {
		throw refuse('asset_reference_invalid', 'An asset reference has the form asset://<asset_id>.');
	}
	const asset = shelf.active(id, account);
	if (asset === undefined)
		throw refuse('asset_not_found', `The asset ${id} was not found or is not active.`);
	if (asset.type !== type) {
		throw refuse(
			'asset_type_mismatch',
			`${field} takes ${type} assets; ${id} is of type ${asset.type}.`,
		);
	}
	if (shelf.misrouted(asset, body)) {
		throw refuse(
			'asset_route_mismatch',
			`The asset ${id} cannot be used on the model's current route.`,
		);
	}
}
