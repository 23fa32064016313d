import { Refusal } from '../httpError';
import type { Body } from '../settings';
import type { Check, Surroundings } from './checks';
import { link, linkFault, links, object, oneOf, prompt, text, texts, whole } from './checks';

/** What one media model takes, and what it costs. */
export interface ModelRule {
	kind: 'image' | 'video';
	/** Absent for models whose actions the spec does not list. */
	actions?: string[];
	fields: Record<string, Check>;
	required?: string[];
	/** Takes parameters that are not in `fields`: the spec names the model without its fields. */
	open?: boolean;
	/** Takes `asset://` references. */
	assets?: boolean;
	/** Rules between fields; refuses by throwing `broken(...)`. */
	between?: (body: Body, around: Surroundings) => void;
	/** USD for the whole task. */
	price: (body: Body, around: Surroundings) => number;
	/** Entries of the result; images default to `n`, videos to one. */
	outputs?: (body: Body) => number;
	/** File format of an output. */
	format?: (body: Body) => 'jpg' | 'png' | 'webp';
	/** Whether the price is from the spec; else it is the sandbox's own demo price. */
	priced: boolean;
	priceConfig: Body;
}

export const broken = (field: string, sentence: string): Refusal =>
	new Refusal(400, `${field} ${sentence}.`, field);

/** Section 2.2 and 6: taken by every model. */
const everywhere: Record<string, Check> = {
	model: text(),
	callback_url: (value, { settings }) =>
		typeof value === 'string'
			? linkFault(value, { ...settings, refusePrivateLinks: false })
			: 'must be a string',
	callback_events: texts,
	extra: object,
};

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
	image_with_roles: (value, around) => {
		if (!Array.isArray(value)) return 'must be an array of objects';
		for (const entry of value as unknown[]) {
			const fault = object(entry, around) ?? link((entry as Body).url, around);
			if (fault !== undefined) return `entries ${fault}`;
		}
		return undefined;
	},
};

/** Refuses what this model does not take (400), field by field, then the rules between fields. */
export function obey(rule: ModelRule, body: Body, around: Surroundings): void {
	for (const field of rule.required ?? []) {
		if (body[field] === undefined) throw broken(field, 'is required');
	}
	for (const [field, value] of Object.entries(body)) {
		const check = checkOf(rule, field);
		if (check === undefined) {
			if (rule.open) continue;
			throw broken(field, `is not supported by ${String(body.model)}`);
		}
		const fault = check(value, around);
		if (fault !== undefined) throw broken(field, fault);
	}
	rule.between?.(body, around);
}

function checkOf(rule: ModelRule, field: string): Check | undefined {
	if (field === 'action') return rule.actions ? oneOf(...rule.actions) : text();
	if (Object.hasOwn(everywhere, field)) return everywhere[field];
	return Object.hasOwn(rule.fields, field) ? rule.fields[field] : undefined;
}
