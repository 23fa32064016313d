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
export type ModelPurpose = Media | TextEndpointId | 'task' | 'tool' | 'audio' | 'embedding';

/** The model that a new node has: for media the cheapest, so that a first try costs little. */
const DEFAULTS: Record<ModelPurpose, string> = {
	image: 'gmn-2.5-flash-image-preview',
	video: 'gx-imagine-1.0-video',
	task: '',
	tool: 'gmn-2.5-flash-image-preview',
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
		...(isMedia(purpose) && {
			noDataExpression: true,
			description:
				'Its fields follow below. To choose a model by expression, use Task > Submit a Task.',
		}),
		default: { mode: 'list', value: model, cachedResultName: model },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: {
					searchListMethod: 'searchModels',
					searchable: true,
					// The tables are there before a credential is.
					skipCredentialsCheckInRLC: true,
				},
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

/** A model as the list shows it. */
export interface ListedChoice {
	id: string;
	/** What stands behind the ID; empty where nothing is known. */
	price?: string;
	abilities: string;
	/** What the filter searches. */
	searchText: string;
}

const toChoices = (ids: readonly string[]): ListedChoice[] =>
	ids.map((id) => ({ id, abilities: '', searchText: id.toLowerCase() }));

/** The models of the tables to choose from in one place of the menu: the default first. */
export function listChoices(resource: unknown, operation: unknown): ListedChoice[] {
	const purpose = String(resource === 'text' ? operation : resource) as ModelPurpose;
	const choices = listOf(resource, operation);
	const isDefault = ({ id }: ListedChoice) => id === DEFAULTS[purpose];
	return [...choices.filter(isDefault), ...choices.filter((choice) => !isDefault(choice))];
}

function listOf(resource: unknown, operation: unknown): ListedChoice[] {
	if (resource === 'audio') return toChoices(AUDIO_MODELS);
	if (resource === 'embedding') return toChoices(EMBEDDING_MODELS);
	if (resource === 'text')
		return toChoices(textEndpoints[operation as TextEndpointId]?.models ?? []);
	const media = isMedia(String(resource)) ? (resource as Media) : undefined;
	return listServedModels(media);
}

/** The choices that hold every word of the filter, as n8n's list takes them. */
export function filterChoices(
	choices: readonly ListedChoice[],
	filter = '',
): INodeListSearchItems[] {
	const words = filter.toLowerCase().split(/\s+/);
	return choices
		.filter(({ searchText }) => words.every((word) => searchText.includes(word)))
		.map(({ id, price, abilities }) => {
			const name = [id, price, abilities].filter(Boolean).join(' · ');
			return { name, value: id };
		});
}
