import type { Body } from '../../sandbox';

/** Every kind of difference, made of what the sandbox serves: one new model, one missing, one listed again, one price that moved. */
export const listChanged = (served: Body[]): Body[] => [
	...served
		.filter(({ id }) => id !== 'clipk-v2.6')
		.map((model) =>
			model.id === 'imgn-4.0'
				? { ...model, price_config: { currency: 'USD', unit: 'image', price: 0.05 } }
				: model,
		),
	{ id: 'clipk-zz', type: 'video', price_config: { currency: 'USD', unit: 'second', price: 0.2 } },
	{ id: 'srx-2', type: 'video' },
];

/** What the example's mail says of these. */
export const CHANGED_MAIL = `New at the gateway:
- clipk-zz

Not listed any more:
- clipk-v2.6

Listed again:
- srx-2

Prices that moved:
- imgn-4.0: $0.0425 is now 0.05`;
