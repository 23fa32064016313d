import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import { quote } from '../catalog/labels';
import { fieldError } from './inputError';
import type { ItemReader } from './itemReader';
import { findModels } from './modelLocator';

/** The list of models comes from the tables, so it is there before a credential is. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const resource = this.getCurrentNodeParameter('resource');
	const operation = this.getCurrentNodeParameter('operation');
	return { results: findModels(resource, operation, filter) };
}

/** What a resource locator holds: both ways to name something give its ID. */
export function readLocator(
	item: ItemReader | ItemReader<ISupplyDataFunctions>,
	name: string,
): string {
	const located = item.raw(name, '') as string | { value?: unknown } | null;
	const value = (typeof located === 'object' ? located?.value : located) ?? '';
	return (typeof value === 'object' ? quote(value) : String(value)).trim();
}

/** The model an item asks for. */
export function readModel(item: ItemReader | ItemReader<ISupplyDataFunctions>): string {
	const id = readLocator(item, 'model');
	if (id) return id;
	throw fieldError('model', 'Model is empty. Choose one from the list or enter its ID');
}
