import { getLabel } from '../../nodes/catalog/labels';
import type { Issue } from '../../nodes/catalog/rules';
import { validate } from '../../nodes/catalog/validate';
import { estimateCost } from '../../nodes/catalog/pricing';
import { findModelSpec, modelSpecs, type KnownModelSpec } from '../../nodes/catalog/modelSpec';
import { calculateHold, QUOTA_PER_USD } from '../../sandbox/prices';
import { HttpError } from '../../sandbox/httpError';
import { getRule, mediaModels, obey, type CheckContext } from '../../sandbox/rules';
import { listIneffective } from '../../sandbox/rules/rule';
import { checkReferences, type AssetLookup } from '../../sandbox/rules/references';
import { defaultSettings } from '../../sandbox/settings';
import {
	minimalBodies,
	pairs,
	randomChanges,
	singleChanges,
	type Body,
} from '../support/requestBodies';
import { TEXT } from '../support/fieldSamples';

/**
 * The tables of the node and the rules of the sandbox were written from the spec independently. Here
 * both check the same bodies: where they differ, one of them is wrong, or the spec leaves it open.
 */
const RANDOM_BODIES = 1000;
const isOpen = (id: string) => findModelSpec(id)?.open === true;

/** A difference that the spec allows. */
interface KnownDifference {
	/** Why both readings are possible. */
	reason: string;
	field: RegExp;
	message: RegExp;
	/** Each of them differs. Default: some do. */
	models?: (model: string) => boolean;
	body?: (body: Body) => boolean;
}

/** Refused by the node, taken by the sandbox. */
const nodeIsStricter: KnownDifference[] = [
	{
		reason:
			'A prompt of blanks is a string; the node takes it for an expression that came out empty',
		field: /^prompt$/,
		message: /^Prompt is empty$/,
	},
	{
		reason:
			'A link with a blank before it is a URL to a URL parser; the panel trims it, a JSON body is taken literally',
		field: /./,
		message: /(has|is) " https/,
	},
	...(['Edit', 'Reference'] as const).map((action) => ({
		reason:
			'gmn: `edit` is "typically 1 image" and `reference` "several images"; whether none is refused is not said',
		field: /^image_urls$/,
		message: new RegExp(`is empty\\. ${action} requires`),
		models: (id: string) => id.startsWith('gmn-'),
	})),
	{
		reason:
			'`image2video` of gx-imagine-1.0-video without images: images "trigger" image-to-video, the reverse is not said',
		field: /^image_urls$/,
		message: /is empty\. Image to Video requires/,
		models: (id) => id === 'gx-imagine-1.0-video',
	},
	{
		reason: 'extra_body is a field of the panel; what arrives under that name was not JSON',
		field: /^extra_body$/,
		message: /must be a JSON object/,
		models: isOpen,
	},
];

/** Taken by the node, refused by the sandbox. */
const sandboxIsStricter: KnownDifference[] = [
	{
		reason:
			'The prompt is "required for most models"; the node does not require it where the spec does not show the fields',
		field: /^prompt$/,
		message: /must not be empty/,
		models: isOpen,
	},
	{
		reason: '`n` "number of images; model limits apply": no lower limit is shown for these',
		field: /^n$/,
		message: /at least 1/,
		// Section 9 says 1 to 6 of that one.
		models: (id) => isOpen(id) && id !== 'qwn-image-3.0',
	},
	{
		reason: 'Of image_with_roles only `[].url` is shown, not whether every entry has one',
		field: /^image_with_roles$/,
		message: /entries must be a string/,
		models: (id) => id.startsWith('sdn-'),
	},
	{
		reason: 'The node does not look for assets in fields that it does not know',
		field: /^(?!image_urls$)/,
		message: /does not accept asset references/,
		models: isOpen,
	},
	{
		reason: '`extend` "forbids images": whether an empty list is one is not said',
		field: /^image_urls$/,
		message: /cannot be used under extend/,
		models: (id) => id === 'pxv-v6',
		body: ({ image_urls }) => Array.isArray(image_urls) && image_urls.length === 0,
	},
	{
		reason: 'Only the gateway knows the tasks of the account',
		field: /^ref_task_id$/,
		message: /completed pxv-v6 task/,
	},
	{
		reason: 'Only the gateway sees the pixels',
		field: /^image_urls$/,
		message: /dimensions cannot be read|exceed 9 MP/,
		models: (id) => id.startsWith('flx-'),
	},
	{
		reason: 'Only the gateway knows the assets of the account and their types',
		field: /./,
		message: /^The asset |assets; ast_\w+ is of type/,
		models: (id) => id.startsWith('sdn-'),
	},
];

