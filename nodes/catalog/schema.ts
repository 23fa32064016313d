/**
 * The shape of a family table. A table is data: it states what each model takes and costs, each
 * fact once. The panel, the check before sending, the estimate and docs/models.md are compiled
 * from it (nodes/n8n/panel, nodes/catalog), so nothing about a model may be written anywhere else.
 */

export type Media = 'image' | 'video';

export type Scalar = string | number | boolean;

/** `link` and `links` are public HTTP(S) URLs, `texts` plain strings, `objects` a list of objects. */
export type FieldType =
	'string' | 'integer' | 'number' | 'boolean' | 'link' | 'links' | 'texts' | 'objects' | 'object';

export interface Limits {
	enum?: readonly Scalar[];
	/** Inclusive bounds of a number. */
	min?: number;
	max?: number;
	/** Characters. */
	maxLength?: number;
	/** Bounds of a list's length. */
	minItems?: number;
	maxItems?: number;
}

export interface Field extends Limits {
	type: FieldType;
	/** The sentence under the field in the panel and in docs/models.md. */
	description: string;
	/** Name in the panel, where title-casing the wire name does not give a good one. */
	label?: string;
	required?: true;
	/** Stands at the top level of the panel; other optional fields wait in Additional Fields. */
	primary?: true;
	/** What the gateway assumes when the field is absent. Shown in the panel, never sent. */
	default?: Scalar;
	/** Set where the spec prices values outside `values` instead of refusing them: they pass, with this advice. */
	otherwise?: string;
	/** What a link leads to; decides which kind of asset may stand in its place. */
	media?: 'image' | 'video' | 'audio';
	/** `asset://` references are accepted (spec section 2.4). */
	assets?: true;
	/** Base64 and data URIs are not refused. Only where no table speaks for the model. */
	anyLink?: true;
	/** Fields of one entry of an `objects` list. */
	items?: Record<string, Field>;
	/** Actions whose panel offers the field; under the others it is accepted but not offered. */
	actions?: readonly string[];
	placeholder?: string;
}

/** All stated parts must hold. An absent `action` counts as the default of the model. */
export interface When {
	models?: readonly string[];
	action?: readonly string[];
	/** At least one of these fields is set. */
	has?: readonly string[];
	/** Each field has (by value or by documented default) one of the values. */
	is?: Readonly<Record<string, readonly Scalar[]>>;
}

/** Every rule carries the sentence the user reads in the panel, the check and the docs. */
export type Rule = { when: When; description: string } & (
	| { rule: 'requires'; allOf: readonly string[] }
	| { rule: 'requires'; anyOf: readonly string[] }
	/** A boolean that is false does not count as set. */
	| { rule: 'excludes'; fields: readonly string[] }
	| { rule: 'limits'; field: string; to: Limits }
	/** Accepted, priced or ignored by the gateway: advised against, never refused. */
	| { rule: 'ignored'; fields: readonly string[] }
	| { rule: 'advises'; field: string; to: Limits }
	/** `<<<name_N>>>` in `field` points at the N-th entry of `list`. Advised, never refused. */
	| { rule: 'references'; field: string; token: string; list: string }
);

/** USD for every resolution, or USD by resolution. A resolution that is not listed has no stated price. */
export type Rate = number | Readonly<Record<string, number>>;

export type Price =
	| { per: 'image'; usd: number; overrides?: readonly { when: When; usd: number }[] }
	| { per: 'second'; usd: Rate; overrides?: readonly { when: When; usd: Rate }[] }
	/** The spec states how it is billed, not how much. */
	| { per: 'unknown'; description: string };

export interface Model {
	/** First is the default. */
	actions: readonly string[];
	/** Overrides and additions to the fields of the family. */
	fields?: Readonly<Record<string, Partial<Field>>>;
	/** Fields of the family that this model does not take. */
	omit?: readonly string[];
	price: Price;
	/** Where in the spec, when not the section of the family. */
	section?: string;
	/** The spec names the model without its fields: known fields are checked, others pass. */
	open?: true;
	/** No longer served. `successor` only where the spec names one. */
	deprecated?: { word: 'delisted' | 'retired'; successor?: string };
	/** What else a user of this model should know. */
	note?: string;
}

export interface Family {
	id: string;
	title: string;
	media: Media;
	/** Section of the gateway's interface description. */
	section: string;
	fields: Readonly<Record<string, Field>>;
	/** Fields often tried that no model of the family takes, with the reason. */
	refused?: Readonly<Record<string, string>>;
	rules: readonly Rule[];
	models: Readonly<Record<string, Model>>;
	/** Limits that can only be seen in the files themselves: shown in the docs, not checked. */
	files?: readonly string[];
}
