/** The schema of a family table, which states each fact once. Panel, check, estimate and docs/models.md come from it. */

export type Media = 'image' | 'video';

export type Scalar = string | number | boolean;

/** `link` and `links` are public HTTP(S) URLs, `texts` plain texts, `objects` a list of objects. */
export type FieldType =
	'string' | 'integer' | 'number' | 'boolean' | 'link' | 'links' | 'texts' | 'objects' | 'object';

export interface Limits {
	enum?: readonly Scalar[];
	/** Inclusive. */
	min?: number;
	max?: number;
	/** Characters. */
	maxLength?: number;
	/** Of a list. */
	minItems?: number;
	maxItems?: number;
}

export interface FileLimits {
	/** By their usual ending, e.g. `jpg`. */
	formats: readonly string[];
	mostMb?: number;
}

export interface Field extends Limits {
	type: FieldType;
	/** The sentence in the panel and in docs/models.md. */
	description: string;
	/** Its parameter, where the gateway has renamed the field: workflows have saved values under it. */
	parameter?: string;
	/** Where title case of the wire name does not do. */
	label?: string;
	required?: true;
	/** At the top level of the panel. Others are in Additional Fields. */
	primary?: true;
	/** Assumed by the gateway when the field is absent. Shown, never sent. */
	default?: Scalar;
	/** Of a number without a default: what the panel begins with when the field is added. */
	shown?: number;
	/** Shown behind each choice. */
	unit?: 's';
	/** Labels of the values of `enum`. */
	choiceLabels?: Readonly<Record<string, string>>;
	/** What each value of `enum` means. */
	choices?: Readonly<Record<string, string>>;
	/** What the gateway does with values outside of `enum`. They pass with a warning. */
	otherValues?: string;
	/** What a link leads to: an image, a video or audio. */
	media?: 'image' | 'video' | 'audio';
	/** What the file behind a link must be. Checked where the file is in n8n. */
	file?: FileLimits;
	/** `asset://` references are accepted (spec section 2.4). */
	assets?: true;
	/** Base64 and data URIs pass too: only for models without a table. */
	anyLink?: true;
	/** A list of texts that may also be a single text. */
	acceptsOne?: true;
	/** Fields of one object in the list. */
	items?: Record<string, Field>;
	/** Actions under which the panel offers the field. Under others it is accepted. */
	actions?: readonly string[];
	placeholder?: string;
}

/** By wire name. */
export type Fields = Readonly<Record<string, Field>>;

/** All parts must hold. An absent `action` counts as the default. */
export interface When {
	models?: readonly string[];
	action?: readonly string[];
	/** One of these fields is set. */
	has?: readonly string[];
	/** Each field has one of the values, or its documented default is one. */
	is?: Readonly<Record<string, readonly Scalar[]>>;
}

/** The description is shown in the check and in the docs, without its context. */
export type Rule = { when: When; description: string } & (
	| { rule: 'requires'; allOf: readonly string[] }
	| { rule: 'requires'; anyOf: readonly string[] }
	/** A switch that is off does not count. */
	| { rule: 'excludes'; fields: readonly string[] }
	| { rule: 'limits'; field: string; to: Limits }
	/** Accepted and ignored: a warning. */
	| { rule: 'ignored'; fields: readonly string[] }
	/** More is accepted, with less effect: a warning. */
	| { rule: 'recommends'; field: string; to: Limits }
	/** `<<<token_N>>>` in `field` means the N-th item of `list`: a warning. */
	| { rule: 'references'; field: string; token: string; list: string }
);

/** USD for all resolutions, or by resolution. Each is named, also where no price is stated. */
export type Rate = number | Readonly<Record<string, number | 'unstated'>>;

export type Price =
	| {
			per: 'image';
			usd: number;
			/** `assumed`: the spec does not state it, so a gateway need not list it. */
			overrides?: readonly { when: When; usd: number; assumed?: true }[];
	  }
	| { per: 'second'; usd: Rate; overrides?: readonly { when: When; usd: Rate }[] }
	/** The spec does not state how much. */
	| { per: 'unknown'; description: string };

/** Why a model is no longer served, and its replacement where the spec names one. */
export interface Deprecation {
	reason: 'delisted' | 'retired';
	replacement?: string;
}

export interface Model {
	/** The first is the default. */
	actions: readonly string[];
	/** Overrides of the family's fields, and fields of its own. */
	fields?: Readonly<Record<string, Partial<Field>>>;
	/** Fields of the family that it does not take. */
	omit?: readonly string[];
	price: Price;
	/** The spec does not show all of its fields: known ones are checked, others pass. */
	open?: true;
	deprecated?: Deprecation;
}

export interface Family {
	title: string;
	media: Media;
	fields: Fields;
	/** Fields that are often tried and never taken, with what to do. */
	refused?: Readonly<Record<string, string>>;
	rules: readonly Rule[];
	models: Readonly<Record<string, Model>>;
	/** What else is said of files. Shown in the docs; only the gateway checks it. */
	files?: readonly string[];
}
