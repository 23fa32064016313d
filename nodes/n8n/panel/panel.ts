import type { INodeProperties } from 'n8n-workflow';
import { EVERY_REQUEST, type Media } from '../../catalog/families';
import { getParameter, joinWords } from '../../catalog/labels';
import {
	genericModelSpec,
	modelSpecs,
	servedSpecs,
	type KnownModelSpec,
} from '../../catalog/modelSpec';
import { panelTypeName } from './builderTypes';
import { joinPanelFields, listPanelFields, type PanelField } from './panelFields';
import { toProperty } from './property';

/**
 * A hidden parameter: the table of the chosen model is complete. Fields refer to it instead of repeating the
 * list of models. Each panel has its own, because n8n applies the default of a single one where it is not
 * shown.
 */
const COMPLETE = 'isComplete';
const idsOf = (specs: readonly KnownModelSpec[]) => specs.map(({ id }) => id);

const open = servedSpecs.filter((spec) => spec.open);
const closed = servedSpecs.filter((spec) => !open.includes(spec));

const ACTIONS = [...new Set(modelSpecs.flatMap(({ actions }) => actions))];
const EXPRESSION = { _cnd: { startsWith: '=' } };

/**
 * Under which actions a field is shown. n8n shows what depends on an expression in any case, so a field that
 * is required under some actions is then shown once, without its mark.
 */
function actionConditions(
	{ actions, marked }: PanelField,
	path: '' | '/',
): NonNullable<INodeProperties['displayOptions']> {
	if (!actions) return {};
	const name = `${path}action`;
	const { offered, others } = actions;
	if (marked === 'elsewhere') return { hide: { [name]: others } };
	if (marked !== 'here') return { show: { [name]: offered.length ? offered : [EXPRESSION] } };
	const [one, ...more] = offered;
	const hidden = ACTIONS.filter((action) => !offered.includes(action));
	return { hide: { [name]: more.length ? [...hidden, EXPRESSION] : [{ _cnd: { not: one! } }] } };
}

/** The panel below the model. Each field stands exactly once for any model and action. */
export function panelProperties(media: Media): INodeProperties[] {
	const specs = servedSpecs.filter((spec) => spec.media === media);
	const all = joinPanelFields([...specs, genericModelSpec(media)].flatMap(listPanelFields));
	const names = specs.flatMap(({ fields }) =>
		Object.entries(fields).map(([name, field]) => getParameter(name, field)),
	);
	const place = ({ property: { name } }: PanelField) =>
		names.includes(name) ? names.indexOf(name) : names.length;
	const namesakes = ({ property: { name } }: PanelField) =>
		all.filter(({ property }) => property.name === name);
	const isNeeded = ({ marked, isInput, property }: PanelField) =>
		marked ?? (isInput || property.required);
	/** Mode and prompt, then what the mode needs, then the result. */
	const rank = (field: PanelField) => {
		if (['action', 'prompt'].includes(field.property.name)) return 0;
		return namesakes(field).some(isNeeded) ? 1 : 2;
	};
	const fields = [...all].sort((a, b) => rank(a) - rank(b) || place(a) - place(b));
	/** `path` leads to the node's parameters: '' at the top level, '/' in a collection. */
	const withConditions = (field: PanelField, path: '' | '/'): INodeProperties => {
		const { property, models, isGeneric, isOpen, marked } = field;
		const [first, ...others] = namesakes(field);
		const isFirstOfSeveral = first === field && others.length > 0;
		const withoutField = (specs: readonly KnownModelSpec[]) =>
			idsOf(specs.filter((spec) => spec.media === media && !models.includes(spec.id)));
		// n8n has no condition for "any other model". Where most models have the field, the others hide it.
		const hiddenFor = withoutField(isGeneric ? open : closed);
		const { show, hide: hidden } = actionConditions(field, path);
		// While an expression chooses the model, n8n shows what is shown by model, and asks for it if required.
		const unless = marked === 'here' ? [...hiddenFor, EXPRESSION] : hiddenFor;
		const isUsual =
			!isGeneric && !isOpen && !show && (marked === 'here' || hiddenFor.length < models.length);
		const hide = {
			...hidden,
			...(isGeneric && { [`${path}${COMPLETE}`]: [true] }),
			...((isGeneric || isUsual) && unless.length && { [`${path}model`]: unless }),
		};
		return {
			...property,
			...(isFirstOfSeveral && { builderHint: { propertyHint: `See ${panelTypeName(media)}` } }),
			displayOptions: {
				show: {
					...(!isGeneric &&
						(isUsual ? { [`${path}${COMPLETE}`]: [true] } : { [`${path}model`]: models })),
					...show,
				},
				...(Object.keys(hide).length && { hide }),
			},
		};
	};
	return [
		...deprecationNotices(media),
		{
			displayName: 'Complete',
			name: COMPLETE,
			type: 'hidden',
			default: true,
			displayOptions: {
				show: { model: idsOf(closed.filter((spec) => spec.media === media)) },
			},
		},
		...fields.filter((field) => field.isPrimary).map((field) => withConditions(field, '')),
		{
			displayName: 'Extra Body',
			name: 'extra_body',
			type: 'json',
			default: '{}',
			description: 'Further parameters, as JSON, e.g. { "duration": 5 }. Fields of this panel win.',
			displayOptions: { hide: { [COMPLETE]: [true] } },
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
		},
	];
}

/** For workflows with a model that is no longer served. The fields below it are for its fallback models. */
function deprecationNotices(media: Media): INodeProperties[] {
	const ids = new Map<string, string[]>();
	for (const { id, deprecated, media: of } of modelSpecs) {
		if (of !== media || !deprecated) continue;
		const replacement = deprecated.replacement ?? 'another model';
		ids.set(replacement, [...(ids.get(replacement) ?? []), id]);
	}
	return [...ids].map(([replacement, models]) => ({
		displayName: `${joinWords(models, 'and')} ${models.length > 1 ? 'are' : 'is'} no longer served. Use ${replacement}.`,
		name: 'deprecationNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { model: models } },
	}));
}
