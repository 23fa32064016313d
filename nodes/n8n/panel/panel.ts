import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { EVERY_REQUEST, type Media } from '../../catalog/families';
import {
	genericModelSpec,
	modelSpecs,
	servedSpecs,
	type KnownModelSpec,
} from '../../catalog/modelSpec';
import { panelTypeName } from './builderTypes';
import { EXPRESSION, joinPanelFields, listPanelFields, type PanelField } from './panelFields';
import { toProperty } from './property';

const idsOf = (specs: readonly KnownModelSpec[]) => specs.map(({ id }) => id);

/** The panel below the model. Each field stands exactly once for any model and action. */
export function panelProperties(media: Media): INodeProperties[] {
	const specs = servedSpecs.filter((spec) => spec.media === media);
	const listed = [...specs, genericModelSpec(media)].flatMap(listPanelFields);
	const names = listed.map(({ property }) => property.name);
	const place = ({ property }: PanelField) => names.indexOf(property.name);
	const all = joinPanelFields(listed);
	const namesakes = ({ property: { name } }: PanelField) =>
		all.filter(({ property }) => property.name === name);
	/** Mode and prompt, then what the mode needs, then the result. */
	const rank = (field: PanelField) => {
		if (['action', 'prompt'].includes(field.property.name)) return 0;
		return namesakes(field).some(({ isInput, property }) => isInput || property.required) ? 1 : 2;
	};
	const fields = [...all].sort((a, b) => rank(a) - rank(b) || place(a) - place(b));
	const withConditions = (field: PanelField): INodeProperties => {
		const { property, models, isGeneric, isOwn, shownUnder, hiddenUnder } = field;
		// Leads to the node's parameters. A form has '/' too: then n8n's editor does not empty it when the model changes.
		const path = field.isPrimary && property.type !== 'fixedCollection' ? '' : '/';
		const [first, second] = namesakes(field);
		const isFirstOfSeveral = first === field && second !== undefined;
		const model = `${path}model`;
		const action = `${path}action`;
		const isShown = !isGeneric && !isOwn;
		const others = idsOf(specs.filter(({ id }) => !models.includes(id)));
		const hide = {
			...(hiddenUnder && { [action]: hiddenUnder }),
			...(!isShown && { [model]: isGeneric ? others : [{ _cnd: { not: models[0]! } }] }),
		};
		return {
			...property,
			...(isFirstOfSeveral && { builderHint: { propertyHint: `See ${panelTypeName(media)}` } }),
			displayOptions: {
				show: {
					...(isShown && { [model]: models.length ? models : [EXPRESSION] }),
					...(shownUnder && { [action]: shownUnder }),
				},
				...(Object.keys(hide).length && { hide }),
			},
		};
	};
	return [
		...listNotices(media),
		...fields.filter((field) => field.isPrimary).map(withConditions),
		{
			displayName: 'Extra Body',
			name: 'extra_body',
			type: 'json',
			default: '{}',
			description:
				'Further parameters, as JSON, e.g. { "duration": 5 }. Fields of the panel replace the same ones here.',
			displayOptions: { hide: { model: idsOf(specs.filter(({ open }) => !open)) } },
		},
		{
			displayName: 'Additional Fields',
			name: 'additionalFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: [
				...fields.filter((field) => !field.isPrimary).map(withConditions),
				toProperty('extra', EVERY_REQUEST.extra, false, false),
			],
		},
	];
}

/**
 * For a model that is no longer served, whose fields are for its fallback models; for one of the other resource, since
 * n8n keeps the model; and for an expression. n8n takes an expression for every model in a `show`, so the notices of
 * single models have a `hide`.
 */
function listNotices(media: Media): INodeProperties[] {
	const kind = media === 'image' ? 'an image' : 'a video';
	const toNotice = (displayName: string, displayOptions: IDisplayOptions): INodeProperties => ({
		displayName,
		name: 'modelNotice',
		type: 'notice',
		default: '',
		displayOptions,
	});
	const others = modelSpecs.filter((spec) => spec.media !== media);
	const choose = `Choose ${kind} model from the list. For a model by expression, use Task > Submit a Task.`;
	const retired = modelSpecs.flatMap(({ id, deprecated, media: made }) => {
		if (!deprecated || made !== media) return [];
		const { replacement = 'another model' } = deprecated;
		const text = `This model is no longer served. Use ${replacement}.`;
		return [toNotice(text, { hide: { model: [{ _cnd: { not: id } }] } })];
	});
	return [toNotice(choose, { show: { model: idsOf(others) } }), ...retired];
}
