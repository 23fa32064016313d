import { modelSpecs } from '../../nodes/catalog/modelSpec';
import { resources } from '../../nodes/GenerationGateway/actions';
import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { description } from '../support/editor';

/** Every property of the panels, those inside collections included. */
function flatten(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => {
		const inner =
			property.type === 'collection'
				? (property.options as INodeProperties[])
				: property.type === 'fixedCollection'
					? (property.options as INodePropertyCollection[]).flatMap(({ values }) => values)
					: [];
		return [property, ...flatten(inner)];
	});
}
const flattenShown = (properties: INodeProperties[]) =>
	flatten(properties).filter(({ type }) => type !== 'notice' && type !== 'hidden');
const panel = flattenShown(description.properties);
const ofModels = flattenShown(
	description.properties.filter(
		({ name, displayOptions }) =>
			name !== 'operation' &&
			[displayOptions?.show?.resource, displayOptions?.show?.['/resource']]
				.flat()
				.some((of) => of === 'image' || of === 'video'),
	),
);
const listFailing = (test: (property: INodeProperties) => boolean, properties = panel) =>
	properties
		.filter((property) => !test(property))
		.map(({ displayName, description: text, placeholder }) => ({ displayName, text, placeholder }));

const SMALL = [
	'a',
	'an',
	'and',
	'as',
	'at',
	'by',
	'for',
	'in',
	'of',
	'on',
	'or',
	'per',
	'the',
	'to',
	'via',
	'with',
];
const isTitle = (text: string) =>
	text
		.split(' ')
		.every((word, at) => (at > 0 && SMALL.includes(word)) || /^\(?[A-Z0-9$]/.test(word));

it('is not empty', () => {
	expect(panel.length).toBeGreaterThan(100);
});
it('labels fields in Title Case', () => {
	expect(listFailing(({ displayName }) => isTitle(displayName))).toEqual([]);
});
it('labels resources, operations and actions in Title Case', () => {
	const names = panel
		.filter(({ name }) => ['resource', 'operation', 'action'].includes(name))
		.flatMap(({ options }) => (options as { name: string }[]).map(({ name }) => name));
	expect(names.filter((name) => !isTitle(name))).toEqual([]);
});
it('describes every field of a model', () => {
	const framed = ['options', 'additionalFields'];
	expect(
		listFailing(({ name, description: text }) => framed.includes(name) || Boolean(text), ofModels),
	).toEqual([]);
});
it('begins a description with a capital', () => {
	expect(listFailing(({ description: text = 'A' }) => /^[A-Z0-9]/.test(text))).toEqual([]);
});
it('ends a description with a period when it has two sentences, and without one when it has one', () => {
	expect(
		listFailing(({ description: text = '' }) => /\. [A-Z]/.test(text) === text.endsWith('.')),
	).toEqual([]);
});
it('has one bracket at most in a description', () => {
	expect(listFailing(({ description: text = '' }) => text.split('(').length <= 2)).toEqual([]);
});
it('has no blank too many', () => {
	expect(
		listFailing(
			({ displayName, description: text = '' }) =>
				![displayName, text].some((text) => text !== text.trim() || text.includes('  ')),
		),
	).toEqual([]);
});
it('opens no tag in a description, which the editor reads as HTML', () => {
	expect(listFailing(({ description: text = '' }) => !text.includes('<'))).toEqual([]);
});
it('begins the description of a switch with Whether', () => {
	expect(
		listFailing(
			({ type, description: text = '' }) => type !== 'boolean' || text.startsWith('Whether '),
		),
	).toEqual([]);
});
it('begins a placeholder with e.g.', () => {
	expect(
		listFailing(
			({ type, placeholder }) =>
				['collection', 'fixedCollection'].includes(type) ||
				!placeholder ||
				placeholder.startsWith('e.g. '),
		),
	).toEqual([]);
});
it('does not use the words that n8n keeps out of its copy', () => {
	expect(
		listFailing((property) => !/\b(error|problem|failure|mistake)/i.test(JSON.stringify(property))),
	).toEqual([]);
});
it('explains references to images in the prompt only where the model reads it', () => {
	const prompts = panel.filter(
		({ name, description: text }) => name === 'prompt' && text?.includes('image_N'),
	);
	expect(prompts.map(({ displayOptions }) => displayOptions!.show!.model)).toEqual([
		['clipk-v3-omni', 'clipk-video-o1'],
	]);
});
const MODELS = modelSpecs.filter(({ deprecated }) => !deprecated).length;
const OPERATIONS = Object.values(resources).flatMap((operations) => Object.keys(operations)).length;
const OPTIONS = new Set(
	description.properties
		.filter(({ name }) => name === 'options')
		.flatMap(({ options }) => options!.map(({ name }) => name)),
).size;
/** What a served model, an operation or an option may add. */
const LIMITS = [
	{
		what: 'bytes',
		most: 3_000 + 2_600 * MODELS + 1_500 * OPERATIONS + 300 * OPTIONS,
		is: JSON.stringify(description).length,
	},
	{
		what: 'bytes of types for builders',
		most: 680 + 360 * MODELS,
		is: JSON.stringify(description.builderHint).length,
	},
	{ what: 'properties', most: 90 + 3 * MODELS, is: description.properties.length },
];
it('is no larger than the models need, since n8n goes through all of it at every keystroke', () => {
	const PAGE =
		'LIMITS in test/n8n/panel.copy.test.ts and docs/decisions/2026-11-22-fewer-properties.md';
	const excess = LIMITS.filter(({ is, most }) => is > most);
	expect(excess.map(({ what, is, most }) => `${is} of ${most} ${what}; see ${PAGE}`)).toEqual([]);
});
it('describes a field with the limits of its own model only', () => {
	const texts = panel
		.filter(({ name, displayOptions }) => {
			const models = displayOptions?.show?.model as string[] | undefined;
			return name === 'image_urls' && models?.includes('flx-ctx-pro');
		})
		.map(({ description: text }) => text);

	expect(texts).toHaveLength(1);
	expect(texts[0]).toContain('at most 4 entries');
	expect(texts[0]).not.toContain('flx-');
});
