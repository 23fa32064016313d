import type { IDataObject } from 'n8n-workflow';
import { quote } from '../../../catalog/labels';
import { BATCH_SIZE, Embedder } from '../../../gateway/embeddings/embedder';
import { modelLocator } from '../../../n8n/modelLocator';
import { readModel } from '../../../n8n/modelParameter';
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
	texts: string[];
	/** The item gave a list, and gets one. */
	isList: boolean;
	parameters: IDataObject & { model: string };
	batchSize: number;
	simplify: boolean;
}

function textsOf(item: Item): { texts: string[]; isList: boolean } {
	const given = item.get('input', '');
	const list = [given].flat() as unknown[];
	const issue = (message: string) =>
		new InputError([{ field: 'input', message: `Text (input): ${message}` }]);
	if (!list.length) throw issue('the list is empty, and at least one text is needed');
	const wrong = list.findIndex((text) => typeof text !== 'string' || !text.trim());
	if (wrong < 0) return { texts: list as string[], isList: Array.isArray(given) };
	const where = Array.isArray(given) ? `entry ${wrong + 1} is ` : 'this is ';
	const what = typeof list[wrong] === 'string' ? 'empty' : `${quote(list[wrong])}`;
	throw issue(`${where}${what}, and a text is needed`);
}

/** POST /v1/embeddings, for all items together: spec section 2.5. */
export const create: Operation<Plan> = {
	properties: showUnderOperation(
		'embedding',
		['create'],
		[
			modelLocator('embedding'),
			{
				displayName: 'Text',
				name: 'input',
				type: 'string',
				required: true,
				typeOptions: { rows: 3 },
				default: '',
				placeholder: 'e.g. {{ $json.text }}',
				description:
					'What to embed. An expression may give a list; its item then gets a list of embeddings.',
			},
			optionsCollection([
				number(
					'Batch Size',
					'batchSize',
					'How many texts, from all items together, go into one request',
					BATCH_SIZE,
					1,
				),
				concurrency,
				extraBody,
				simplify,
			]),
		],
	),
	plan(item) {
		const extra = readObjectOption(item, 'extra_body', 'Extra Body');
		if (extra.issue) throw new InputError([extra.issue]);
		return {
			...textsOf(item),
			parameters: { ...extra.value, model: readModel(item) },
			batchSize: Number(item.options.batchSize ?? BATCH_SIZE),
			simplify: item.options.simplify !== false,
		};
	},
	async perform({ texts, isList, parameters, batchSize, simplify: isFlat }, run) {
		const embedder = run.once(
			JSON.stringify(parameters),
			() => new Embedder(run.client, parameters, batchSize),
		);
		const vectors = await Promise.all(texts.map((text) => embedder.embed(text)));
		const model = vectors[0]?.model ?? parameters.model;
		const embeddings = vectors.map(({ embedding }) => embedding);
		if (isFlat)
			return [
				{
					json: {
						model,
						...(isList ? { embeddings } : { embedding: embeddings[0] }),
					} as IDataObject,
				},
			];
		const data = embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding }));
		return [{ json: { object: 'list', model, data } as unknown as IDataObject }];
	},
};
