import { isObject } from '../../catalog/json';
import { findKindProblem } from '../../catalog/modelSpec';
import { textEndpoints, type TextEndpointId } from '../../catalog/textEndpoints';
import type { Usage } from '../../catalog/usagePricing';
import { validate } from '../../catalog/validate';
import type { JsonObject } from '../../gateway/json';
import { createLimiter } from '../../gateway/concurrency';
import { textAdapters } from '../../gateway/text';
import type { TextRequest } from '../../gateway/text/adapter';
import { completeText, type CompleteOptions } from '../../gateway/text/complete';
import type { ItemReader } from '../../n8n/itemReader';
import { textToItem } from '../../n8n/items/text';
import { readModel } from '../../n8n/modelParameter';
import { extraBody, fallbackModels, readFallbackModels, simplify } from '../../n8n/options';
import { findEndpointProblem, readTextParameters, textModelSpec } from '../../n8n/textParameters';
import { reserveUsage } from '../account/usageAccount';
import type { Operation, Run } from '../operation';
import { fallbackFields, withFallback } from '../withFallback';
import {
	identifyMessages,
	loadMessages,
	readBeginning,
	readMessages,
	sizeOfFiles,
	type MessagesInput,
} from './messageInput';
import {
	findSchemaProblem,
	jsonSchema,
	maxSilence,
	outputFormat,
	stream,
	system,
	textProperties,
} from './parameters';

/**
 * In the requests of a run at once. A request takes four times the bytes of its files: without the limit, 100
 * pictures of 15 MB take 4 GB.
 */
const MOST_FILE_BYTES = 64_000_000;

/** The messages-style endpoint takes blocks as well (spec section 2.5). Elsewhere they become text. */
function readSystem(item: ItemReader, endpoint: TextEndpointId): TextRequest['system'] {
	const given = item.raw(system.name, '');
	if (given === undefined) item.warnMissing(system.property.displayName);
	const isBlocks = endpoint === 'message' && Array.isArray(given) && given.every(isObject);
	return isBlocks ? given : item.parameter(system);
}

/** Parameters in Extra Body that the endpoint states. Those of the native endpoint are in generationConfig. */
function findKnownParameters(extra: JsonObject | undefined, endpoint: TextEndpointId): JsonObject {
	const { fields } = textEndpoints[endpoint];
	const nested =
		endpoint === 'generateContent' ? (extra?.generationConfig as JsonObject) : undefined;
	const given = Object.entries({ ...extra, ...nested });
	const isKnown = ([name, value]: [string, unknown]) =>
		value !== null && Object.hasOwn(fields, name);
	return Object.fromEntries(given.filter(isKnown));
}

/** What stands for pictures, videos and files in messages that are JSON. */
const MEDIA = /"(image|video|audio|file|source|inline_?data|input_(image|video|file))\w*"/i;

/** What nobody can tell beforehand: a conversation at the gateway, and tools of its own, e.g. a web search. */
const isOpenEnded = ({ tools, previous_response_id }: JsonObject): boolean =>
	previous_response_id !== undefined ||
	(Array.isArray(tools) && tools.some((tool) => !isObject(tool) || tool.type !== 'function'));

/** What a request uses at most: a token has one byte or more. Not known of media, and with Extra Body. */
function longestUsage(
	messages: MessagesInput,
	{ system, parameters, json, extraBody }: Omit<TextRequest, 'messages' | 'model'>,
): Usage {
	const { n = 1, max_tokens, maxOutputTokens = max_tokens } = parameters;
	if (Object.keys(extraBody ?? {}).length || isOpenEnded(parameters)) return {};
	const hasMedia =
		'raw' in messages
			? MEDIA.test(JSON.stringify(messages.raw))
			: messages.inputs.some((input) =>
					[input.imageUrls, input.videoUrls, input.attachments].some(({ length }) => length),
				);
	const words = JSON.stringify([messages, system, parameters, json]);
	return {
		...(!hasMedia && { input: Buffer.byteLength(words) }),
		// Some gateways take 0 and -1 for no limit.
		...(typeof maxOutputTokens === 'number' &&
			Math.min(maxOutputTokens, Number(n)) >= 1 && { output: maxOutputTokens * Number(n) }),
	};
}

const LONG_TEXT = 'Run again later. For a long text, turn on Stream.';

/** A request for text that was checked. */
type TextPlan = Awaited<ReturnType<typeof readPlan>>;

