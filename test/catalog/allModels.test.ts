import { findModelSpec, getModelSpec, modelSpecs } from '../../nodes/catalog/modelSpec';
import { modelsOf, OFFERED_FIELDS } from '../support/offeredFields';
import { minimalBodies } from '../support/requestBodies';
import { validateBody, COMMON_FIELDS } from '../support/validation';

/** Those of sections 2.3 and 9 that no longer work. */
const DEPRECATED = ['srx-2', 'srx-2-pro', 'gx-imagine-1.0-video-rev'];
const MODELS = (['image', 'video'] as const).flatMap((media) =>
	modelsOf(media).map((id) => {
		const isOpen = Object.values(OFFERED_FIELDS[media][id]!).join().includes('extra_body');
		return { id, media, isOpen };
	}),
);

it('knows every model of the spec, and no other', () => {
	const listed = [...MODELS.map(({ id }) => id), ...DEPRECATED];
	const known = modelSpecs.map(({ id }) => id);
	expect([
		...known
			.filter((id) => !listed.includes(id))
			.map((id) => `${id}: has no row in test/support/offeredFields.ts`),
		...listed.filter((id) => !known.includes(id)).map((id) => `${id}: in no table`),
	]).toEqual([]);
});

// One that is in no table has failed above.
const known = MODELS.filter(({ id }) => findModelSpec(id));
describe.each(known)('$id', ({ id, media, isOpen }) => {
	const spec = getModelSpec(id);
	const [required] = minimalBodies(findModelSpec(id)!);

	it('has a spec of its media, served under its exact id', () => {
		expect(spec).toBe(findModelSpec(id));
		expect(spec).toMatchObject({ id, media });
		expect(spec.deprecated).toBeUndefined();
	});
	it('generates when no action is named', () => {
		expect(spec.actions[0]).toBe('generate');
	});
	it('takes a callback and an extra object beside its fields', () => {
		expect(validateBody(id, { ...required, ...COMMON_FIELDS }).issues).toEqual([]);
	});
	it('takes a callback only as a public link, events only as a list, extra only as an object', () => {
		const { issues } = validateBody(id, {
			...required,
			callback_url: 'asset://ast_01',
			callback_events: 'completed',
			extra: 'style',
		});
		expect(issues.map(({ field }) => field)).toEqual(['callback_url', 'callback_events', 'extra']);
	});
	it(
		isOpen
			? 'lets parameters through that nobody knows'
			: 'refuses a parameter that it does not take',
		() => {
			const { issues } = validateBody(id, { ...required, sparkle: 1 });
			expect(issues.map(({ field }) => field)).toEqual(isOpen ? [] : ['sparkle']);
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
