import { getModelSpec, modelSpecs } from '../../../nodes/catalog/modelSpec';
import { validateBody, COMMON_FIELDS } from '../../support/validation';

/** The models of sections 2.3, 2.4 and 9, by hand. */
const IMAGE = [
	'gmn-3-pro-image-preview-official',
	'gmn-3-pro-image-preview',
	'gmn-3.1-flash-image-preview-official',
	'gmn-3.1-flash-image-preview',
	'gmn-2.5-flash-image-preview-official',
	'gmn-2.5-flash-image-preview',
	'flx-2-pro',
	'flx-2-max',
	'flx-2-flex',
	'flx-ctx-pro',
	'flx-ctx-max',
	'gx-imagine-image',
	'gx-imagine-image-quality',
	'gx-imagine-image-2.0',
	'gx-imagine-image-2.0-rev',
	'gx-imagine-1.5-rev',
	'gx-imagine-1.5-edit-rev',
	'qwn-image-2.0-pro',
	'qwn-image-2.0',
	'qwn-image-3.0',
	'imgn-4.0',
	'gp-4o-image',
];
const VIDEO = [
	'clipk-video-o1',
	'clipk-v3-omni',
	'clipk-v3',
	'clipk-v2.6',
	'pxv-v6',
	'gx-imagine-1.0-video',
	'gx-imagine-video-1.5-rev',
	'sdn-2.0',
	'sdn-2.0-fast',
	'sdn-2.0-mini',
	'sdn-2.5',
];
const DEPRECATED = ['srx-2', 'srx-2-pro', 'gx-imagine-1.0-video-rev'];
const OPEN_MODELS = [
	'qwn-image-3.0',
	'gx-imagine-video-1.5-rev',
	'sdn-2.0',
	'sdn-2.0-fast',
	'sdn-2.0-mini',
	'sdn-2.5',
];

it('knows every model of the spec, and no other', () => {
	const listed = [...IMAGE, ...VIDEO, ...DEPRECATED];
	const known = modelSpecs.map(({ id }) => id);
	expect([
		...known.filter((id) => !listed.includes(id)).map((id) => `${id}: not listed in this test`),
		...listed.filter((id) => !known.includes(id)).map((id) => `${id}: in no table`),
	]).toEqual([]);
});

describe.each([...IMAGE, ...VIDEO])('%s', (id) => {
	const spec = getModelSpec(id);

	it('has a spec of its media, served under its exact id', () => {
		expect(spec).toMatchObject({
			id,
			unknown: false,
			media: IMAGE.includes(id) ? 'image' : 'video',
		});
		expect(spec.deprecated).toBeUndefined();
	});
	it('generates when no action is named', () => {
		expect(spec.actions[0]).toBe('generate');
	});
	it('takes a callback and an extra object beside its fields', () => {
		expect(validateBody(id, COMMON_FIELDS).issues).toEqual([]);
	});
	it('takes a callback only as a public link, events only as a list, extra only as an object', () => {
		const { issues } = validateBody(id, {
			callback_url: 'asset://ast_01',
			callback_events: 'completed',
			extra: 'style',
		});
		expect(issues.map(({ field }) => field)).toEqual(['callback_url', 'callback_events', 'extra']);
	});
	it(
		OPEN_MODELS.includes(id)
			? 'lets parameters through that nobody knows'
			: 'refuses a parameter that it does not take',
		() => {
			expect(validateBody(id, { sparkle: 1 }).issues.map(({ field }) => field)).toEqual(
				OPEN_MODELS.includes(id) ? [] : ['sparkle'],
			);
		},
	);
});

describe('deprecated models', () => {
	it.each([
		['srx-2', 'Model srx-2 is delisted. Use another model'],
		['srx-2-pro', 'Model srx-2-pro is delisted. Use another model'],
		[
			'gx-imagine-1.0-video-rev',
			'Model gx-imagine-1.0-video-rev is retired. Use gx-imagine-video-1.5-rev',
		],
	])('refuses %s and names the replacement where the spec does', (id, message) => {
		expect(validateBody(id, { anything: true })).toEqual({
			issues: [{ field: 'model', message }],
			warnings: [],
		});
	});
});
