import type { Body } from '../../sandbox';
import { useSandbox, type SandboxContext } from './useSandbox';

export interface Judge {
	visitor: SandboxContext;
	/** Every one of these bodies is taken. */
	takes: (...bodies: Body[]) => Promise<void>;
	/** The body is refused with 400, naming this field, and nothing is held. */
	refuses: (body: Body, param: string) => Promise<void>;
	/** Quota held for the body. */
	holds: (body: Body) => Promise<number>;
}

/** Puts bodies of one model before a sandbox. `base` is a body that the model takes. */
export function assertRule(base: Body): Judge {
	const visitor = useSandbox({ taskMs: 0 });
	const submit = (body: Body) => visitor.submit({ ...base, ...body });
	return {
		visitor,
		takes: async (...bodies) => {
			for (const body of bodies) {
				const { status, data } = await submit(body);
				expect([body, status, data.error]).toEqual([body, 200, undefined]);
			}
		},
		refuses: async (body, param) => {
			const before = visitor.sandbox.tasks().length;
			const { status, data } = await submit(body);
			const error = {
				code: 400,
				type: 'invalid_request_error',
				message: expect.any(String),
				param,
			};
			expect([body, status, data]).toEqual([body, 400, { error }]);
			expect(visitor.sandbox.tasks()).toHaveLength(before);
		},
		holds: async (body) => (await submit(body)).data.pre_consumed_cost as number,
	};
}

export const link = 'https://example.com/a.png';
export const manyLinks = (count: number): string[] =>
	Array.from({ length: count }, (_, i) => `https://example.com/${i}.png`);
