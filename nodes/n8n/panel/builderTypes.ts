import { getParameter, toTitle } from '../../catalog/labels';
import { EVERY_REQUEST, type Media } from '../../catalog/families';
import { servedSpecs, type KnownModelSpec } from '../../catalog/modelSpec';
import { isPrimary, isVisible, listRequired, listRequirements } from '../../catalog/visibility';
import { listAssetPickers } from './assetPickers';
import { JSON_TYPE, toFieldType, toMember, toObject } from './fieldTypes';

type PanelType = ReturnType<typeof toPanelType>;

/** What a model's panel takes under an action, as members of a TypeScript type. Additional Fields are one member. */
function toPanelType(spec: KnownModelSpec, action: string) {
	const member = (name: string, needed: boolean) => {
		const field = spec.fields[name]!;
		return toMember(getParameter(name, field), toFieldType(field, spec.open), needed);
	};
	/** One of Additional Fields needs that collection as well. */
	const neededMember = (name: string) =>
		isPrimary(spec, name)
			? member(name, true)
			: toMember('additionalFields', toAdded([member(name, true)]), true);
	const names = Object.keys(spec.fields).filter(
		(name) => name !== 'action' && isVisible(spec, name, action),
	);
	const required = listRequired(spec, action);
	const isNeeded = (name: string) => required.includes(name);
	const added = names.filter((name) => !isPrimary(spec, name));
	// A member of its own: the other fields may be the same under all actions.
	const pickers = listAssetPickers(spec.fields)
		.filter(({ target }) => names.includes(target))
		.map(({ name, isList }) => toMember(name, isList ? 'string[]' : 'string', false));
	const additional = toAdded(added.map((name) => member(name, isNeeded(name))));
	const members = [
		...names.filter((name) => isPrimary(spec, name)).map((name) => member(name, isNeeded(name))),
		...(spec.open ? [toMember('extra_body', 'Json', false)] : []),
		toMember('additionalFields', additional, added.some(isNeeded)),
		...(pickers.length ? [toMember('additionalFields', toAdded(pickers), false)] : []),
	];
	return {
		actions: [action],
		members,
		/** One member of each list is needed. */
		anyOf: listRequirements(spec, action)
			.filter((choice) => choice.length > 1)
			.map((choice) => choice.filter((name) => names.includes(name)).map(neededMember)),
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

/** Without the model, so that models can share it. */
function toModelType(spec: KnownModelSpec): string {
	const types = mergeActions(spec.actions.map((action) => toPanelType(spec, action)));
	const isCommon = (member: string) => types.every(({ members }) => members.includes(member));
	const common = types[0]!.members.filter(isCommon);
	const variants = types.map(({ actions, members, anyOf }) => {
		const isDefault = actions.includes(spec.actions[0]!);
		const type = toFieldType({ ...spec.fields.action!, enum: actions });
		const particular = [
			...(spec.actions.length > 1 ? [toMember('action', type, !isDefault)] : []),
			...members.filter((member) => !isCommon(member)),
		];
		const choices = anyOf.map((choice) => `(${choice.map((one) => toObject([one])).join('|')})`);
		const variant = particular.length ? [toObject(particular)] : [];
		return [...variant, ...choices].join('&');
	});
	const rest = variants.length > 1 ? [`(${variants.join('|')})`] : variants.filter(Boolean);
	return [toObject(common), ...rest].join('&');
}

/** The type that lists all models. */
export const panelTypeName = (media: Media): string => `${toTitle(media)}Fields`;

/** TypeScript with the parameters of each served model: n8n's own types keep one variant of a field. */
export function describePanelTypes(media: Media): string {
	const byType = new Map<string, string[]>();
	for (const spec of servedSpecs.filter((served) => served.media === media)) {
		const type = toModelType(spec);
		byType.set(type, [...(byType.get(type) ?? []), spec.id]);
	}
	const members = [...byType].map(
		([type, ids]) => `|With<${ids.map((id) => `'${id}'`).join('|')}>&${type}`,
	);
	return `type ${panelTypeName(media)}=\n${members.join('\n')};`;
}

/** What the types of both media are made of. */
export const SHARED_TYPES = [
	"type With<Id> = { model: { __rl: true; mode: 'list' | 'id'; value: Id } };",
	`type Json = ${JSON_TYPE};`,
	`type Added<Fields = {}> = Fields & { ${toMember('extra', toFieldType(EVERY_REQUEST.extra), false)} };`,
].join('\n');
