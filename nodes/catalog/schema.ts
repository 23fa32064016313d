/**
 * The schema of a family table. A table is data: it states what each model takes and costs, each
 * fact once. The panel, the check before sending, the estimate and docs/models.md are made from it,
 * so nothing about a model is written anywhere else.
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
	/** Its parameter, where the gateway has renamed the field since: workflows have saved values under it. */
	parameter?: string;
	/** Name in the panel, where title-casing the wire name does not give a good one. */
	label?: string;
	required?: true;
	/** Stands at the top level of the panel; other optional fields wait in Additional Fields. */
	primary?: true;
	/** What the gateway assumes when the field is absent. Shown in the panel, never sent. */
	default?: Scalar;
	/** Unit of a number, shown behind each choice of the panel. */
	unit?: 's';
	/** Names of the values of `enum` in the panel, where they differ from the values. */
	choiceLabels?: Readonly<Record<string, string>>;
	/** What each value of `enum` means, where its name does not say it all. */
	choices?: Readonly<Record<string, string>>;
	/** Where the gateway accepts values outside `enum`: what it does with them. They pass with a warning. */
	fallback?: string;
	/** What a link leads to: the type of the asset or binary file that may be given for it. */
	media?: 'image' | 'video' | 'audio';
	/** `asset://` references are accepted (spec section 2.4). */
	assets?: true;
	/** Base64 and data URIs pass too. Only for models that no table has. */
	anyLink?: true;
	/** Fields of one item of an `objects` list. */
	items?: Record<string, Field>;
	/** Actions under which the panel offers the field; under the others it is accepted, not offered. */
	actions?: readonly string[];
	placeholder?: string;
}

/** A condition: all stated parts must hold. An absent `action` counts as the model's default. */
export interface When {
	models?: readonly string[];
	action?: readonly string[];
	/** At least one of these fields is set. */
	has?: readonly string[];
	/** Each field has (by value or by documented default) one of the values. */
	is?: Readonly<Record<string, readonly Scalar[]>>;
}

/** Every rule has the sentence that the user reads in the check and in the docs. It is understood without its context. */
export type Rule = { when: When; description: string } & (
	| { rule: 'requires'; allOf: readonly string[] }
	| { rule: 'requires'; anyOf: readonly string[] }
	/** A boolean that is false does not count as set. */
	| { rule: 'excludes'; fields: readonly string[] }
	| { rule: 'limits'; field: string; to: Limits }
	/** The gateway accepts the field and ignores it: a warning, never refused. */
	| { rule: 'ignored'; fields: readonly string[] }
	/** The gateway accepts more, with less effect: a warning, never refused. */
	| { rule: 'recommends'; field: string; to: Limits }
	/** `<<<token_N>>>` in `field` refers to the N-th item of `list`: a warning, never refused. */
	| { rule: 'references'; field: string; token: string; list: string }
);

/** USD for every resolution, or USD by resolution, each of them named also where the spec states no price. */
export type Rate = number | Readonly<Record<string, number | 'unstated'>>;

export type Price =
	| {
			per: 'image';
			usd: number;
			/** `assumed` is a price that the spec does not state, so that a gateway need not list it. */
			overrides?: readonly { when: When; usd: number; assumed?: true }[];
	  }
	| { per: 'second'; usd: Rate; overrides?: readonly { when: When; usd: Rate }[] }
	/** The spec states how it is billed, not how much. */
	| { per: 'unknown'; description: string };

/** Why a model is no longer served, and what to use: only where the spec names it. */
export interface Deprecation {
	reason: 'delisted' | 'retired';
	replacement?: string;
}

export interface Model {
	/** The first is the default. */
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
	deprecated?: Deprecation;
}

export interface Family {
	id: string;
	title: string;
	media: Media;
	/** Section of the gateway's interface description. */
	section: string;
	fields: Readonly<Record<string, Field>>;
	/** Fields that are often tried and that no model of the family takes, each with what to do. */
	refused?: Readonly<Record<string, string>>;
	rules: readonly Rule[];
	models: Readonly<Record<string, Model>>;
	/** Limits of the files themselves: shown in the docs, checked by the gateway only. */
	files?: readonly string[];
}
