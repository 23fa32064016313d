/**
 * What an item of each operation holds when Simplify is on, as JSON Schema. n8n's editor offers the
 * fields of a node from it before the node has run, and its AI builder types them.
 */

export interface JsonSchema {
	/** Absent where any value may stand. */
	type?: string | readonly string[];
	description?: string;
	properties?: Record<string, JsonSchema>;
	required?: readonly string[];
	items?: JsonSchema;
}

const text = { type: 'string' };
const number = { type: 'number' };
const boolean = { type: 'boolean' };
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const orNull = ({ type, ...others }: JsonSchema): JsonSchema => ({
	...others,
	type: [type ?? [], 'null'].flat(),
});

/** `optional` names the fields that some items lack. */
const item = (
	properties: Record<string, JsonSchema>,
	optional: readonly string[] = [],
): JsonSchema => ({
	type: 'object',
	properties,
	required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** Of an item that another model has made: which one was chosen, and why it did not. */
const fallback = { fallback_from: text, fallback_reason: text };

const priceConfig = orNull({ type: 'object' });

const task = item(
	{
		task_id: text,
		model: orNull(text),
		action: orNull(text),
		status: text,
		progress: number,
		created_at: orNull(text),
		completed_at: orNull(text),
		expires_at: orNull(text),
		urls: list(text),
		cost: orNull(number),
		cost_usd: orNull(number),
		file_urls: list(text),
		pre_consumed_cost: number,
		reason: text,
		checked_at: text,
	},
	// Where only the files are wanted, the links are left out.
	['pre_consumed_cost', 'reason', 'checked_at', 'expires_at', 'urls', 'file_urls'],
);

/** A task that this node has submitted. */
const submitted: JsonSchema = {
	...task,
	properties: { ...task.properties, reused: boolean, ...fallback },
};

const contactSheet = item({
	html: text,
	results: number,
	failures: number,
	cost_usd: number,
});

const asset = item(
	{
		id: text,
		model: orNull(text),
		type: orNull(text),
		name: orNull(text),
		status: text,
		duration_seconds: orNull(number),
		created_at: orNull(text),
		updated_at: orNull(text),
		asset_url: orNull(text),
		reason: text,
		reason_original: text,
	},
	['reason', 'reason_original'],
);

const answer = item(
	{
		text,
		data: {},
		texts: list(text),
		finish_reasons: list(orNull(text)),
		tool_calls: list({ type: 'object' }),
		images: list({ type: 'object' }),
		annotations: list({ type: 'object' }),
		model: text,
		finish_reason: orNull(text),
		usage: orNull(
			item({
				input_tokens: orNull(number),
				output_tokens: orNull(number),
				total_tokens: orNull(number),
			}),
		),
		cost: number,
		cost_usd: number,
		...fallback,
	},
	[
		'data',
		'texts',
		'finish_reasons',
		'tool_calls',
		'images',
		'annotations',
		'cost',
		'cost_usd',
		...Object.keys(fallback),
	],
);

const transcript = item({ text, cost: number, cost_usd: number }, ['cost', 'cost_usd']);

/** By resource and operation, as the menu has them. */
export const outputSchemas: Record<string, Record<string, JsonSchema>> = {
	image: { generate: submitted },
	video: { generate: submitted },
	task: { submit: submitted, await: task, get: task, cancel: task, contactSheet },
	asset: {
		create: asset,
		get: asset,
		getAll: asset,
		delete: item({ deleted: boolean, id: text }),
	},
	text: { chat: answer, respond: answer, message: answer, generateContent: answer },
	audio: { transcribe: transcript, translate: transcript },
	embedding: {
		create: item({ model: text, embedding: list(number), embeddings: list(list(number)) }, [
			'embedding',
			'embeddings',
		]),
	},
	model: {
		compare: item({
			has_differences: boolean,
			summary: text,
			gateway: text,
			compared_at: text,
			counts: item({
				listed: number,
				new_models: number,
				missing_models: number,
				relisted_models: number,
				moved_prices: number,
			}),
			new_models: list(item({ id: text, type: orNull(text), price_config: priceConfig })),
			missing_models: list(item({ id: text, type: text })),
			relisted_models: list(item({ id: text, type: text, reason: text, successor: orNull(text) })),
			moved_prices: list(
				item({
					id: text,
					type: text,
					stated_usd: list(number),
					listed_numbers: list(number),
					price_config: priceConfig,
				}),
			),
			skipped_kinds: list(text),
		}),
		getAll: item(
			{
				id: text,
				type: orNull(text),
				has_panel: boolean,
				actions: orNull(list(text)),
				stated_price: orNull(text),
				gone: text,
				successor: orNull(text),
				price_config: priceConfig,
			},
			['gone', 'successor'],
		),
	},
};

/** What the trigger gives: the task that has ended. */
export const triggerSchema: JsonSchema = task;
