import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { assetPage } from '../gateway/assets/api';
import { createClient } from '../gateway/client';
import type { Asset } from '../gateway/assets/schema';
import { InputError, type Item } from '../GenerationGateway/operation';

/** One page of the editor's list. */
const PAGE = 100;

export const assetId: INodeProperties = {
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

/** The asset an item names: an ID, also out of `asset://ID`. */
export function readAssetId(item: Item): string {
	const located = item.get('assetId', '') as string | { value?: unknown } | null;
	const given = typeof located === 'object' ? located?.value : located;
	const id = String(given ?? '')
		.trim()
		.replace(/^asset:\/\//, '');
	if (/^[\w.-]+$/.test(id)) return id;
	const says = id ? `${JSON.stringify(id)} is not an ID` : 'it is empty';
	throw new InputError([
		{ field: 'assetId', message: `Asset (assetId): ${says}. IDs of assets begin with ast_` },
	]);
}

const titleOf = ({ name, id, type, status }: Asset) =>
	`${name || id} (${[type, status].filter(Boolean).join(', ')})`;

async function page(
	host: ILoadOptionsFunctions,
	offset: number,
): Promise<{ assets: Asset[]; size: number }> {
	return await assetPage(createClient(host, { concurrency: 1 }), PAGE, offset);
}

/** The account's assets for a list in the editor, newest first. */
export async function searchAssets(
	this: ILoadOptionsFunctions,
	filter = '',
	token = '0',
): Promise<INodeListSearchResult> {
	const offset = Number(token);
	const { assets, size } = await page(this, offset);
	const wanted = filter.toLowerCase();
	const results = assets
		.map((asset) => ({ name: titleOf(asset), value: asset.id }))
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
	return { results, paginationToken: size < PAGE ? undefined : String(offset + PAGE) };
}

/** Active assets of one kind, as references for a panel of an asset-aware model. */
async function references(
	host: ILoadOptionsFunctions,
	type: string,
): Promise<INodePropertyOptions[]> {
	const { assets } = await page(host, 0);
	return assets
		.filter((asset) => asset.status === 'active' && asset.type === type)
		.map((asset) => ({ name: titleOf(asset), value: asset.assetUrl ?? `asset://${asset.id}` }));
}

export const assetReferences = {
	async getImageAssets(this: ILoadOptionsFunctions) {
		return await references(this, 'image');
	},
	async getVideoAssets(this: ILoadOptionsFunctions) {
		return await references(this, 'video');
	},
	async getAudioAssets(this: ILoadOptionsFunctions) {
		return await references(this, 'audio');
	},
};
