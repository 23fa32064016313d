import type { INodeListSearchItems, INodeProperties } from 'n8n-workflow';
import {
	EMBEDDING_MODELS,
	SPEECH_MODELS,
	textEndpoints,
	type Media,
	type TextEndpointId,
} from '../catalog/families';
import { listServedModels } from '../catalog/modelList';

/** What a model is chosen for. */
export type ModelPurpose = Media | TextEndpointId | 'task' | 'audio' | 'embedding';

/** What a new node starts with: for media the cheapest, so that a first try costs little. */
const FIRST: Record<ModelPurpose, string> = {
	image: 'gmn-2.5-flash-image-preview',
	video: 'gx-imagine-1.0-video',
	task: '',
	chat: 'gp-5-mini',
	respond: 'gp-5-mini',
	message: 'cld-haiku-4.5',
	generateContent: 'gmn-2.5-flash',
	audio: SPEECH_MODELS[0],
	embedding: EMBEDDING_MODELS[0],
};

const isMedia = (purpose: string): purpose is Media => purpose === 'image' || purpose === 'video';

/** The choice of a model. In a panel its fields follow it, so there it cannot be an expression. */
export function modelLocator(purpose: ModelPurpose): INodeProperties {
	const first = FIRST[purpose];
	return {
		displayName: 'Model',
		name: 'model',
		type: 'resourceLocator',
		required: true,
		...(isMedia(purpose) && { noDataExpression: true }),
		default: { mode: 'list', value: first, cachedResultName: first },
		description: isMedia(purpose)
			? 'The fields below are the ones this model takes. To choose a model by expression, use Task > Submit.'
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
				placeholder: `e.g. ${first || 'clipk-v3'}`,
			},
		],
	};
}

const named = (ids: readonly string[]): INodeListSearchItems[] =>
	ids.map((id) => ({ name: id, value: id }));

/** The models to choose from in one place of the menu, filtered by words of their IDs. */
export function findModels(
	resource: unknown,
	operation: unknown,
	filter = '',
): INodeListSearchItems[] {
	const words = filter.toLowerCase().split(/\s+/);
	return listed(resource, operation).filter(({ value }) =>
		words.every((word) => String(value).toLowerCase().includes(word)),
	);
}

function listed(resource: unknown, operation: unknown): INodeListSearchItems[] {
	if (resource === 'audio') return named(SPEECH_MODELS);
	if (resource === 'embedding') return named(EMBEDDING_MODELS);
	if (resource === 'text') return named(textEndpoints[operation as TextEndpointId]?.models ?? []);
	const media = isMedia(String(resource)) ? (resource as Media) : undefined;
	return listServedModels(media).map(({ id, price }) => ({
		name: id,
		value: id,
		description: price,
	}));
}
