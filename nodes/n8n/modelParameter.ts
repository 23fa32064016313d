import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { quote, toTitle } from '../catalog/labels';
import type { ModelKind } from '../catalog/listedKinds';
import { findKindProblem, getModelKind } from '../catalog/modelSpec';
import type { ItemReader, NodeContext } from './itemReader';
import { getLiveModels, mergeLive } from './liveModels';
import { filterChoices, listModelChoices } from './modelLocator';

/** The models of the tables, compared with the gateway's. `place`: in the menu; default: where the node is. */
export const searchModelsOf = (place?: { resource: string; operation: string }) => ({
	async searchModels(this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		const resource = place?.resource ?? this.getCurrentNodeParameter('resource');
		const operation = place?.operation ?? this.getCurrentNodeParameter('operation');
		const kind = resource === 'task' ? undefined : String(resource);
		const choices = listModelChoices(resource, operation);
		const merged = mergeLive(choices, await getLiveModels(this), kind);
		return { results: filterChoices(merged, filter) };
	},
});

/** The ID, from the list or entered. */
export function readLocator(item: ItemReader<NodeContext>, name: string): string {
	const located = item.raw(name, '') as string | { value?: unknown } | null;
	const value = (typeof located === 'object' ? located?.value : located) ?? '';
	// Half a character cannot be sent, and n8n has not evaluated an expression that is left.
	if (typeof value !== 'object' && !/\p{Cs}|\{\{/u.test(String(value))) return String(value).trim();
	throw item.failWith(
		name,
		`${toTitle(name.replace(/Id$/, ''))} must be one ID, but is ${quote(value)}`,
	);
}

/** A model that is known to be of another kind is an issue. */
export function readModel(item: ItemReader<NodeContext>, ...kinds: ModelKind[]): string {
	const id = readLocator(item, 'model');
	if (!id) throw item.failWith('model', 'Model is empty. Choose one from the list or enter its ID');
	const problem = findKindProblem(id, kinds);
	if (!problem) return id;
	const orResource =
		item.raw('resource', '') && `, or set Resource to ${toTitle(getModelKind(id)!)}`;
	item.addIssue('model', `Model ${id} ${problem}. Choose another one${orResource}`);
	return id;
}
