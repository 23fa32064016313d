import type { Body, Settings } from '../settings';

/** What a check may read beside the value. */
export interface CheckContext {
	settings: Settings;
	/** Whether the same account has a completed task of this model. */
	hasCompleted: (taskId: string, model: string) => boolean;
}

/** The names for which the condition holds. */
export const namesWhere = (conditions: Record<string, boolean>): string[] =>
	Object.keys(conditions).filter((name) => conditions[name]);

/** Returns why the value is refused, or undefined when it is accepted. */
export interface Check {
	(value: unknown, context: CheckContext): string | undefined;
	/** Values that the documentation names, e.g. the choices, or the ends of the range. */
	named?: readonly unknown[];
	/** Values that are not named are taken, with an effect of their own. */
	takesOthers?: true;
}

/** With further values that the documentation names: those of a rule between fields, or of an entry's fields. */
export const naming = (further: readonly unknown[], check: Check): Check =>
	Object.assign((...given: Parameters<Check>) => check(...given), {
		named: [...(check.named ?? []), ...further],
	});

const privateHost =
	/^(localhost|.*\.local|127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|0\.0\.0\.0|\[::1\]|\[f[cd])/i;

/** Why a text is no public HTTP(S) link. */
export function findLinkFault(text: string, settings: Settings): string | undefined {
	if (/^data:/i.test(text)) return 'must be a link; data URIs are not accepted';
	let url: URL;
	try {
		url = new URL(text);
	} catch {
		return 'must be a public http(s) link; base64 and plain text are not accepted';
	}
	if (!/^https?:$/.test(url.protocol)) return 'must be a public http(s) link';
	if (settings.refusePrivateLinks && privateHost.test(url.hostname)) {
		return 'must be a publicly reachable link';
	}
	return undefined;
}

/** Characters as people count them: one per code point. */
const countCharacters = (text: string): number => [...text].length;

export const text =
	(max = Infinity): Check =>
	(value) => {
		if (typeof value !== 'string') return 'must be a string';
		return countCharacters(value) > max ? `must have at most ${max} characters` : undefined;
	};

export const prompt =
	(max = Infinity): Check =>
	(value, context) =>
		value === '' ? 'must not be empty' : text(max)(value, context);

export const oneOf = (...accepted: (string | number)[]): Check =>
	naming(accepted, (value) =>
		accepted.includes(value as string | number)
			? undefined
			: `must be one of ${accepted.map((item) => JSON.stringify(item)).join(', ')}`,
	);

/** Choices beside which any other text is taken, with an effect of its own. */
export const anyText = (...choices: string[]): Check =>
	Object.assign(naming(choices, text()), { takesOthers: true } as const);

export const whole = (min = -Infinity, max = Infinity): Check =>
	naming([min, max].filter(Number.isFinite), (value) => {
		if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be a JSON integer';
		return value < min || value > max ? `must be an integer ${formatRange(min, max)}` : undefined;
	});

export const real = (min: number, max: number): Check =>
	naming([min, max], (value) => {
		if (typeof value !== 'number') return 'must be a JSON number';
		return value < min || value > max ? `must be a number ${formatRange(min, max)}` : undefined;
	});

const formatRange = (min: number, max: number): string =>
	max === Infinity
		? `of at least ${min}`
		: min === -Infinity
			? `of at most ${max}`
			: `from ${min} to ${max}`;

export const flag: Check = (value) =>
	typeof value === 'boolean' ? undefined : 'must be true or false';

export const object: Check = (value) =>
	typeof value === 'object' && value !== null && !Array.isArray(value)
		? undefined
		: 'must be an object';

export const texts: Check = (value) =>
	Array.isArray(value) && value.every((item) => typeof item === 'string')
		? undefined
		: 'must be an array of strings';

/** A link; asset references are looked at before any check (rules/references.ts) and pass here. */
export const link: Check = (value, { settings }) => {
	if (typeof value !== 'string') return 'must be a string';
	return value.startsWith('asset:') ? undefined : findLinkFault(value, settings);
};

export const links =
	(max = Infinity, min = 0): Check =>
	(value, context) => {
		if (!Array.isArray(value)) return 'must be an array of links';
		for (const item of value) {
			const fault = link(item, context);
			if (fault !== undefined) return `entries ${fault}`;
		}
		if (value.length > max) return `must have at most ${max} ${max === 1 ? 'entry' : 'entries'}`;
		return value.length < min
			? `must have at least ${min} ${min === 1 ? 'entry' : 'entries'}`
			: undefined;
	};

/** How many entries a list field carries; an absent list carries none. */
export const count = (body: Body, field: string): number => {
	const value = body[field];
	return Array.isArray(value) ? value.length : 0;
};

export const isGiven = (body: Body, field: string): boolean => body[field] !== undefined;

export const getAction = (body: Body): string =>
	typeof body.action === 'string' ? body.action : 'generate';
