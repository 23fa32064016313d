import { generateNodeTypeFile } from '@n8n/workflow-sdk/dist/generate-types/generate-types';
import { GenerationGateway } from '../../nodes/GenerationGateway/GenerationGateway.node';
import type { Field, Media } from '../../nodes/catalog/families';
import { getParameter } from '../../nodes/catalog/labels';
import { modelSpecs, type KnownModelSpec } from '../../nodes/catalog/modelSpec';
import { validate } from '../../nodes/catalog/validate';
import { findTypeProblem } from '../../nodes/catalog/jsonTypes';
import { isPrimary, isVisible } from '../../nodes/catalog/visibility';
import { listAssetPickers } from '../../nodes/n8n/panel/assetPickers';
import { samplesOf } from '../support/fieldSamples';
import { minimalBodies, type Body } from '../support/requestBodies';
import { findTypeErrors } from '../support/typeCheck';

/** What n8n's AI builder reads of our node: made by n8n's own generator. */
const { description } = new GenerationGateway();
const generated = generateNodeTypeFile({
	...description,
	name: `n8n-nodes-generation-gateway.${description.name}`,
	properties: description.properties.filter(({ type }) => type !== 'hidden'),
} as Parameters<typeof generateNodeTypeFile>[0]);

const typeName = (media: Media) => (media === 'image' ? 'ImageFields' : 'VideoFields');

/** The types in the comment of a part of the file. */
function extractTypes(part: string): string {
	const lines = part.split('\n').map((line) => line.replace(/^\s*\* ?/, ''));
	const first = lines.findIndex((line) => line.startsWith('type '));
	const last = lines.map((line) => /^( *\||type ).*;$/.test(line)).lastIndexOf(true);
	return lines.slice(first, last + 1).join('\n');
}

const [head = '', ...parts] = generated.split(/^export type /m);
const sharedTypes = extractTypes(head);

/** The types by model, which stand in the comment of the parameters of one panel. */
const typesOf = (media: Media): string =>
	extractTypes(parts.find((part) => part.includes(`resource: '${media}'`)) ?? '');

interface Sample {
	spec: KnownModelSpec;
	body: Body;
	parameters: string;
}

const toForm = (value: unknown, { maxItems }: Field) => ({
	entry: maxItems === 1 ? (value as unknown[])[0] : value,
});

/** The parameters in which the panel stores a body, as a builder writes them. */
function toParameters(spec: KnownModelSpec, body: Body): string {
	const top: Body = { model: { __rl: true, mode: 'id', value: spec.id } };
	const additionalFields: Body = {};
	for (const [name, value] of Object.entries(body)) {
		const field = spec.fields[name]!;
		const stored =
			field.type === 'objects' && field.items && !spec.open ? toForm(value, field) : value;
		(isPrimary(spec, name) ? top : additionalFields)[getParameter(name, field)] = stored;
	}
	const isEmpty = !Object.keys(additionalFields).length;
	return JSON.stringify(isEmpty ? top : { ...top, additionalFields });
}

/** Whether the panel offers every field of the body under its action; an empty list is not stored. */
const isOffered = (spec: KnownModelSpec, { action = spec.actions[0]!, ...fields }: Body) =>
	Object.entries(fields).every(
		([name, value]) =>
			isVisible(spec, name, String(action)) && !(Array.isArray(value) && !value.length),
	);

/** Every way to ask each model, with each value that is tried for each field, one field at a time. */
function* listBodies(spec: KnownModelSpec): Generator<Body> {
	for (const { action, ...others } of minimalBodies(spec)) {
		const way = spec.actions.length > 1 && action ? { action, ...others } : others;
		yield way;
		for (const [name, field] of Object.entries(spec.fields)) {
			if (name === 'action' && spec.actions.length === 1) continue;
			for (const value of samplesOf(field)) yield { ...way, [name]: value };
			yield Object.fromEntries(Object.entries(way).filter(([given]) => given !== name));
		}
	}
}

/** Why the body is refused that a type can say: a choice that is none, or a required field that is missing. */
function isRefusedByType(spec: KnownModelSpec, body: Body): boolean {
	const isWrongChoice = ([name, value]: [string, unknown]) => {
		const { enum: accepted, otherValues } = spec.fields[name]!;
		return Boolean(accepted && !otherValues && !accepted.includes(value as string));
	};
	const isMissing = ([name, { required }]: [string, Field]) => Boolean(required) && !(name in body);
	return Object.entries(body).some(isWrongChoice) || Object.entries(spec.fields).some(isMissing);
}

