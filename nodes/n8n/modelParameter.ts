import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { textOf } from '../catalog/labels';
import { modelsFor } from './modelLocator';
import { InputIssue, type Item } from '../GenerationGateway/operation';

/** The list of models comes from the tables, so it is there before a credential is. */
export async function searchModels(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
  const [resource, operation] = ['resource', 'operation'].map((name) => this.getCurrentNodeParameter(name));
  return { results: modelsFor(resource, operation, filter) };
}

/** The model an item asks for; both ways to name one give its id. */
export function modelOf(item: Item): string {
  const located = item.get('model', '') as string | { value?: unknown } | null;
  const id = textOf((typeof located === 'object' ? located?.value : located) ?? '').trim();
  if (id) return id;
  throw new InputIssue([{ field: 'model', message: 'Model (model) is empty. Choose one from the list or enter its ID' }]);
}
