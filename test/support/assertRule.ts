import type { Body } from '../../sandbox';
import { useSandbox, type SandboxContext } from './useSandbox';

export interface RuleAssertions {
	fixture: SandboxContext;
	/** Every one of these bodies is taken. */
	assertAccepted: (...bodies: Body[]) => Promise<void>;
	/** The body is refused with 400, naming this field, and nothing is held. */
	assertRefused: (body: Body, param: string) => Promise<void>;
	/** Quota held for the body. */
	getHold: (body: Body) => Promise<number>;
}

/** Puts bodies of one model before a sandbox. `base` is a body that the model takes. */
export function createRuleAssertions(base: Body): RuleAssertions {
	const fixture = useSandbox({ taskMs: 0 });
	const submit = (body: Body) => fixture.submit({ ...base, ...body });
	return {
		fixture,
		assertAccepted: async (...bodies) => {
			for (const body of bodies) {
				const { status, data } = await submit(body);
				expect([body, status, data.error]).toEqual([body, 200, undefined]);
			}
		},
		assertRefused: async (body, param) => {
			const before = fixture.sandbox.tasks().length;
			const { status, data } = await submit(body);
			const error = {
				code: 400,
				type: 'invalid_request_error',
				message: expect.any(String),
				param,
			};
			expect([body, status, data]).toEqual([body, 400, { error }]);
			expect(fixture.sandbox.tasks()).toHaveLength(before);
		},
		getHold: async (body) => (await submit(body)).data.pre_consumed_cost as number,
	};
}

export const link = 'https://example.com/a.png';
export const manyLinks = (count: number): string[] =>
	Array.from({ length: count }, (_, i) => `https://example.com/${i}.png`);
