import { listAssetModels } from '../../../catalog/modelList';
import { joinWords, quote, toTitle } from '../../../catalog/labels';
import { isHttpLink } from '../../../catalog/links';
import { getModelKind } from '../../../catalog/modelSpec';
import { awaitAsset, createAsset, findAsset } from '../../../gateway/assets/api';
import {
	inputFieldParameter,
	keyOfFile,
	readInputFile,
	type InputFile,
} from '../../../n8n/binary/input';
import { isOtherMedia } from '../../../n8n/binary/mediaTypes';
import { createSignedLink } from '../../../n8n/binary/signedLink';
import type { ItemReader } from '../../../n8n/itemReader';
import { assertAssetUsable, assetToItem } from '../../../n8n/items/asset';
import {
	concurrency,
	extraBody,
	offerWhen,
	optionsCollection,
	simplify,
} from '../../../n8n/options';
import { choiceParameter, numberParameter, textParameter } from '../../../n8n/parameters';
import type { Operation, Run } from '../../operation';

const MODELS = listAssetModels();
const TYPES = ['image', 'video', 'audio'] as const;
/** Longest source link: spec section 8. */
const LONGEST_LINK = 4096;

const assetModel = textParameter({
	name: 'assetModel',
	displayName: 'Model',
	description: 'The model that will use the asset',
});
const modelProperty = {
	...assetModel.property,
	type: 'options' as const,
	options: MODELS.map((id) => ({ name: id, value: id })),
	default: MODELS[0] ?? '',
};
const assetType = choiceParameter({
	name: 'assetType',
	displayName: 'Type',
	options: TYPES.map((type) => ({ name: toTitle(type), value: type })),
	fallback: 'image',
	description: 'What kind of file it is',
});
const source = choiceParameter({
	name: 'source',
	displayName: 'Source',
	options: [
		{
			name: 'Binary File',
			value: 'binary',
			description: 'A file of the workflow, handed over by a signed link to this n8n',
		},
		{ name: 'Link', value: 'url', description: 'A public link' },
	],
	fallback: 'url',
	description: 'Where the file is',
});
const url = textParameter({
	name: 'url',
	displayName: 'Link',
	required: true,
	placeholder: 'e.g. https://example.com/portrait.png',
	description: 'Public link to the file',
	displayOptions: { show: { source: ['url'] } },
});
const name = textParameter({
	name: 'name',
	displayName: 'Name',
	placeholder: 'e.g. Portrait of Ada',
	description: 'What the asset is called in the library',
});
const wait = choiceParameter({
	name: 'wait',
	displayName: 'Wait',
	options: [
		{
			name: 'Do Not Wait',
			value: 'none',
			description: 'Returns the asset while it is under review',
		},
		{ name: 'Until the Review Is Over', value: 'poll' },
	],
	fallback: 'poll',
	description: 'Whether to wait until the asset can be used',
});
const timeout = numberParameter({
	name: 'timeout',
	displayName: 'Max Wait (Seconds)',
	description:
		'A review takes 24 hours at most. After this time the item goes on with the last known state.',
	min: 0,
	fallback: 600,
});

function findLinkProblem(link: string): string | undefined {
	if (!link) return 'Link is empty';
	if (!isHttpLink(link)) return `Link must start with http:// or https://, but is ${quote(link)}`;
	if (link.length <= LONGEST_LINK) return undefined;
	return `Link has ${link.length} characters; at most ${LONGEST_LINK} are allowed`;
}

/** Models that no table knows may take assets, too (spec section 2.4). */
function findModelProblem(model: string): string | undefined {
	if (!model) return 'Model is empty';
	if (MODELS.includes(model) || !getModelKind(model)) return undefined;
	return `Model must be ${joinWords(MODELS)}, but is ${model}, which takes no assets`;
}

/** The type of the file is certainly another one. */
function findFileProblem(type: string, { field, data }: InputFile): string | undefined {
	if (!isOtherMedia(data, type)) return undefined;
	return `Type is ${type}, but the file in "${field}" is ${data.mimeType}`;
}

async function readPlan(item: ItemReader, { client, rows }: Run) {
	const isLink = item.parameter(source) !== 'binary';
	const model = item.parameter(assetModel);
	const type = item.parameter(assetType);
	const label = item.parameter(name);
	if (item.raw(name.name, '') === undefined) item.warnMissing(name.property.displayName);
	const link = isLink ? item.parameter(url) : '';
	const extra = item.option(extraBody);
	const isSimple = item.option(simplify);
	const waitMs = item.parameter(wait) === 'poll' ? item.option(timeout) * 1000 : 0;
	const file = isLink ? undefined : await readInputFile(item);
	const problems = {
		assetModel: findModelProblem(model),
		...(file ? { assetType: findFileProblem(type, file) } : { url: findLinkProblem(link) }),
	};
	for (const [field, problem] of Object.entries(problems))
		if (problem && !item.issues.some((issue) => issue.field === field))
			item.addIssue(field, problem);
	item.assertValid();
	const body = { ...extra, model, type, ...(label && { name: label }) };
	const identity = file ? keyOfFile(file.data) : link;
	const account = await client.context.account?.();
	const row = rows.find(item.index, [account, body, identity, isSimple]);
	const isSigned = file && !row.outputs;
	const address = isSigned ? await createSignedLink(item.context, file.field, file.data) : link;
	return { index: item.index, body: { ...body, url: address }, waitMs, simplify: isSimple, row };
}

/** POST /v1/assets; its body is not shown in the spec (section 4), see docs/decisions. */
export const create: Operation<Awaited<ReturnType<typeof readPlan>>> = {
	properties: [
		modelProperty,
		assetType.property,
		source.property,
		url.property,
		{
			...inputFieldParameter(
				'The gateway fetches the file from this n8n, so its address must be public',
			).property,
			displayOptions: { show: { source: ['binary'] } },
		},
		name.property,
		wait.property,
		optionsCollection([
			offerWhen(timeout, { show: { '/wait': ['poll'] } }),
			concurrency,
			extraBody,
			simplify,
		]),
	],
	plan: readPlan,
	async perform({ index, body, waitMs, simplify: isSimple, row }, { client, context, summary }) {
		if (row.outputs) return row.outputs;
		// An earlier try has uploaded it, and has not seen the end of its review.
		const known = row.asset && (await findAsset(client, row.asset));
		const created = known ?? (await createAsset(client, body));
		row.asset = created;
		const what = `${known ? 'found' : 'created'} asset ${created.id}`;
		context.logger.info(`Generation Gateway: ${what}, item ${index}`);
		const asset = await awaitAsset(client, created, waitMs);
		if (asset.status === 'failed') delete row.asset;
		assertAssetUsable(asset);
		const outputs = [assetToItem(asset, isSimple)];
		if (asset.status === 'active') row.outputs = outputs;
		else
			summary.addWarning(
				'An asset is still under review and cannot be used yet. Check it with Asset > Get',
			);
		return outputs;
	},
};
