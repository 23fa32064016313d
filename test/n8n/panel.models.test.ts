import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { resources } from '../../nodes/GenerationGateway/actions';
import { families, type Field, type Media } from '../../nodes/catalog/families';
import { getParameter } from '../../nodes/catalog/labels';
import { getModelSpec, modelSpecs } from '../../nodes/catalog/modelSpec';
import { isPrimary, isVisible, listNeeded } from '../../nodes/catalog/visibility';
import { listAssetPickers } from '../../nodes/n8n/panel/assetPickers';
import { toProperty } from '../../nodes/n8n/panel/property';
import { description, listVisible, openPanel, storedParameters } from '../support/editor';

/** What users can set and n8n checks: everything of a property but its texts and its conditions. */
function withoutTexts(property: INodeProperties): object {
	const { type, name, displayName, options, typeOptions, required } = property;
	return JSON.parse(
		JSON.stringify({
			type,
			name,
			displayName,
			options,
			typeOptions,
			required,
			default: property.default,
		}),
	) as object;
}

const byName = (properties: INodeProperties[]) =>
	Object.fromEntries(properties.map((property) => [property.name, withoutTexts(property)]));

const UNKNOWN = 'zz-new-1';
const panels = (['image', 'video'] as const).flatMap((media) =>
	[
		...modelSpecs.filter((spec) => spec.media === media && !spec.deprecated),
		{ id: UNKNOWN },
	].flatMap(({ id }) => getModelSpec(id, media).actions.map((action) => ({ media, id, action }))),
);

it('has a panel for each model of the tables', () => {
	const served = families.flatMap(({ models }) =>
		Object.entries(models).filter(([, model]) => !('deprecated' in model)),
	);
	expect(new Set(panels.map(({ id }) => id)).size).toBe(served.length + 1);
});

/** Each field of the model by itself, as if no other model were in the panel. */
function listOwn(media: Media, id: string, action: string, isTop: boolean): INodeProperties[] {
	const spec = getModelSpec(id, media);
	const fields = Object.entries(spec.fields as Record<string, Field>)
		.filter(([name]) => isPrimary(spec, name) === isTop && isVisible(spec, name, action))
		.map(([name, field]) => {
			const required = listNeeded(spec, action).includes(name) || undefined;
			const property = toProperty(name, { ...field, required }, isTop, spec.open);
			return { ...property, name: getParameter(name, field) };
		});
	const pickers = listAssetPickers(spec.fields)
		.filter(({ target }) => !isTop && isVisible(spec, target, action))
		.map(({ property }) => property);
	return [...fields, ...pickers] as INodeProperties[];
}

it.each(panels)(
	'shows $id under $action its own choices, defaults and limits, whatever models share a field',
	({ media, id, action }) => {
		const { top, more } = listVisible(storedParameters(media, id, { action }));
		const { extra_body, ...shown } = byName(top);
		const { extra, ...added } = byName(more);

		expect(shown).toEqual(byName(listOwn(media, id, action, true)));
		expect(added).toEqual(byName(listOwn(media, id, action, false)));
		expect(Boolean(extra_body)).toBe(getModelSpec(id, media).open);
		expect(extra).toBeDefined();
	},
);

/** Values on which properties outside of a model's fields depend. */
const CHOICES: INodeParameters[] = [
	{},
	{ wait: 'none' },
	{ waitBy: 'suspend' },
	{ messagesFrom: 'json' },
	{ source: 'binary' },
	{ returnAll: false },
	{ returnAll: true },
];
const operations = Object.entries(resources).flatMap(([value, all]) =>
	Object.entries(all).flatMap(
		([
			operation,
			{
				operation: { properties },
			},
		]) => CHOICES.map((choices) => ({ resource: value, operation, properties, choices })),
	),
);

/** The properties that n8n shows for the parameters, those of collections included. */
function listShown(properties: INodeProperties[], parameters: INodeParameters): object[] {
	const { full, isShown } = openPanel(parameters);
	const listLevel = (level: INodeProperties[], stored: INodeParameters): INodeProperties[] =>
		level
			.filter((property) => isShown(property, stored))
			.map((property) => ({
				...property,
				displayOptions: undefined,
				options:
					property.type === 'collection'
						? listLevel(property.options as INodeProperties[], {})
						: property.type === 'fixedCollection'
							? (property.options as INodePropertyCollection[]).map((form) => ({
									...form,
									values: listLevel(form.values, {}),
								}))
							: property.options,
			}));
	return listLevel(properties, full).map(withoutTexts);
}

it.each(operations)(
	'shows under $resource $operation with $choices what the operation has, in its order',
	({ resource, operation, properties, choices }) => {
		const parameters = { resource, operation, ...choices };

		const shown = listShown(description.properties, parameters);

		const [, , ...fields] = shown;
		expect(fields).toEqual(listShown(properties, parameters));
	},
);

it('adds an option with the same default whichever of its name n8n takes', () => {
	const collections = description.properties.filter(
		({ name, type }) => name === 'options' && type === 'collection',
	);
	const defaults = collections.flatMap(({ options }, at) =>
		(options as INodeProperties[]).map(
			(option) => [`${at} ${option.name}`, JSON.stringify(option.default)] as const,
		),
	);

	expect(new Set(defaults.map(String)).size).toBe(new Set(defaults.map(([name]) => name)).size);
});
