import { modelSpecs, type KnownModelSpec } from '../../nodes/catalog/modelSpec';
import { findTypeProblem } from '../../nodes/catalog/jsonTypes';
import { validate } from '../../nodes/catalog/validate';
import { isVisible } from '../../nodes/catalog/visibility';
import { createToolArguments } from '../../nodes/n8n/toolArguments';
import { samplesOf } from '../support/fieldSamples';
import { minimalBodies, type Body } from '../support/requestBodies';

const served = modelSpecs.filter(({ deprecated }) => !deprecated);

/** Every way to ask the model, with each value that is tried for each field, one field at a time. */
function* listBodies(spec: KnownModelSpec): Generator<Body> {
	for (const { action, ...others } of minimalBodies(spec)) {
		const way = spec.actions.length > 1 && action ? { action, ...others } : others;
		yield way;
		for (const [name, field] of Object.entries(spec.fields)) {
			for (const value of samplesOf(field)) yield { ...way, [name]: value };
			yield Object.fromEntries(Object.entries(way).filter(([given]) => given !== name));
		}
	}
}

/** Whether a body holds only what an agent is offered, in the types of JSON. */
const isOffered = (spec: KnownModelSpec, { action = spec.actions[0]!, ...fields }: Body) =>
	(spec.actions.length > 1 || action === spec.actions[0]) &&
	Object.entries(fields).every(
		([name, value]) =>
			isVisible(spec, name, String(action)) && !findTypeProblem(value, spec.fields[name]!),
	);

describe.each(served.map((spec) => [spec.id, spec] as const))(
	'the arguments of %s',
	(_id, spec) => {
		const schema = createToolArguments(spec, {});
		const bodies = [...listBodies(spec)].filter((body) => isOffered(spec, body));

		it('take what the table accepts', () => {
			const accepted = bodies.filter((body) => !validate(spec, body).issues.length);

			expect(accepted.length).toBeGreaterThan(10);
			expect(accepted.filter((body) => !schema.safeParse(body).success)).toEqual([]);
		});

		it('need no constant and no enumeration of anything but texts, which not all chat models take', () => {
			const types = new Set<string>();
			const visit = (part: unknown): void => {
				if (typeof part !== 'object' || part === null) return;
				const { typeName } = part as { typeName?: string };
				if (typeName) types.add(typeName);
				const choices = Reflect.get(part, 'values') as unknown;
				if (typeName === 'ZodEnum')
					expect(choices).toEqual((choices as unknown[]).map((choice) => String(choice)));
				for (const inner of Object.values(part)) visit(inner);
			};
			for (const argument of Object.values(schema.shape) as { _def: unknown }[])
				visit(argument._def);

			expect([...types]).toEqual(
				expect.not.arrayContaining(['ZodLiteral', 'ZodUnion', 'ZodNativeEnum']),
			);
		});

		it('name each field that the model takes, with what it is for', () => {
			const offered = Object.keys(spec.fields).filter((name) =>
				spec.actions.some((action) => isVisible(spec, name, action)),
			);

			expect(Object.keys(schema.shape)).toEqual(offered);
			for (const argument of Object.values(schema.shape) as { description?: string }[])
				expect(argument.description).toMatch(/^[A-Z].*\.$/s);
		});

		it('refuse a choice, a number or a list that the table refuses by itself', () => {
			const isRefused = (body: Body) =>
				Object.entries(body).some(([name, value]) => {
					const { enum: choices, otherValues, min, max, minItems, maxItems } = spec.fields[name]!;
					// Numbers to choose from are a range in the schema; the check before sending knows them.
					if (choices && typeof value === 'string') return !otherValues && !choices.includes(value);
					if (choices) return false;
					if (typeof value === 'number') return value < (min ?? value) || value > (max ?? value);
					if (!Array.isArray(value)) return false;
					return value.length < (minItems ?? 0) || value.length > (maxItems ?? Infinity);
				});
			const refused = bodies.filter(isRefused);

			expect(refused.filter((body) => schema.safeParse(body).success)).toEqual([]);
		});
	},
);

it('keep what the gateway does not describe of an entry, e.g. the role of an image', () => {
	const schema = createToolArguments(
		served.find(({ id }) => id === 'sdn-2.5')!,
		{},
	);
	const body = { image_with_roles: [{ url: 'asset://ast_1', role: 'first_frame' }] };

	expect(schema.parse(body)).toEqual(body);
});

it('leave out what no entry of the table takes', () => {
	const schema = createToolArguments(
		served.find(({ id }) => id === 'clipk-v3-omni')!,
		{},
	);
	const taken = { prompt: 'a kite', video_list: [{ video_url: 'https://e.com/a.mp4' }] };
	const given = { ...taken, video_list: [{ ...taken.video_list[0], role: 'base' }] };

	expect(schema.parse(given)).toEqual(taken);
});

describe('the arguments of a model with fixed fields', () => {
	const spec = served.find(({ id }) => id === 'clipk-v3-omni')!;

	it('lack what is fixed', () => {
		const { shape } = createToolArguments(spec, { resolution: '1080p', duration: 5 });

		expect(Object.keys(shape)).toEqual(expect.not.arrayContaining(['resolution', 'duration']));
		expect(Object.keys(shape)).toContain('prompt');
	});

	it('are those of the action that is fixed', () => {
		const { shape } = createToolArguments(spec, { action: 'reference' });

		expect(Object.keys(shape)).not.toContain('aspect_ratio');
		expect(shape.image_urls!.isOptional()).toBe(false);
	});
});
