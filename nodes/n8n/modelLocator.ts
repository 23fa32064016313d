import type { INodeListSearchItems, INodeProperties } from 'n8n-workflow';
import {
	EMBEDDING_MODELS,
	AUDIO_MODELS,
	textEndpoints,
	type Media,
	type TextEndpointId,
} from '../catalog/families';
import { listServedModels, type ServedModel } from '../catalog/modelList';
import { locatorModes } from './options';

type ModelPurpose = Media | TextEndpointId | 'task' | 'tool' | 'audio' | 'embedding';

/** Of a new node: the cheapest one, for a first try. */
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

const isMedia = (purpose: unknown): purpose is Media => purpose === 'image' || purpose === 'video';

/** In a panel, fields depend on the model, so it cannot be an expression. */
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
				'Its fields are below. To choose a model by expression, use Task > Submit a Task.',
		}),
		default: { mode: 'list', value: model, cachedResultName: model },
		// Without a credential it lists the models of the tables.
		...locatorModes(
			{ searchListMethod: 'searchModels', searchable: true, skipCredentialsCheckInRLC: true },
			model || 'clipk-v3',
		),
	};
}

/** The price is empty where it is not known. */
export type ListedChoice = Omit<ServedModel, 'family' | 'price'> & { price?: string };

const toChoices = (ids: readonly string[]): ListedChoice[] =>
	ids.map((id) => ({ id, abilities: '', searchText: id.toLowerCase() }));

/** The models for one place of the menu, the default first. */
export function listModelChoices(resource: unknown, operation: unknown): ListedChoice[] {
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
	return listServedModels(isMedia(resource) ? resource : undefined);
}

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