const hasJsonTypes = (spec: KnownModelSpec, body: Body) =>
	Object.entries(body).every(([name, value]) => !findTypeProblem(value, spec.fields[name]!));

function listSamples(
	media: Media,
	isWanted: (spec: KnownModelSpec, body: Body) => boolean,
): Sample[] {
	const samples = new Map<string, Sample>();
	for (const spec of modelSpecs.filter((each) => each.media === media && !each.deprecated))
		for (const body of listBodies(spec)) {
			if (!isOffered(spec, body) || !hasJsonTypes(spec, body) || !isWanted(spec, body)) continue;
			const parameters = toParameters(spec, body);
			samples.set(parameters, { spec, body, parameters });
		}
	return [...samples.values()];
}

/** Holds each sample against the type of its model; gives those with an error. */
function findRefused(media: Media, samples: readonly Sample[]): string[] {
	const source = [
		sharedTypes,
		typesOf(media),
		'type Of<Type, Id> = Type extends { model: { value: infer Ids } } ? (Id extends Ids ? Type : never) : never;',
	].join('\n');
	const statements = samples.map(
		({ spec, parameters }, at) =>
			`const s${at}: Of<${typeName(media)}, '${spec.id}'> = ${parameters};`,
	);
	return [...findTypeErrors(source, statements)].map((at) => samples[at]!.parameters);
}

describe.each(['image', 'video'] as const)(
	'the types by model that n8n generates for %s',
	(media) => {
		it('name every model that is served', () => {
			const served = modelSpecs.filter((spec) => spec.media === media && !spec.deprecated);

			const types = typesOf(media);

			expect(served.filter(({ id }) => !types.includes(`'${id}'`))).toEqual([]);
		});

		it('take what the tables accept', () => {
			const accepted = listSamples(media, (spec, body) => !validate(spec, body).issues.length);

			expect(accepted.length).toBeGreaterThan(200);
			expect(findRefused(media, accepted)).toEqual([]);
		});

		it('refuse a choice that is none and a required field that is missing', () => {
			const refused = listSamples(media, isRefusedByType);

			const found = new Set(findRefused(media, refused));

			expect(refused.length).toBeGreaterThan(200);
			expect(refused.filter(({ parameters }) => !found.has(parameters))).toEqual([]);
		});

		it('are named at each field that depends on the model', () => {
			const properties = description.properties.filter(
				({ displayOptions, type }) =>
					displayOptions?.show?.resource?.includes(media) && type !== 'notice' && type !== 'hidden',
			);
			const dependent = properties.filter(
				({ name }, at) =>
					properties.findIndex((other) => other.name === name) === at &&
					properties.some((other, place) => other.name === name && place !== at),
			);

			expect(dependent.length).toBeGreaterThan(3);
			for (const { name, builderHint } of dependent)
				expect([name, builderHint?.propertyHint]).toEqual([
					name,
					expect.stringContaining(typeName(media)),
				]);
		});
	},
);

it('the types list assets under the modes in which the panel shows them', () => {
	const specs = modelSpecs.filter(({ fields }) => listAssetPickers(fields).length);
	const typeOf = ({ id }: KnownModelSpec) =>
		typesOf('video')
			.split('\n')
			.find((line) => line.includes(`'${id}'`))!;
	const listed = (spec: KnownModelSpec, action: string) => {
		const ways = typeOf(spec).split(/\{(?=action\??:)/);
		const way = ways.find((type) => type.split(';')[0]!.includes(`'${action}'`))!;
		return listAssetPickers(spec.fields).filter(({ name }) => way.includes(`${name}?:`));
	};
	const shown = (spec: KnownModelSpec, action: string) =>
		listAssetPickers(spec.fields).filter(({ target }) => isVisible(spec, target, action));

	expect(specs.length).toBeGreaterThan(0);
	for (const spec of specs)
		for (const action of spec.actions)
			expect([spec.id, action, listed(spec, action)]).toEqual([
				spec.id,
				action,
				shown(spec, action),
			]);
});