/** What a body costs in both readings. */
interface Price {
	/** Quota that the node estimates; undefined where its table states no price. */
	estimated?: number;
	/** Quota that the sandbox holds. */
	held: number;
}

/** Priced by the node in another way than by the sandbox. */
const knownPriceDifferences: {
	reason: string;
	models: (model: string) => boolean;
	isOf: (body: Body, price: Price) => boolean;
}[] = [
	{
		reason:
			'`official_fallback` "switches to the official channel at runtime": whether it will is not known before, so the node estimates the higher price',
		models: (id) => /^gmn-.*-preview$/.test(id),
		isOf: ({ official_fallback }, { estimated = 0, held }) =>
			official_fallback === true && estimated > held,
	},
	{
		reason:
			'4K of clipk-v3-omni with audio or a reference video: the spec states no price, and the sandbox holds the price without audio',
		models: (id) => id === 'clipk-v3-omni',
		isOf: ({ resolution }, { estimated }) => resolution === '4K' && estimated === undefined,
	},
];

/** Any text that the bodies have for a task ID is the ID of a completed task. */
const surroundings: CheckContext = {
	settings: defaultSettings(),
	hasCompleted: (id) => id === TEXT,
};
const assets = ['image', 'video', 'audio'].map((type) => ({
	id: `ast_${type}`,
	type,
	name: '',
	model: 'sdn-2.5',
}));
const assetLookup: AssetLookup = {
	findActive: (id) => assets.find((asset) => asset.id === id),
	isMisrouted: () => false,
};

/** What the sandbox answers: why it refuses the body, or the quota that it holds. */
function submitToSandbox(model: string, body: Body): { refusal: HttpError } | { held: number } {
	const request = { model, ...body };
	try {
		const rule = getRule(request);
		checkReferences(rule, request, 'main', assetLookup);
		obey(rule, request, surroundings);
		return { held: calculateHold(rule, request, surroundings) };
	} catch (reason) {
		if (reason instanceof HttpError) return { refusal: reason };
		throw reason;
	}
}

/** Every value that the sandbox names for a field, so that a table that is too narrow shows. */
const namedChanges = (model: string): Body[] =>
	minimalBodies(findModelSpec(model)!).flatMap((way) =>
		Object.entries(mediaModels[model]!.fields).flatMap(([name, { named = [] }]) =>
			named.map((value) => ({ ...way, [name]: value })),
		),
	);

/** The models that differ in each known way. */
const seen = new Map<object, Set<string>>();
function see(difference: object, model: string): void {
	seen.set(difference, (seen.get(difference) ?? new Set()).add(model));
}

function isKnown(
	differences: KnownDifference[],
	model: string,
	body: Body,
	{ field, message }: Issue,
): boolean {
	const known = differences.find(
		(difference) =>
			difference.field.test(field) &&
			difference.message.test(message) &&
			(difference.models?.(model) ?? true) &&
			(difference.body?.(body) ?? true),
	);
	if (known) see(known, model);
	return known !== undefined;
}

function isKnownPrice(model: string, body: Body, price: Price): boolean {
	const known = knownPriceDifferences.find(
		({ models, isOf }) => models(model) && isOf(body, price),
	);
	if (known) see(known, model);
	return known !== undefined;
}

