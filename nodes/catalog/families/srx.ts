import { unpriced } from './shapes';
import type { Family } from '../schema';

const DELISTED = {
	actions: ['generate'],
	price: unpriced('No longer served'),
	deprecated: { reason: 'delisted' },
} as const;

/** Spec sections 1.8, 2.3 and 9: every call returns an error, so the fields they had are not kept. */
export const srx = {
	title: 'Srx',
	media: 'video',
	fields: {},
	rules: [],
	models: { 'srx-2': DELISTED, 'srx-2-pro': DELISTED },
} as const satisfies Family;
