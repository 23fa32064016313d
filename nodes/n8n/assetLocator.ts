import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { listAssets } from '../gateway/assets/api';
import type { Asset } from '../gateway/assets/schema';
import { createNodeClient } from './gatewayContext';
import type { ItemReader } from './itemReader';
import { readLocator } from './modelParameter';
import { isExpression } from './outsideNames';

export const assetIdProperty: INodeProperties = {
	displayName: 'Asset',
	name: 'assetId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The asset of the library',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchAssets', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. ast_01h8' },
	],
};

/** An ID, or `asset://ID`. */
export function readAssetId(item: ItemReader): string {
	const id = readLocator(item, 'assetId').replace(/^asset:\/\//, '');
	if (/^[\w.-]+$/.test(id) && !/^\.+$/.test(id)) return id;
	throw item.failWith(
		'assetId',
		id
			? `Asset must be an ID that begins with ast_, but is ${JSON.stringify(id)}`
			: 'Asset is empty. Choose one from the list or enter its ID',
	);
}

const titleOf = ({ name, id, model, type, status }: Asset) =>
	`${name || id} (${[model, type, status].filter(Boolean).join(', ')})`;

/** Someone looks at the list. */
const LONGEST_WAIT_MS = 30_000;

const createListClient = (node: ILoadOptionsFunctions) =>
	createNodeClient(node, { concurrency: 1, longestWaitMs: LONGEST_WAIT_MS });

const isOffered = ({ id, asset_url }: Asset) => ![id, asset_url ?? ''].some(isExpression);

/** Of the list. An account holds 500 assets, and failed ones beside them. */
const MOST_LISTED = 1_000;

/** Newest first. */
const listOffered = async (node: ILoadOptionsFunctions): Promise<Asset[]> =>
	(await listAssets(createListClient(node), MOST_LISTED)).filter(isOffered);

export async function searchAssets(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const results = (await listOffered(this))
		.map((asset) => ({ name: titleOf(asset), value: asset.id }))
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(filter.toLowerCase()));
	return { results };
}

/** Lists the active assets of one type, as references. */
const listReferences = (type: string) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		return (await listOffered(this))
			.filter((asset) => asset.status === 'active' && asset.type === type)
			.map((asset) => ({ name: titleOf(asset), value: asset.asset_url ?? `asset://${asset.id}` }));
	};

export const assetReferences = {
	getImageAssets: listReferences('image'),
	getVideoAssets: listReferences('video'),
	getAudioAssets: listReferences('audio'),
};
