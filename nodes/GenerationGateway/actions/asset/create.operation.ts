import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { Issue } from '../../../catalog/validate';
import { joinWords, quote } from '../../../catalog/labels';
import { listAssetModels } from '../../../catalog/modelList';
import { getModelSpec } from '../../../catalog/modelSpec';
import { awaitAsset, createAsset } from '../../../gateway/assets/api';
import { createSignedLink } from '../../../n8n/binary/signedLink';
import { assertAssetUsable, assetToItem } from '../../../n8n/items/asset';
import { readInputFile, inputField } from '../../../n8n/binary/input';
import { InputError, showUnderOperation, type Item, type Operation } from '../../operation';
import {
	concurrency,
	extraBody,
	number,
	readObjectOption,
	optionsCollection,
	simplify,
} from '../../../n8n/options';

interface Plan {
	body: IDataObject;
	file?: { field: string; data: IBinaryData };
	waitMs: number;
	simplify: boolean;
}

const MODELS = listAssetModels();
const [firstModel = ''] = MODELS;
const TYPES = ['image', 'video', 'audio'];
/** Longest source link: spec section 8. */
const LONGEST_LINK = 4096;

function linkIssue(link: string): string | undefined {
	if (!/^https?:\/\/./i.test(link) || !URL.canParse(link))
		return link
			? `${quote(link)} is not a public link; give one that starts with http:// or https://`
			: 'it is empty';
	if (link.length <= LONGEST_LINK) return undefined;
	return `the link has ${link.length} characters, and at most ${LONGEST_LINK} are accepted`;
}

/** Only asset-capable models take assets (spec section 2.4); one that no table knows may be newer than they are. */
function modelIssue(model: string): Issue | undefined {
	if (!model) return { field: 'assetModel', message: 'Model (assetModel) is empty' };
	if (MODELS.includes(model) || getModelSpec(model).unknown) return undefined;
	return {
		field: 'assetModel',
		message: `Model (assetModel): ${model} takes no assets, and ${joinWords(MODELS)} is accepted`,
	};
}

function checked(item: Item, isLink: boolean): IDataObject {
	const text = (name: string) => String(item.get(name, '') ?? '').trim();
	const [model, type, name, link] = ['assetModel', 'assetType', 'name', 'url'].map(text) as [
		string,
		string,
		string,
		string,
	];
	const extra = readObjectOption(item, 'extra_body', 'Extra Body');
	const wrongLink = isLink ? linkIssue(link) : undefined;
	const issues = [
		modelIssue(model),
		TYPES.includes(type)
			? undefined
			: {
					field: 'assetType',
					message: `Type (assetType): ${quote(type)} is given, and ${joinWords(TYPES)} is accepted`,
				},
		wrongLink ? { field: 'url', message: `Link (url): ${wrongLink}` } : undefined,
		extra.issue,
	].filter((issue) => issue !== undefined);
	if (issues.length) throw new InputError(issues);
	return { ...extra.value, model, type, ...(isLink && { url: link }), ...(name && { name }) };
}

/** POST /v1/assets; its body is not shown in the spec (section 4), see docs/decisions. */
export const create: Operation<Plan> = {
	properties: showUnderOperation(
		'asset',
		['create'],
		[
			{
				displayName: 'Model',
				name: 'assetModel',
				type: 'options',
				options: MODELS.map((id) => ({ name: id, value: id })),
				default: firstModel,
				description: 'The model that will use the asset',
			},
			{
				displayName: 'Type',
				name: 'assetType',
				type: 'options',
				options: TYPES.map((type) => ({
					name: type.charAt(0).toUpperCase() + type.slice(1),
					value: type,
				})),
				default: 'image',
				description: 'What kind of file it is',
			},
			{
				displayName: 'Source',
				name: 'source',
				type: 'options',
				options: [
					{
						name: 'Binary File',
						value: 'binary',
						description: 'A file of the workflow, handed over by a signed link to this n8n',
					},
					{ name: 'Link', value: 'url', description: 'A public link' },
				],
				default: 'url',
				description: 'Where the file comes from',
			},
			{
				displayName: 'Link',
				name: 'url',
				type: 'string',
				required: true,
				default: '',
				placeholder: 'e.g. https://example.com/portrait.png',
				description: 'Public link to the file',
				displayOptions: { show: { source: ['url'] } },
			},
			{
				...inputField('The gateway fetches the file from this n8n, so its address must be public'),
				displayOptions: { show: { source: ['binary'] } },
			},
			{
				displayName: 'Name',
				name: 'name',
				type: 'string',
				default: '',
				description: 'How the asset is called in the library',
			},
			{
				displayName: 'Wait',
				name: 'wait',
				type: 'options',
				options: [
					{
						name: 'Do Not Wait',
						value: 'none',
						description: 'Returns the asset while it is under review',
					},
					{ name: 'Until the Review Is Over', value: 'poll' },
				],
				default: 'poll',
				description: 'Whether to wait until the asset can be used',
			},
			optionsCollection([
				concurrency,
				extraBody,
				simplify,
				number(
					'Wait at Most (Seconds)',
					'timeout',
					'A review ends after 24 hours at the latest. After this time the item goes on with the last known state.',
					600,
					1,
				),
			]),
		],
	),
	async plan(item) {
		const isLink = item.get('source', 'url') !== 'binary';
		const body = checked(item, isLink);
		const { options } = item;
		return {
			body,
			file: isLink ? undefined : await readInputFile(item),
			waitMs: item.get('wait', 'poll') === 'poll' ? Number(options.timeout ?? 600) * 1000 : 0,
			simplify: options.simplify !== false,
		};
	},
	async perform({ body, file, waitMs, simplify: isFlat }, { context, client }) {
		const url = file ? { url: await createSignedLink(context, file.field, file.data) } : {};
		const asset = await awaitAsset(client, await createAsset(client, { ...body, ...url }), waitMs);
		assertAssetUsable(asset);
		return [assetToItem(asset, isFlat)];
	},
};
