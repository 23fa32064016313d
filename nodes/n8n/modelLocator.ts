import type { INodeListSearchItems, INodeProperties } from 'n8n-workflow';
import {
	EMBEDDING_MODELS,
	AUDIO_MODELS,
	textEndpoints,
	type Media,
	type TextEndpointId,
} from '../catalog/families';
import { listServedModels } from '../catalog/modelList';

/** What a model is chosen for. */
export type ModelPurpose = Media | TextEndpointId | 'task' | 'audio' | 'embedding';

/** The model that a new node has: for media the cheapest, so that a first try costs little. */
const DEFAULTS: Record<ModelPurpose, string> = {
	image: 'gmn-2.5-flash-image-preview',
	video: 'gx-imagine-1.0-video',
	task: '',
	chat: 'gp-5-mini',
	respond: 'gp-5-mini',
	message: 'cld-haiku-4.5',
	generateContent: 'gmn-2.5-flash',
	audio: AUDIO_MODELS[0],
	embedding: EMBEDDING_MODELS[0],
};

const isMedia = (purpose: string): purpose is Media => purpose === 'image' || purpose === 'video';

/** The choice of a model. In a panel its fields depend on it, so there it cannot be an expression. */
export function modelLocator(purpose: ModelPurpose): INodeProperties {
	const model = DEFAULTS[purpose];
	return {
		displayName: 'Model',
		name: 'model',
		type: 'resourceLocator',
		required: true,
		...(isMedia(purpose) && { noDataExpression: true }),
		default: { mode: 'list', value: model, cachedResultName: model },
		description: isMedia(purpose)
			? 'The model to run, whose fields follow below. To choose a model by expression, use Task > Submit.'
			: 'The model to run; an expression may choose it',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: 'searchModels', searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: `e.g. ${model || 'clipk-v3'}`,
			},
		],
	};
}

const toItems = (ids: readonly string[]): INodeListSearchItems[] =>
	ids.map((id) => ({ name: id, value: id }));

/** The models to choose from in one place of the menu, filtered by words of their IDs. */
export function findModels(
	resource: unknown,
	operation: unknown,
	filter = '',
): INodeListSearchItems[] {
	const words = filter.toLowerCase().split(/\s+/);
	return listModels(resource, operation).filter(({ value }) =>
		words.every((word) => String(value).toLowerCase().includes(word)),
	);
}

function listModels(resource: unknown, operation: unknown): INodeListSearchItems[] {
	if (resource === 'audio') return toItems(AUDIO_MODELS);
	if (resource === 'embedding') return toItems(EMBEDDING_MODELS);
	if (resource === 'text') return toItems(textEndpoints[operation as TextEndpointId]?.models ?? []);
	const media = isMedia(String(resource)) ? (resource as Media) : undefined;
	return listServedModels(media).map(({ id, price }) => ({
		name: id,
		value: id,
		description: price,
	}));
}
