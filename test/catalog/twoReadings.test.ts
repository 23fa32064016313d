import { validate, type Issue } from '../../nodes/catalog/validate';
import { estimateCost } from '../../nodes/catalog/pricing';
import { listServedModels } from '../../nodes/catalog/modelList';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import { calculateHold } from '../../sandbox/prices';
import type { HttpError } from '../../sandbox/httpError';
import { mediaModels, obey, getRule, type CheckContext } from '../../sandbox/rules';
import { checkReferences, type AssetLookup } from '../../sandbox/rules/references';
import { defaultSettings } from '../../sandbox/settings';
import { randomChanges, singleChanges, type Body } from '../support/bodies';

/**
 * The tables of the node and the rules of the sandbox were written from the spec apart from each other.
 * Here they judge the same bodies: where they part, one of them misread, or the spec leaves it open.
 */
const RANDOM_BODIES = 1000;
const OPEN = [
	'sdn-2.0',
	'sdn-2.0-fast',
	'sdn-2.0-mini',
	'sdn-2.5',
	'gx-imagine-video-1.5-rev',
	'qwn-image-3.0',
];

interface Known {
	/** Why both readings stand. */
	why: string;
	field: RegExp;
	message: RegExp;
	models?: (model: string) => boolean;
	body?: (body: Body) => boolean;
}

/** Refused by the node, taken by the sandbox. */
const nodeIsStricter: Known[] = [
	{
		why: 'A prompt of blanks is a string; the node takes it for an expression that came out empty',
		field: /^prompt$/,
		message: /is empty, and/,
	},
	{
		why: 'A link with a blank before it is a URL to a URL parser; the panel trims it, a JSON body is taken literally',
		field: /_urls$|_references$/,
		message: /: " https/,
	},
	{
		why: 'gmn: `edit` is "typically 1 image" and `reference` "several images"; whether none is refused is not said',
		field: /^image_urls$/,
		message: /is missing: (edit|reference) works/,
		models: (id) => id.startsWith('gmn-'),
	},
	{
		why: '`image2video` of gx-imagine-1.0-video without images: images "trigger" image-to-video, the reverse is not said',
		field: /^image_urls$/,
		message: /is missing: image2video works/,
		models: (id) => id === 'gx-imagine-1.0-video',
	},
	{
		why: 'extra_body is a field of the panel; what arrives under that name was not JSON',
		field: /^extra_body$/,
		message: /JSON object is needed/,
		models: (id) => OPEN.includes(id),
	},
];

/** Taken by the node, refused by the sandbox. */
const sandboxIsStricter: Known[] = [
	{
		why: 'The prompt is "required for most models"; the node does not require it where the spec does not show the fields',
		field: /^prompt$/,
		message: /must not be empty/,
		models: (id) => OPEN.includes(id),
	},
	{
		why: '`n` "number of images; model limits apply": no lower limit is shown for these',
		field: /^n$/,
		message: /at least 1/,
		models: (id) => OPEN.includes(id),
	},
	{
		why: 'Of image_with_roles only `[].url` is shown, not whether every entry has one',
		field: /^image_with_roles$/,
		message: /entries must be a string/,
		models: (id) => id.startsWith('sdn-'),
	},
	{
		why: 'The node does not look for assets in fields that it does not know',
		field: /./,
		message: /does not accept asset references/,
		models: (id) => OPEN.includes(id),
	},
	{
		why: '`extend` "forbids images": whether an empty list is one is not said',
		field: /^image_urls$/,
		message: /cannot be used under extend/,
		models: (id) => id === 'pxv-v6',
		body: ({ image_urls }) => Array.isArray(image_urls) && image_urls.length === 0,
	},
	{
		why: 'Only the gateway knows the tasks of the account',
		field: /^ref_task_id$/,
		message: /completed pxv-v6 task/,
	},
	{
		why: 'Only the gateway sees the pixels',
		field: /^image_urls$/,
		message: /dimensions cannot be read|exceed 9 MP/,
		models: (id) => id.startsWith('flx-'),
	},
	{
		why: 'Only the gateway knows the assets of the account and their types',
		field: /./,
		message: /^The asset |assets; ast_\w+ is of type/,
		models: (id) => id.startsWith('sdn-'),
	},
];