/** Fields for which only one side gives a warning. */
function findDoubts(warnings: readonly Issue[], ineffective: readonly string[]): string[] {
	const warned = new Set(warnings.map(({ field }) => field));
	return [
		...ineffective
			.filter((field) => !warned.has(field))
			.map(
				(field) =>
					`no warning for ${field} in nodes/catalog/families (ignored, recommends or references), one in sandbox/rules`,
			),
		...[...warned]
			.filter((field) => !ineffective.includes(field))
			.map((field) => `a warning for ${field} in nodes/catalog/families, none in sandbox/rules`),
	];
}

/** How the two readings of one body differ beyond what is known. */
function findDifferences(model: string, body: Body): { found: string[]; isAccepted: boolean } {
	const spec = findModelSpec(model)!;
	const { issues, warnings } = validate(spec, body);
	const answer = submitToSandbox(model, body);
	if ('refusal' in answer) {
		const { message, param } = answer.refusal;
		const field = String(param);
		const isNamed = (issue: Issue) =>
			issue.field === field || issue.message.includes(getLabel(field, spec.fields[field]));
		if (issues.some(isNamed) || isKnown(sandboxIsStricter, model, body, { field, message }))
			return { found: [], isAccepted: false };
		const others = issues.map((issue) => issue.message).join('; ');
		const found = [
			others
				? `refused by sandbox/rules: ${message}, but by nodes/catalog/families: ${others}`
				: `refused only by sandbox/rules: ${message}`,
		];
		return { found, isAccepted: false };
	}
	const unknown = issues.filter((issue) => !isKnown(nodeIsStricter, model, body, issue));
	if (issues.length)
		return {
			found: unknown.map(({ message }) => `refused only by nodes/catalog/families: ${message}`),
			isAccepted: false,
		};
	const rule = getRule({ model });
	const doubts = isOpen(model)
		? []
		: findDoubts(warnings, listIneffective(rule, { model, ...body }));
	if (doubts.length || !rule.isPriced) return { found: doubts, isAccepted: true };
	const estimate = estimateCost(spec, body);
	const price = {
		estimated: 'quota' in estimate ? estimate.quota : undefined,
		held: answer.held,
	};
	// The spec does not say how a part of a quota is rounded.
	const isSame = Math.abs((price.estimated ?? -Infinity) - price.held) <= 1;
	if (isSame || isKnownPrice(model, body, price)) return { found: [], isAccepted: true };
	return { found: [describePrices(spec, body, price)], isAccepted: true };
}

/** By the unit of the table, so that the number in it can be found. */
function describePrices(
	{ price: { per }, fields }: KnownModelSpec,
	body: Body,
	{ estimated, held }: Price,
): string {
	const valueOf = (name: string) => body[name] ?? fields[name]?.default;
	const count = Number(valueOf(per === 'second' ? 'duration' : 'n') ?? 1);
	const rate = (quota: number) => `${Number((quota / QUOTA_PER_USD / count).toPrecision(6))} USD`;
	const resolution = valueOf('resolution');
	const size = typeof resolution === 'string' ? ` at ${resolution}` : '';
	const inTable = estimated === undefined ? 'not stated' : rate(estimated);
	return `price per ${per}${size}: ${inTable} in the table, ${rate(held)} in sandbox/rules`;
}

/** With long texts cut. */
const describeBody = (body: Body) =>
	JSON.stringify(body, (_name, value: unknown) =>
		typeof value === 'string' && value.length > 80 ? `${value.slice(0, 40)}…` : value,
	);

const served = modelSpecs.filter(({ deprecated }) => !deprecated);
const inSandbox = Object.keys(mediaModels);
const inBoth = served.map(({ id }) => id).filter((id) => inSandbox.includes(id));

