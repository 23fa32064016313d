import { getLabel, getParameter } from '../../nodes/catalog/labels';
import { getModelSpec, modelSpecs } from '../../nodes/catalog/modelSpec';
import { validate } from '../../nodes/catalog/validate';
import { isPrimary, isVisible } from '../../nodes/catalog/visibility';
import { readPanel } from '../../nodes/n8n/panel/readPanel';

type Body = Record<string, unknown>;

const A = 'https://example.com/a.png';

const bodyOf = (model: string, top: Body, additionalFields: Body = {}) =>
	readPanel(getModelSpec(model), { top: { prompt: 'a red kite', ...top }, additionalFields });
const messages = (model: string, body: Body) =>
	validate(getModelSpec(model), body).issues.map(({ message }) => message);

/** Every field of every panel, with an action that has it. */
const fields = modelSpecs.flatMap((spec) =>
	Object.entries(spec.fields).flatMap(([name, { type }]) => {
		const action = spec.actions.find((one) => isVisible(spec, name, one));
		return action && !spec.deprecated ? [{ model: spec.id, name, type, action }] : [];
	}),
);
const isLink = ({ type }: { type: string }) => /^links?$/.test(type);

it.each(fields.filter((field) => !isLink(field)))(
	'is left out and named when its expression finds nothing: $name of $model',
	({ model, name, action }) => {
		const spec = getModelSpec(model);
		const parameter = getParameter(name, spec.fields[name]);
		const read = (given: unknown) => {
			const missing: string[] = [];
			const set = { [parameter]: given };
			const [top, additionalFields] = isPrimary(spec, name) ? [set, {}] : [{}, set];
			readPanel(spec, { top: { action, ...top }, additionalFields }, false, (label) =>
				missing.push(label),
			);
			return missing;
		};

		expect(read(undefined)).toEqual([getLabel(name, spec.fields[name])]);
		expect([null, '', {}].flatMap(read)).toEqual([]);
	},
);

describe('a link whose expression finds nothing', () => {
	it.each(fields.filter(isLink))('is refused: $name of $model', ({ model, name, type, action }) => {
		const spec = getModelSpec(model);
		const isTop = isPrimary(spec, name);
		const lists = type === 'links' ? [[undefined], [A, [null]]] : [];
		for (const given of [undefined, null, ...lists]) {
			const [top, more] = isTop ? [{ [name]: given }, {}] : [{}, { [name]: given }];
			const body = bodyOf(model, { action, ...top }, more);

			const { issues } = validate(spec, body);
			const descriptions = issues
				.filter(({ field }) => field === name)
				.map(({ message }) => message);
			expect(descriptions).toEqual([
				`${getLabel(name, spec.fields[name])} has an expression that finds nothing in this item. Check the names in it. Where an item may do without it, write e.g. {{ $json.urls?.[0] ?? '' }}`,
			]);
		}
	});
	it.each(['', [], ['']])('is another matter than one left empty on purpose: %j', (given) => {
		expect(bodyOf('pxv-v6', { image_urls: given })).toEqual({ prompt: 'a red kite' });
	});
	it.each(['image_urls', 'first_frame_image'])(
		'is refused beside an asset that is picked: %s',
		(name) => {
			const picked = { image_assets: ['asset://a'], first_frame_image_asset: 'asset://a' };
			const body = bodyOf('sdn-2.5', { [name]: undefined }, { [name]: undefined, ...picked });
			expect(messages('sdn-2.5', body)).toEqual([expect.stringContaining('finds nothing')]);
		},
	);
	it.each([undefined, null, [null], ['asset://a', undefined]])(
		'is refused in a list of assets: %j',
		(given) => {
			const picked = { image_assets: given, first_frame_image_asset: given };
			const body = bodyOf('sdn-2.5', { image_urls: [A] }, picked);
			expect(messages('sdn-2.5', body)).toEqual([
				expect.stringMatching(/^Image URLs .* finds nothing/),
				expect.stringMatching(/^First Frame Image .* finds nothing/),
			]);
		},
	);
	it('is not looked at in a list of assets that gives way to a link', () => {
		const body = bodyOf('sdn-2.5', { first_frame_image: A }, { first_frame_image_asset: null });
		expect(body).toEqual({ prompt: 'a red kite', first_frame_image: A });
	});
	it('is not looked at in a list of assets that the mode does not offer', () => {
		const picked = { video_assets: undefined, first_frame_image_asset: undefined };
		expect(bodyOf('sdn-2.5', { action: 'extend' }, { first_frame_image_asset: null })).toEqual({
			action: 'extend',
			prompt: 'a red kite',
		});
		expect(messages('sdn-2.5', bodyOf('sdn-2.5', { action: 'image2video' }, picked))).toEqual([
			expect.stringMatching(/^First Frame Image .* finds nothing/),
		]);
	});
	it('may be left out by an agent', () => {
		const given = { top: { prompt: 'a red kite', image_urls: undefined }, additionalFields: {} };
		expect(readPanel(getModelSpec('pxv-v6'), given, true)).toEqual({ prompt: 'a red kite' });
	});
});
