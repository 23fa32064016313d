import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import { quote } from '../catalog/labels';
import type { ItemReader } from './itemReader';
import { getLiveModels, mergeLive } from './liveModels';
import { filterChoices, listChoices } from './modelLocator';

/** The models to choose from: those of the tables, which are there before a credential is, held against what the gateway offers. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const resource = this.getCurrentNodeParameter('resource');
	const operation = this.getCurrentNodeParameter('operation');
	return await findModels(this, resource, operation, filter);
}

/** The same for a node that has one place for models. */
export async function findModels(
	context: ILoadOptionsFunctions,
	resource: unknown,
	operation: unknown,
	filter: string,
): Promise<INodeListSearchResult> {
	const kind = resource === 'task' ? undefined : String(resource);
	const choices = mergeLive(listChoices(resource, operation), await getLiveModels(context), kind);
	return { results: filterChoices(choices, filter) };
}

/** What a resource locator holds: both ways to name something give its ID. */
export function readLocator(
	item: ItemReader<IExecuteFunctions | ISupplyDataFunctions>,
	name: string,
): string {
	const located = item.raw(name, '') as string | { value?: unknown } | null;
	const value = (typeof located === 'object' ? located?.value : located) ?? '';
	return (typeof value === 'object' ? quote(value) : String(value)).trim();
}

/** The model an item asks for. */
export function readModel(item: ItemReader<IExecuteFunctions | ISupplyDataFunctions>): string {
	const id = readLocator(item, 'model');
	if (id) return id;
	throw item.failWith('model', 'Model is empty. Choose one from the list or enter its ID');
}
