import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { toText } from '../catalog/labels';
import { findModels } from './modelLocator';
import { InputError, type Item } from '../GenerationGateway/operation';

/** The list of models comes from the tables, so it is there before a credential is. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const [resource, operation] = ['resource', 'operation'].map((name) =>
		this.getCurrentNodeParameter(name),
	);
	return { results: findModels(resource, operation, filter) };
}

/** The model an item asks for; both ways to name one give its id. */
export function readModel(item: Item): string {
	const located = item.get('model', '') as string | { value?: unknown } | null;
	const id = toText((typeof located === 'object' ? located?.value : located) ?? '').trim();
	if (id) return id;
	throw new InputError([
		{ field: 'model', message: 'Model (model) is empty. Choose one from the list or enter its ID' },
	]);
}
