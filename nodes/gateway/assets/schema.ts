import { z } from 'zod';
import { isBlank, isObject, toText } from '../json';
import { hideSignatures } from '../redact';
import { toIsoTime } from '../tasks/schema';

const text = z.string().nullable().catch(null);
const time = z.unknown().transform((value) => toIsoTime(value) ?? null);

const Entry = z.object({
	id: z.string().min(1),
	model: text,
	type: text,
	name: text,
	/** `processing`, `active` or `failed`. */
	status: z.string().catch('processing'),
	duration_seconds: z.number().nullable().catch(null),
	/** ISO 8601. */
	created_at: time,
	updated_at: time,
	/** `asset://<id>`; only while active. */
	asset_url: text,
	error: z.unknown(),
});

/** An entry of the asset library, by its wire names: spec section 2.4. Null: not stated. */
export interface Asset extends Omit<z.output<typeof Entry>, 'error'> {
	/** Why it failed: in English, and as the gateway words it. `mayPass`: the same file may do the next time. */
	reason?: { english: string; original: string; mayPass: boolean };
	/** The gateway's own object, untouched. */
	raw: unknown;
}

/** Its words count only where the rest says nothing. */
const ERROR_CODE = /(错误代?码|error[ _]?code|\bcode\b)[^\w\n]{0,4}[\w./-]+/gi;
/** Reasons come in Chinese, and only their meanings are stated (section 7). The first pattern that matches decides. */
const REASONS: readonly [words: RegExp, english: string, mayPass?: true][] = [
	[/像素|分辨率|pixel/i, 'The total pixel count is outside 407,696 to 8,295,044'],
	[/宽高比|长宽比|画面比例|比例|aspect/i, 'The aspect ratio is not supported by the model'],
	[
		/(审核|审查)([^。]*超时(?!长)|时[长间](过长|超过))|review timed out/i,
		'The review timed out',
		true,
	],
	[/时长|duration/i, 'The duration is not supported by the model'],
	[/格式|format/i, 'The format is not supported'],
	[/超时|timed? ?out/i, 'Processing timed out upstream', true],
	[/审核|审查|违规|敏感|rejected|review/i, "The model provider's review rejected it"],
	[/注册|登记|registration/i, 'The registration did not go through', true],
];

function reasonOf(error: unknown): Asset['reason'] {
	const text = isObject(error) ? error.message : error;
	if (isBlank(text)) return undefined;
	const original = hideSignatures(toText(text));
	const [, english = original, mayPass = false] =
		[original.replace(ERROR_CODE, ''), original]
			.map((sentence) => REASONS.find(([words]) => words.test(sentence)))
			.find(Boolean) ?? [];
	return { english, original, mayPass };
}

/** Reads an asset, also inside of `data`. Undefined when there is none. */
export function readAsset(raw: unknown): Asset | undefined {
	const inner = (raw as { data?: unknown } | null)?.data;
	const parsed = Entry.safeParse(raw);
	if (!parsed.success) return inner === undefined ? undefined : readAsset(inner);
	const { error, ...asset } = parsed.data;
	return { ...asset, reason: reasonOf(error), raw };
}

/** Reads `{object: list, data: asset[]}`. Undefined without a list. `size` also counts entries that are no assets. */
export function readAssets(body: unknown): { assets: Asset[]; size: number } | undefined {
	const { object, data } = (body ?? {}) as { object?: unknown; data?: unknown };
	const stated = Array.isArray(body) ? body : data;
	const list = stated ?? (object === 'list' ? [] : undefined);
	if (!Array.isArray(list)) return undefined;
	return { assets: list.flatMap((asset) => readAsset(asset) ?? []), size: list.length };
}