async function readPlan(item: ItemReader, run: Run, endpoint: TextEndpointId) {
	const model = readModel(item, 'text');
	const problem = findEndpointProblem(endpoint, model);
	if (problem) item.addIssue('model', `Model ${model} ${problem}`);
	const messages = await readMessages(item, endpoint);
	const parameters = readTextParameters(item, textEndpoints[endpoint].fields);
	// Streaming is an option, because the reader must know.
	const extra = { ...item.option(extraBody) };
	delete extra.stream;
	const schema = item.option(jsonSchema);
	const isJson = item.parameter(outputFormat) === 'json';
	const schemaProblem = isJson && findSchemaProblem(schema);
	if (schemaProblem) item.addIssue(jsonSchema.name, schemaProblem);
	const known = { ...findKnownParameters(extra, endpoint), ...parameters };
	const fallbacks = readFallbackModels(item, model);
	for (const id of fallbacks) {
		const unfit = findKindProblem(id, ['text']) ?? findEndpointProblem(endpoint, id);
		if (unfit) item.addIssue(fallbackModels.name, `Fallback model ${id} ${unfit}`);
	}
	item.issues.push(...validate(textModelSpec(endpoint, model), known).issues);
	const request: Omit<TextRequest, 'messages' | 'model'> = {
		system: readSystem(item, endpoint),
		parameters,
		...(isJson && { json: { schema } }),
		extraBody: extra,
	};
	item.assertValid();
	const { context, index } = item;
	const models = [model, ...fallbacks];
	const isSimple = item.option(simplify);
	// Whichever of its models has answered.
	const identity = [endpoint, model, identifyMessages(messages), request, isJson, isSimple];
	const row = run.rows.find(index, identity);
	const most = longestUsage(messages, request);
	const spend = await reserveUsage(item, run, row, models, most);
	const choice = stream.name in item.rawOptions ? item.option(stream) : undefined;
	// A tool answers its agent, which speaks to the client.
	const isShown = choice !== false && !item.isTool && context.isStreaming?.() === true;
	return {
		spend,
		index,
		row,
		/** The chosen one and its fallbacks, in the order in which they are tried. */
		models,
		isJson,
		simplify: isSimple,
		beginning: readBeginning(messages),
		isStream: textAdapters[endpoint].createStreamParser !== undefined && (choice ?? isShown),
		/** The client of a workflow that streams sees the answer. */
		isShown,
		/** Of files that the request holds in memory. */
		fileBytes: sizeOfFiles(messages, endpoint),
		silenceMs: item.option(maxSilence) * 1000,
		/** A function, because files are read when it is sent. */
		toBody: async (id: string) =>
			textAdapters[endpoint].toRequest({
				...request,
				model: id,
				messages: await loadMessages(messages, endpoint, context),
			}),
	};
}

/** One text endpoint as an operation: spec sections 2.5 and 4. */
export function createTextOperation(endpoint: TextEndpointId): Operation<TextPlan> {
	const adapter = textAdapters[endpoint];
	return {
		properties: textProperties(endpoint),
		plan: (item, run) => readPlan(item, run, endpoint),
		perform: async (planned, run) => {
			if (planned.row.outputs) return planned.row.outputs;
			const timeoutHint = adapter.createStreamParser && !planned.isStream ? LONG_TEXT : undefined;
			const complete = async (onText?: CompleteOptions['onText']) =>
				await withFallback(
					planned.models,
					run.summary,
					{ modelOf: (id) => id },
					async (model, fallbacks, replaced) => {
						const body = async () => await planned.toBody(model);
						const hasFallback = fallbacks.length > 0;
						const options = { ...planned, model, body, hasFallback, timeoutHint, onText };
						return { result: await completeText(run.client, adapter, options), model, replaced };
					},
				);
			const answer = async () => {
				const work = async () =>
					await (planned.isShown ? streamToClient(planned, run, complete) : complete());
				const limit = run.share('fileLimit', () => createLimiter(MOST_FILE_BYTES));
				const completed = await (planned.fileBytes ? limit(work, planned.fileBytes) : work());
				const { usage = {}, cost } = completed.result;
				return { ...completed, usage, cost, isStream: planned.isStream };
			};
			const { result, model, replaced, cost } = await planned.spend(answer);
			run.summary.answers.push({ model, usage: result.usage });
			const item = textToItem({ ...result, cost }, { ...planned, model });
			const fields = planned.simplify && fallbackFields(replaced);
			return (planned.row.outputs = [{ ...item, json: { ...item.json, ...fields } }]);
		},
	};
}

/** The client sees the text as it comes. n8n adds the error that ends the workflow. */
async function streamToClient<T>(
	{ index }: TextPlan,
	{ context }: Run,
	complete: (onText: (text: string) => void) => Promise<T>,
): Promise<T> {
	context.sendChunk('begin', index);
	const onText = (text: string) => context.sendChunk('item', index, text);
	return await complete(onText).finally(() => context.sendChunk('end', index));
}
