import type { IDataObject } from 'n8n-workflow';
import { isBlank } from '../../../catalog/json';
import { quote } from '../../../catalog/labels';
import { GatewayError } from '../../../gateway/errors';
import { createEmbedder, type Vector } from '../../../gateway/embeddings/embedder';
import type { ItemReader } from '../../../n8n/itemReader';
import { modelLocator } from '../../../n8n/modelLocator';
import { readModel } from '../../../n8n/modelParameter';
import {
	batchSize,
	concurrency,
	extraBody,
	includeInput,
	optionsCollection,
	simplify,
} from '../../../n8n/options';
import type { Operation, Run } from '../../operation';

/** `isList`: the item has a list of texts, and gets a list of vectors. */
function readTexts(item: ItemReader): { texts: string[]; isList: boolean } {
	const given = item.raw('input', '');
	// A list of numbers is a vector, which nobody wants to embed.
	const list: unknown[] = Number.isFinite(given) ? [String(given)] : [given].flat();
	const fail = (problem: string) => item.failWith('input', `Text ${problem}`);
	if (!list.length) throw fail('is an empty list. Give at least one text');
	const isList = Array.isArray(given);
	const wrong = list.findIndex((text) => typeof text !== 'string' || !text.trim());
	if (wrong < 0) return { texts: list as string[], isList };
	const where = isList ? ` in entry ${wrong + 1}` : '';
	if (typeof list[wrong] === 'string' || isBlank(list[wrong])) throw fail(`is empty${where}`);
	throw fail(`must be a text${where}, but is ${quote(list[wrong])}`);
}

function readPlan(item: ItemReader, { rows }: Run) {
	const options = { batchSize: item.option(batchSize), simplify: item.option(simplify) };
	const parameters = { ...item.option(extraBody), model: readModel(item, 'embedding') };
	const texts = readTexts(item);
	item.assertValid();
	const row = rows.find(item.index, [texts, parameters, options.simplify]);
	return { row, ...texts, parameters, ...options };
}

type Plan = ReturnType<typeof readPlan>;

/** The error of a text that the gateway refuses. Others are about the whole request. */
function nameEntry(error: unknown, index: number): unknown {
	if (error instanceof GatewayError && error.details.text !== undefined)
		error.message = `Text in entry ${index + 1}: ${error.message}`;
	return error;
}

/** Where one of the texts fails, the next try of the row does not pay for the others again. */
async function embedTexts(
	{ row, texts, isList, parameters, batchSize: size }: Plan,
	run: Run,
): Promise<Vector[]> {
	const create = () => createEmbedder(run.client, parameters, size);
	const embedText = run.share(JSON.stringify([parameters, size]), create);
	const known = { ...row.vectors };
	const keyOf = (text: string) => JSON.stringify([parameters, text]);
	const embed = (text: string, index: number) =>
		embedText(text).catch((error: unknown) => {
			throw isList ? nameEntry(error, index) : error;
		});
	const vectors = texts.map(
		async (text, index) => (known[keyOf(text)] ??= await embed(text, index)),
	);
	await Promise.allSettled(vectors);
	return await Promise.all(vectors).catch((error: unknown) => {
		if (run.rows.hasRoomFor(Object.keys(known).length)) row.vectors = known;
		throw error;
	});
}

/** POST /v1/embeddings, for all items together: spec section 2.5. */
export const create: Operation<Plan> = {
	properties: [
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
				'What to embed. An expression may give a list. The item then has one embedding for each text.',
		},
		optionsCollection([batchSize, concurrency, extraBody, includeInput, simplify]),
	],
	plan: readPlan,
	async perform(plan, run) {
		const { isList, parameters, simplify: isSimple, row } = plan;
		if (row.outputs) return row.outputs;
		const vectors = await embedTexts(plan, run);
		const [first] = vectors;
		const model = first?.model ?? parameters.model;
		const embeddings = vectors.map(({ embedding }) => embedding);
		const simple = { model, ...(isList ? { embeddings } : { embedding: embeddings[0] }) };
		const data = embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding }));
		// A request carries texts of several items.
		const usage = first?.usage && { ...first.usage, texts_in_request: first.batchSize };
		const whole = { object: 'list', model, data, ...(usage && { usage }) };
		const outputs = [{ json: (isSimple ? simple : whole) as unknown as IDataObject }];
		if (run.rows.hasRoomFor(vectors.length)) row.outputs = outputs;
		return outputs;
	},
};
