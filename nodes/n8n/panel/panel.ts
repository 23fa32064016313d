import type { INodeProperties } from 'n8n-workflow';
import { EVERY_REQUEST, type Media } from '../../catalog/families';
import { listAssetPickers } from './assetPickers';
import { toProperty, type PropertyShape } from './property';
import { isVisible, isPrimary } from '../../catalog/visibility';
import { getModelSpec, modelSpecs, type ModelSpec } from '../../catalog/modelSpec';

/** A field as one group of models shows it; equal looks become one property. */
interface Variant {
	name: string;
	look: PropertyShape;
	top: boolean;
	models: string[];
	/** Models without a table show it too. */
	unknown: boolean;
	/** Undefined where the field is offered under every action of the model. */
	actions: string[] | undefined;
}

function variantsOf(spec: ModelSpec): Variant[] {
	const pickers = listAssetPickers(spec).map(({ name, property }): Variant => {
		return {
			name,
			look: property,
			top: false,
			models: [spec.id],
			unknown: false,
			actions: undefined,
		};
	});
	const fields = Object.entries(spec.fields).flatMap(([name, field]): Variant[] => {
		const offered = spec.actions.filter((action) => isVisible(spec, name, action));
		if (!offered.length) return [];
		const top = isPrimary(spec, name);
		const models = spec.unknown ? [] : [spec.id];
		const actions = offered.length === spec.actions.length ? undefined : offered;
		return [
			{
				name,
				top,
				look: toProperty(name, field, top, spec.open),
				models,
				unknown: spec.unknown,
				actions,
			},
		];
	});
	return [...fields, ...pickers];
}

/** Variants that look alike and show under the same actions become one with all their models. */
function merged(variants: Variant[]): Variant[] {
	const byLook = new Map<string, Variant>();
	for (const variant of variants) {
		const { look, top, actions, models, unknown } = variant;
		const key = JSON.stringify([look, top, actions]);
		const same = byLook.get(key);
		if (same)
			Object.assign(same, {
				models: [...same.models, ...models],
				unknown: same.unknown || unknown,
			});
		else byLook.set(key, variant);
	}
	return [...byLook.values()];
}

const served = (media: Media) =>
	modelSpecs.filter((spec) => spec.media === media && !spec.deprecated);

/**
 * The panel of one medium under the model locator: each field under its wire name, exactly once for
 * any model and action. Shown while `resource` is the medium and `operation` is generate.
 */
export function panelProperties(media: Media): INodeProperties[] {
	const here = { resource: [media], operation: ['generate'] };
	const known = modelSpecs.filter((spec) => spec.media === media).map(({ id }) => id);
	/** A model without a table is known by not being any of those with one. */
	const others = (models: string[]) => known.filter((id) => !models.includes(id));
	const variants = merged([
		...served(media).flatMap(variantsOf),
		...variantsOf(getModelSpec('', media)),
	]);
	const order = [...new Set(variants.map(({ name }) => name))];
	variants.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));

	const top = variants
		.filter((variant) => variant.top)
		.map(({ look, models, unknown, actions }): INodeProperties => {
			const show = {
				...here,
				...(!unknown && { model: models }),
				...(actions && { action: actions }),
			};
			return {
				...look,
				displayOptions: { show, ...(unknown && { hide: { model: others(models) } }) },
			};
		});
	const more = variants
		.filter((variant) => !variant.top)
		.map(({ look, models, unknown, actions }): INodeProperties => {
			const show = {
				...(!unknown && { '/model': models }),
				...(actions && { '/action': actions }),
			};
			return {
				...look,
				displayOptions: { show, ...(unknown && { hide: { '/model': others(models) } }) },
			};
		});
	const open = [...served(media)].filter((spec) => spec.open).map(({ id }) => id);
	const closed = known.filter((id) => !open.includes(id));
	return [
		...goneNotice(media, here),
		...top,
		{
			displayName: 'Extra Body',
			name: 'extra_body',
			type: 'json',
			default: '',
			placeholder: 'e.g. { "style": "sketch" }',
			description: 'Further parameters of the model, as JSON. What is set in a field above wins.',
			displayOptions: { show: here, hide: { model: closed } },
		},
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [...more, toProperty('extra', EVERY_REQUEST.extra, false, false)],
			displayOptions: { show: here },
		},
	];
}

function goneNotice(
	media: Media,
	here: { resource: string[]; operation: string[] },
): INodeProperties[] {
	return modelSpecs
		.filter((spec) => spec.media === media && spec.deprecated)
		.map(({ id, deprecated }) => ({
			displayName: `${id} is ${deprecated!.word}. ${deprecated!.successor ? `Use ${deprecated!.successor} instead.` : 'Choose another model.'}`,
			name: 'goneNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { ...here, model: [id] } },
		}));
}