/** Estimated by the node at another price than the sandbox holds. */
const estimatedDearer = [
	{
		why: '`official_fallback` "switches to the official channel at runtime": whether it will is not known before, so the node reckons with it',
		is: (model: string, body: Body, estimated: number, held: number) =>
			model.startsWith('gmn-') && body.official_fallback === true && estimated > held,
	},
];

const around: CheckContext = {
	settings: defaultSettings(),
	hasCompleted: (id) => id === 'task_done',
};
const assets = ['image', 'video', 'audio'].map((type) => ({
	id: `ast_${type}`,
	type,
	name: '',
	model: 'sdn-2.5',
}));
const shelf: AssetLookup = {
	findActive: (id) => assets.find((asset) => asset.id === id),
	isMisrouted: () => false,
};

/** What the sandbox says against a body, and what it would hold for it when it says nothing. */
function judged(model: string, body: Body): { refusal?: HttpError; held?: number } {
	const whole = { model, ...body };
	try {
		const rule = getRule(whole);
		checkReferences(rule, whole, 'main', shelf);
		obey(rule, whole, around);
		return { held: rule.isPriced ? calculateHold(rule, whole, around) : -1 };
	} catch (refusal) {
		return { refusal: refusal as HttpError };
	}
}

const met = new Set<Known>();

function isKnown(list: Known[], model: string, body: Body, { field, message }: Issue): boolean {
	const fits = (entry: Known) =>
		entry.field.test(field) &&
		entry.message.test(message) &&
		(entry.models?.(model) ?? true) &&
		(entry.body?.(body) ?? true);
	const known = list.find(fits);
	if (known) met.add(known);
	return known !== undefined;
}

const models = Object.keys(mediaModels);

describe('two readings of the spec', () => {
	it('know the same models', () => {
		expect(models.sort()).toEqual(
			[...listServedModels('image'), ...listServedModels('video')].map(({ id }) => id).sort(),
		);
	});

	it.each(models.map((model, at) => [model, at] as const))(
		'agree on %s, but for what is known to be open',
		(model, at) => {
			const spec = getModelSpec(model);
			const parted: unknown[] = [];
			const counts = { bodies: 0, taken: 0 };
			for (const body of [...singleChanges(spec), ...randomChanges(spec, RANDOM_BODIES, at + 1)]) {
				counts.bodies += 1;
				const { issues } = validate(spec, body);
				const { refusal, held } = judged(model, body);
				if (!refusal && !issues.length) counts.taken += 1;
				const strange = refusal
					? issues.length ||
						isKnown(sandboxIsStricter, model, body, {
							field: String(refusal.param),
							message: refusal.message,
						})
						? []
						: [`sandbox: ${refusal.message}`]
					: issues
							.filter((issue) => !isKnown(nodeIsStricter, model, body, issue))
							.map(({ message }) => `node: ${message}`);
				if (strange.length) parted.push({ body, strange });

				const estimated = refusal || issues.length ? { unknown: '' } : estimateCost(spec, body);
				if ('unknown' in estimated || held === undefined || Math.abs(estimated.quota - held) <= 1)
					continue;
				if (!estimatedDearer.some(({ is }) => is(model, body, estimated.quota, held)))
					parted.push({ body, estimated, held });
			}
			expect(parted.slice(0, 5)).toEqual([]);
			expect(counts.taken / counts.bodies).toBeGreaterThan(0.05);
			expect(counts.taken / counts.bodies).toBeLessThan(0.95);
		},
	);

	it('part wherever they are said to', () => {
		const unmet = [...nodeIsStricter, ...sandboxIsStricter].filter((known) => !met.has(known));
		expect(unmet.map(({ why }) => why)).toEqual([]);
	});
});