describe('the catalog and the sandbox', () => {
	it('know the same models', () => {
		const missing = [
			...served
				.filter(({ id }) => !inSandbox.includes(id))
				.map(
					({ id }) =>
						`${id}: in nodes/catalog/families, missing in sandbox/rules (a new file needs a line in sandbox/rules/index.ts)`,
				),
			...inSandbox
				.filter((id) => !findModelSpec(id) || findModelSpec(id)!.deprecated)
				.map((id) => `${id}: in sandbox/rules, missing or deprecated in nodes/catalog/families`),
		];
		expect(missing).toEqual([]);
	});

	it('state a price for the same models', () => {
		const differing = inBoth.flatMap((id) => {
			const isPriced = findModelSpec(id)!.price.per !== 'unknown';
			if (isPriced === mediaModels[id]!.isPriced) return [];
			return [
				isPriced
					? `${id}: priced in nodes/catalog/families, without a stated price in sandbox/rules`
					: `${id}: priced in sandbox/rules, without a stated price in nodes/catalog/families`,
			];
		});
		expect(differing).toEqual([]);
	});

	it.each(inBoth)('have the same actions and defaults of %s', (id) => {
		const { fields, actions } = findModelSpec(id)!;
		const rule = mediaModels[id]!;
		const ofRule = { ...rule.defaults } as Body;
		for (const name of Object.keys(ofRule))
			if (name !== 'action' && !Object.hasOwn(rule.fields, name)) delete ofRule[name];
		const names = new Set([...Object.keys(fields), ...Object.keys(ofRule)]);
		const show = (value: unknown) => JSON.stringify(value) ?? 'none';
		const differing = [...names].flatMap((name) => {
			const [inTable, inSandbox] = [fields[name]?.default, ofRule[name]];
			if (inTable === inSandbox) return [];
			return `default of ${name}: ${show(inTable)} in the table, ${show(inSandbox)} in sandbox/rules`;
		});
		const inRule = rule.actions ?? actions;
		expect([
			...differing,
			...actions
				.filter((action) => !inRule.includes(action))
				.map((action) => `action ${action}: in the table, not in sandbox/rules`),
			...inRule
				.filter((action) => !actions.includes(action))
				.map((action) => `action ${action}: in sandbox/rules, not in the table`),
		]).toEqual([]);
	});

	it.each(inBoth.map((id, index) => [id, index] as const))(
		'agree on %s where the spec is unambiguous',
		(model, index) => {
			const spec = findModelSpec(model)!;
			const differing = new Map<string, string>();
			let accepted = 0;
			let total = 0;
			const bodies = [
				...singleChanges(spec),
				...pairs(spec),
				...namedChanges(model),
				...randomChanges(spec, RANDOM_BODIES, index + 1),
			];
			for (const body of bodies) {
				const compared = findDifferences(model, body);
				total += 1;
				if (compared.isAccepted) accepted += 1;
				for (const difference of compared.found) differing.set(difference, describeBody(body));
			}
			const found = [...differing].map(([difference, body]) => `${difference}, on ${body}`);
			expect(found.slice(0, 5)).toEqual([]);
			// Neither side is tried with one kind of body only.
			expect(accepted / total).toBeGreaterThan(0.05);
			expect(accepted / total).toBeLessThan(0.95);
		},
	);

	it('have every difference that is listed', () => {
		const unused = [...nodeIsStricter, ...sandboxIsStricter, ...knownPriceDifferences].flatMap(
			(difference) => {
				const { reason, models } = difference;
				const names = 'message' in difference ? String(difference.message) : 'price';
				const differing = seen.get(difference) ?? new Set();
				const missing = models
					? inBoth.filter((id) => models(id) && !differing.has(id))
					: ['no model'].slice(differing.size);
				return missing.map(
					(id) =>
						`${id}: no difference of ${names}, so the table may be wrong (-t leaves models out): ${reason}`,
				);
			},
		);
		expect(unused).toEqual([]);
	});
});
