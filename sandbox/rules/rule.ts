import { HttpError } from '../httpError';
import type { Body } from '../settings';
import type { Check, CheckContext } from './checks';
import { link, findLinkFault, links, object, oneOf, prompt, text, texts, whole } from './checks';

/** What one media model takes, and what it costs. */
export interface ModelRule {
	kind: 'image' | 'video';
	/** Absent for models whose actions the spec does not list. */
	actions?: string[];
	fields: Record<string, Check>;
	required?: string[];
	/** What counts for a field that is left out, where the documentation says so; of some families for more fields than a model has. */
	defaults: Body;
	/** Takes parameters that are not in `fields`: the spec names the model without its fields. */
	isOpen?: boolean;
	/** Takes `asset://` references. */
	hasAssets?: boolean;
	/** Rules between fields; refuses by throwing `createFieldError(...)`. */
	checkBetweenFields?: (body: Body, context: CheckContext) => void;
	/** See `listIneffective`. Nothing is refused for them. */
	findIneffective?: (body: Body) => string[];
	/** USD for the whole task. */
	calculatePrice: (body: Body, context: CheckContext) => number;
	/** Entries of the result; images default to `n`, videos to one. */
	countOutputs?: (body: Body) => number;
	/** File format of an output. */
	getFormat?: (body: Body) => 'jpg' | 'png' | 'webp';
	/** Whether the price is from the spec; else it is the sandbox's own demo price. */
	isPriced: boolean;
	priceConfig: Body;
}

export const createFieldError = (field: string, sentence: string): HttpError =>
	new HttpError(400, `${field} ${sentence}.`, field);

/** Section 2.2 and 6: taken by every model. */
const GLOBAL_FIELDS: Record<string, Check> = {
	model: text(),
	callback_url: (value, { settings }) =>
		typeof value === 'string'
			? findLinkFault(value, { ...settings, refusePrivateLinks: false })
			: 'must be a string',
	callback_events: texts,
	extra: object,
};

/** Section 2.2: what counts for every model whose own table says nothing else. */
export const commonDefaults = { action: 'generate', n: 1 };

/** Section 2.2 where a model's own table is silent: only what the field is. */
export const commonFields: Record<string, Check> = {
	prompt: prompt(),
	n: whole(1),
	seed: whole(),
	aspect_ratio: text(),
	resolution: text(),
	image_urls: links(),
};

/** Known from section 2.4: the fields of asset-capable models that take references. */
export const referenceFields: Record<string, Check> = {
	...commonFields,
	first_frame_image: link,
	last_frame_image: link,
	video_urls: links(),
	audio_urls: links(),
	image_with_roles: (value, context) => {
		if (!Array.isArray(value)) return 'must be an array of objects';
		for (const item of value as unknown[]) {
			const fault = object(item, context) ?? link((item as Body).url, context);
			if (fault !== undefined) return `entries ${fault}`;
		}
		return undefined;
	},
};

/** Fields of an accepted body that have no effect, have another one than meant, or are advised against. */
export const listIneffective = ({ fields, findIneffective }: ModelRule, body: Body): string[] => [
	...Object.entries(body)
		.filter(([field, value]) => {
			const { takesOthers, named = [] } = (Object.hasOwn(fields, field) && fields[field]) || {};
			return takesOthers && !named.includes(value);
		})
		.map(([field]) => field),
	...(findIneffective?.(body) ?? []),
];

/** Refuses what this model does not take (400), field by field, then the rules between fields. */
export function checkBody(rule: ModelRule, body: Body, context: CheckContext): void {
	for (const field of rule.required ?? []) {
		if (body[field] === undefined) throw createFieldError(field, 'is required');
	}
	for (const [field, value] of Object.entries(body)) {
		const check = getCheck(rule, field);
		if (check === undefined) {
			if (rule.isOpen) continue;
			throw createFieldError(field, `is not supported by ${String(body.model)}`);
		}
		const fault = check(value, context);
		if (fault !== undefined) throw createFieldError(field, fault);
	}
	rule.checkBetweenFields?.(body, context);
}

function getCheck(rule: ModelRule, field: string): Check | undefined {
	if (field === 'action') return rule.actions ? oneOf(...rule.actions) : text();
	if (Object.hasOwn(GLOBAL_FIELDS, field)) return GLOBAL_FIELDS[field];
	return Object.hasOwn(rule.fields, field) ? rule.fields[field] : undefined;
}
