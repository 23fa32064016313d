import type { INodeProperties } from 'n8n-workflow';
import { EVERY_REQUEST, type Media } from '../../catalog/families';
import { getParameter, joinWords } from '../../catalog/labels';
import { genericModelSpec, modelSpecs, type KnownModelSpec } from '../../catalog/modelSpec';
import { panelTypeName } from './builderTypes';
import { listPanelFields, mergePanelFields, type PanelField } from './panelFields';
import { toProperty } from './property';

const MEDIA = ['image', 'video'] as const;
const isServed = ({ deprecated, media }: KnownModelSpec, of: Media) => media === of && !deprecated;
const idsOf = (specs: readonly KnownModelSpec[]) => specs.map(({ id }) => id);

/** The fields of both panels, so that one property serves both where they have the same. */
export const listAllFields = (): PanelField[] =>
	mergePanelFields(
		MEDIA.flatMap((media) => [
			...modelSpecs
				.filter((spec) => isServed(spec, media))
				.flatMap((spec) => listPanelFields(spec, media, spec.id)),
			...listPanelFields(genericModelSpec(media), media),
		]),
	);

/**
 * The panel of one media under the model locator: each field under its wire name, exactly once for
 * any model and action. Where the other panel has the same field, nothing but the resource differs.
 * Generate is the only operation of both, so no condition names it.
 */
export function panelProperties(media: Media, all: readonly PanelField[]): INodeProperties[] {
	const names = modelSpecs
		.filter((spec) => isServed(spec, media))
		.flatMap(({ fields }) =>
			Object.entries(fields).map(([name, field]) => getParameter(name, field)),
		);
	const last = names.length;
	const place = ({ name }: PanelField) => (names.includes(name) ? names.indexOf(name) : last);
	const fields = all
		.filter((field) => field.media.includes(media))
		.sort((a, b) => place(a) - place(b));
	/** `path` leads from the property to the node's parameters: '' at the top level, '/' in a collection. */
	const withConditions = (field: PanelField, path: '' | '/'): INodeProperties => {
		const { name, property, models, isGeneric, actions } = field;
		const same = all.filter((other) => other.name === name);
		const isFirst = field.media.some(
			(of) => same.find((other) => other.media.includes(of)) === field,
		);
		// n8n has no condition for "any other model", so the other known models hide the field.
		const known = modelSpecs.filter((spec) => field.media.includes(spec.media));
		const hide = isGeneric && {
			[`${path}model`]: idsOf(known).filter((id) => !models.includes(id)),
		};
		return {
			...property,
			...(isFirst && same.length > 1 && { builderHint: dependsOnModel(field.media) }),
			displayOptions: {
				show: {
					...(path === '' && { resource: [media] }),
					...(!isGeneric && { [`${path}model`]: models }),
					...(actions && { [`${path}action`]: actions.offered }),
				},
				...(hide && { hide }),
			},
		};
	};
	const closed = modelSpecs.filter(({ open, deprecated }) => !open || deprecated);
	return [
		...deprecationNotice(media),
		...fields.filter((field) => field.isPrimary).map((field) => withConditions(field, '')),
		{
			displayName: 'Extra Body',
			name: 'extra_body',
			type: 'json',
			default: '',
			placeholder: 'e.g. { "style": "sketch" }',
			description: 'Further parameters, as JSON. Fields of this panel win.',
			displayOptions: { show: { resource: [media] }, hide: { model: idsOf(closed) } },
		},
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				...fields.filter((field) => !field.isPrimary).map((field) => withConditions(field, '/')),
				toProperty('extra', EVERY_REQUEST.extra, false, false),
			],
			displayOptions: { show: { resource: [media] } },
		},
	];
}

/** n8n's types keep one variant of a field, so whoever writes from them is led to the types by model. */
const dependsOnModel = (media: readonly Media[]): INodeProperties['builderHint'] => ({
	propertyHint: `See ${media.map(panelTypeName).join(', ')}`,
});

/** Says of the models that are no longer served what to use, where workflows still have them. */
function deprecationNotice(media: Media): INodeProperties[] {
	const ids = new Map<string, string[]>();
	for (const { id, deprecated, media: of } of modelSpecs) {
		if (of !== media || !deprecated) continue;
		const replacement = deprecated.replacement ?? 'another model';
		ids.set(replacement, [...(ids.get(replacement) ?? []), id]);
	}
	if (!ids.size) return [];
	const hints = [...ids].map(
		([replacement, of]) => `Instead of ${joinWords(of)} use ${replacement}.`,
	);
	return [
		{
			displayName: `No longer served. ${hints.join(' ')}`,
			name: 'deprecationNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { resource: [media], model: [...ids.values()].flat() } },
		},
	];
}
