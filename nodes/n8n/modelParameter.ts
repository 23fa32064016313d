import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import { quote, toTitle } from '../catalog/labels';
import type { ItemReader } from './itemReader';
import { getLiveModels, mergeLive } from './liveModels';
import { filterChoices, listModelChoices } from './modelLocator';

/** The models of the tables, compared with what the gateway offers. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const resource = this.getCurrentNodeParameter('resource');
	const operation = this.getCurrentNodeParameter('operation');
	return await findModels(this, resource, operation, filter);
}

/** For a node with one list of models: that of this place in the menu. */
export const searchModelsOf = (resource: string, operation: string) => ({
	async searchModels(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		return await findModels(this, resource, operation, filter);
	},
});

async function findModels(
	context: ILoadOptionsFunctions,
	resource: unknown,
	operation: unknown,
	filter: string,
): Promise<INodeListSearchResult> {
	const kind = resource === 'task' ? undefined : String(resource);
	const choices = mergeLive(
		listModelChoices(resource, operation),
		await getLiveModels(context),
		kind,
	);
	return { results: filterChoices(choices, filter) };
}

/** The ID, from the list or entered. */
export function readLocator(
	item: ItemReader<IExecuteFunctions | ISupplyDataFunctions>,
	name: string,
): string {
	const located = item.raw(name, '') as string | { value?: unknown } | null;
	const value = (typeof located === 'object' ? located?.value : located) ?? '';
	if (typeof value !== 'object') return String(value).trim();
	throw item.failWith(
		name,
		`${toTitle(name.replace(/Id$/, ''))} must be one ID, but is ${quote(value)}`,
	);
}

export function readModel(item: ItemReader<IExecuteFunctions | ISupplyDataFunctions>): string {
	const id = readLocator(item, 'model');
	if (id) return id;
	throw item.failWith('model', 'Model is empty. Choose one from the list or enter its ID');
}
