import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { isAssetReference } from '../catalog/links';
import { getAssetPage, listAssets, LONGEST_PAGE } from '../gateway/assets/api';
import type { Asset } from '../gateway/assets/schema';
import { createNodeClient } from './gatewayContext';
import type { ItemReader } from './itemReader';
import { readLocator } from './modelParameter';
import { locatorModes } from './options';
import { isExpression } from './outsideNames';

export const assetIdProperty: INodeProperties = {
	displayName: 'Asset',
	name: 'assetId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The asset of the library. New ones come from Asset > Create.',
	...locatorModes({ searchListMethod: 'searchAssets', searchable: true }, 'ast_01h8'),
};

/** An ID, or `asset://ID`. */
export function readAssetId(item: ItemReader): string {
	const id = readLocator(item, 'assetId').replace(/^asset:\/\//, '');
	if (isAssetReference(`asset://${id}`) && !/^\.+$/.test(id)) return id;
	throw item.failWith(
		'assetId',
		id
			? `Asset must be an ID, e.g. ast_01h8, but is ${JSON.stringify(id)}`
			: 'Asset is empty. Choose one from the list or enter its ID',
	);
}

/** Several assets may have one name. */
const titleOf = ({ name, id }: Asset, ...facts: unknown[]) =>
	`${name || id} (${[...facts, name && `…${id.slice(-4)}`].filter(Boolean).join(', ')})`;

/** Someone looks at the list. */
const LONGEST_WAIT_MS = 30_000;

const createListClient = (node: ILoadOptionsFunctions) =>
	createNodeClient(node, { concurrency: 1, longestWaitMs: LONGEST_WAIT_MS });

const isOffered = ({ id, asset_url, name }: Asset) =>
	![id, asset_url ?? '', name ?? ''].some(isExpression);

/** For one search. An account holds 500 assets, and failed ones beside them. */
const MOST_PAGES = 10;

/** The account's assets, newest first. A search goes on until a page has a match. */
export async function searchAssets(
	this: ILoadOptionsFunctions,
	filter = '',
	token = '0',
): Promise<INodeListSearchResult> {
	const client = createListClient(this);
	const wanted = filter.toLowerCase();
	for (let page = 1, offset = Number(token); ; page += 1) {
		const { assets, size } = await getAssetPage(client, LONGEST_PAGE, offset);
		const results = assets
			.filter(isOffered)
			.map((asset) => ({
				name: titleOf(asset, asset.model, asset.type, asset.status),
				value: asset.id,
			}))
			.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
		offset += LONGEST_PAGE;
		const isLast = size < LONGEST_PAGE;
		if (results.length || isLast || page === MOST_PAGES)
			return { results, paginationToken: isLast ? undefined : String(offset) };
	}
}

/** Lists the active assets of one type, as references. */
const listReferences = (type: string) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const assets = await listAssets(createListClient(this), MOST_PAGES * LONGEST_PAGE);
		return assets
			.filter((asset) => isOffered(asset) && asset.status === 'active' && asset.type === type)
			.map((asset) => ({
				name: titleOf(asset, asset.model),
				value: asset.asset_url ?? `asset://${asset.id}`,
			}));
	};

export const assetReferences = {
	getImageAssets: listReferences('image'),
	getVideoAssets: listReferences('video'),
	getAudioAssets: listReferences('audio'),
};
