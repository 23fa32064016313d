import { getParameter, toTitle } from '../../catalog/labels';
import { EVERY_REQUEST, type Media } from '../../catalog/families';
import { servedSpecs, type KnownModelSpec } from '../../catalog/modelSpec';
import { isPrimary, isVisible, listRequired, listRequirements } from '../../catalog/visibility';
import { listAssetPickers } from './assetPickers';
import { JSON_TYPE, toFieldType, toMember } from './fieldTypes';

/** Stands for the type in what is built. */
type Use = (kind: Kind, type: string) => string;
/** Choices, fields, variants: each may be part of the next. */
const KINDS = ['C', 'F', 'V'] as const;
type Kind = (typeof KINDS)[number];

/** Below this a name would not be shorter. */
const SHORTEST_SHARED = 24;

/** Declares once what is used several times, since the text is part of the description. */
function shareTypes(build: (use: Use) => string): string {
	const uses = new Map<string, { kind: Kind; place: number; count: number }>();
	const built = build((kind, type) => {
		const use = uses.get(type) ?? { kind, place: uses.size, count: 0 };
		uses.set(type, { ...use, count: use.count + 1 });
		return `<<${use.place}>>`;
	});
	/** What is written for a type: itself or its name. By place. */
	const written: string[] = [];
	const fill = (text: string) => text.replace(/<<(\d+)>>/g, (_, place) => written[Number(place)]!);
	const declared: string[] = [];
	for (const of of KINDS)
		for (const [type, { kind, place, count }] of uses) {
			if (kind !== of) continue;
			const whole = fill(type);
			const isShared = count > 1 && whole.length >= SHORTEST_SHARED;
			written[place] = isShared ? `${kind}${declared.length}` : whole;
			if (isShared) declared.push(`type ${written[place]}=${whole};`);
		}
	return [...declared, fill(built)].join('\n');
}

type PanelType = ReturnType<typeof toPanelType>;

/** What a model's panel takes under an action, as members of a TypeScript type. Additional Fields are one member. */
function toPanelType(spec: KnownModelSpec, action: string, use: Use) {
	const member = (name: string, needed: boolean) =>
		toMember(
			getParameter(name, spec.fields[name]),
			use('C', toFieldType(spec.fields[name]!, spec.open)),
			needed,
		);
	const names = Object.keys(spec.fields).filter(
		(name) => name !== 'action' && isVisible(spec, name, action),
	);
	const required = listRequired(spec, action);
	const isNeeded = (name: string) => required.includes(name);
	const added = names.filter((name) => !isPrimary(spec, name));
	const additional = [
		...added.map((name) => member(name, isNeeded(name))),
		...listAssetPickers(spec).map(({ name, isList }) =>
			toMember(name, isList ? 'string[]' : 'string', false),
		),
	];
	const members = [
		...names.filter((name) => isPrimary(spec, name)).map((name) => member(name, isNeeded(name))),
		...(spec.open ? [toMember('extra_body', 'Json', false)] : []),
		toMember('additionalFields', use('F', toAdded(additional)), added.some(isNeeded)),
	];
	return {
		actions: [action],
		members,
		/** One member of each list is needed. */
		anyOf: listRequirements(spec, action)
			.filter((choice) => choice.length > 1)
			.map((choice) =>
				choice
					.filter((name) => names.includes(name))
					.map((name) =>
						isPrimary(spec, name)
							? member(name, true)
							: toMember('additionalFields', toAdded([member(name, true)]), true),
					),
			),
	};
}

/** `Added` has the members of every model. */
const toAdded = (members: readonly string[]) =>
	members.length ? `Added<${toObject(members)}>` : 'Added';

/** Actions that take the same become one. */
function mergeActions(types: readonly PanelType[]): PanelType[] {
	const merged = new Map<string, PanelType>();
	for (const type of types) {
		const key = JSON.stringify([type.members, type.anyOf]);
		const actions = [...(merged.get(key)?.actions ?? []), ...type.actions];
		merged.set(key, { ...type, actions });
	}
	return [...merged.values()];
}

const toObject = (members: readonly string[]) => `{${members.join(';')}}`;

/** Without the model, so that models can share it. */
function toModelType(spec: KnownModelSpec, use: Use): string {
	const types = mergeActions(spec.actions.map((action) => toPanelType(spec, action, use)));
	const isCommon = (member: string) => types.every(({ members }) => members.includes(member));
	const common = types[0]!.members.filter(isCommon);
	const variants = types.map(({ actions, members, anyOf }) => {
		const isDefault = actions.includes(spec.actions[0]!);
		const type = toFieldType({ ...spec.fields.action!, enum: actions });
		const particular = [
			...(spec.actions.length > 1 ? [toMember('action', type, !isDefault)] : []),
			...members.filter((member) => !isCommon(member)),
		];
		const choices = anyOf.map((choice) =>
			use('V', `(${choice.map((one) => toObject([one])).join('|')})`),
		);
		const variant = particular.length ? [use('V', toObject(particular))] : [];
		return [...variant, ...choices].join('&');
	});
	const rest = variants.length > 1 ? [`(${variants.join('|')})`] : variants.filter(Boolean);
	return [use('V', toObject(common)), ...rest].join('&');
}

/** The type that lists all models. */
export const panelTypeName = (media: Media): string => `${toTitle(media)}Fields`;

/** TypeScript with the parameters of each served model: n8n's own types keep one variant of a field. */
export function describePanelTypes(media: Media): string {
	const specs = servedSpecs.filter((spec) => spec.media === media);
	return shareTypes((use) => {
		const byType = new Map<string, string[]>();
		for (const spec of specs) {
			const type = toModelType(spec, use);
			byType.set(type, [...(byType.get(type) ?? []), spec.id]);
		}
		const members = [...byType].map(
			([type, ids]) => `|With<${ids.map((id) => `'${id}'`).join('|')}>&${type}`,
		);
		return `type ${panelTypeName(media)}=\n${members.join('\n')};`;
	});
}

/** What the types of both media are made of. */
export const SHARED_TYPES = [
	"type With<Id> = { model: { __rl: true; mode: 'list' | 'id'; value: Id } };",
	`type Json = ${JSON_TYPE};`,
	`type Added<Fields = {}> = Fields & { ${toMember('extra', toFieldType(EVERY_REQUEST.extra), false)} };`,
].join('\n');
