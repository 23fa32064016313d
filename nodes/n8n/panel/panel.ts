import type { INodeProperties } from 'n8n-workflow';
import { EVERY_REQUEST, type Media } from '../../catalog/families';
import { genericModelSpec, modelSpecs } from '../../catalog/modelSpec';
import { panelTypeName } from './builderTypes';
import { listPanelFields, mergePanelFields, type PanelField } from './panelFields';
import { toProperty } from './property';

/**
 * The panel of one media under the model locator: each field under its wire name, exactly once for
 * any model and action. Shown while `resource` is the media and `operation` is generate.
 */
export function panelProperties(media: Media): INodeProperties[] {
	// Generate is the only operation of both resources.
	const show = { resource: [media] };
	const known = modelSpecs.filter((spec) => spec.media === media);
	const served = known.filter(({ deprecated }) => !deprecated);
	const ids = known.map(({ id }) => id);
	const fields = mergePanelFields([
		...served.flatMap((spec) => listPanelFields(spec, spec.id)),
		...listPanelFields(genericModelSpec(media)),
	]);
	/** `path` leads from the property to the node's parameters: '' at the top level, '/' in a collection. */
	const withConditions = (field: PanelField, path: '' | '/'): INodeProperties => {
		const { name, property, models, isGeneric, actions } = field;
		const same = fields.filter((other) => other.name === name);
		const isFirst = same[0] === field;
		// n8n has no condition for "any other model", so the other known models hide the field.
		const hide = isGeneric && { [`${path}model`]: ids.filter((id) => !models.includes(id)) };
		return {
			...property,
			...(isFirst && same.length > 1 && { builderHint: dependsOnModel(media) }),
			displayOptions: {
				show: {
					...(path === '' && show),
					...(!isGeneric && { [`${path}model`]: models }),
					...(actions && { [`${path}action`]: actions }),
				},
				...(hide && { hide }),
			},
		};
	};
	const closed = known.filter(({ open, deprecated }) => !open || deprecated).map(({ id }) => id);
	return [
		...listDeprecationNotices(media),
		...fields.filter((field) => field.isPrimary).map((field) => withConditions(field, '')),
		{
			displayName: 'Extra Body',
			name: 'extra_body',
			type: 'json',
			default: '',
			placeholder: 'e.g. { "style": "sketch" }',
			description: 'Further parameters of the model, as JSON. Fields of this panel win.',
			displayOptions: { show, hide: { model: closed } },
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
			displayOptions: { show },
		},
	];
}

/** n8n's types keep one variant of a field, so whoever writes from them is led to the types by model. */
const dependsOnModel = (media: Media): INodeProperties['builderHint'] => ({
	propertyHint: `By model: see ${panelTypeName(media)}`,
});

/** Says of each model that is no longer served what to use, where workflows still have it. */
const listDeprecationNotices = (media: Media): INodeProperties[] =>
	modelSpecs.flatMap(({ id, deprecated, ...spec }) =>
		spec.media === media && deprecated
			? [
					{
						displayName: `${id} is ${deprecated.reason}. Use ${deprecated.replacement ?? 'another model'}.`,
						name: 'deprecationNotice',
						type: 'notice',
						default: '',
						displayOptions: {
							show: { resource: [media], model: [id] },
						},
					},
				]
			: [],
	);
