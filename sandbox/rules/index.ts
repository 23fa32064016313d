import { HttpError } from '../httpError';
import type { Body } from '../settings';
import { clipk } from './clipk';
import { flx } from './flx';
import { gx } from './gx';
import { gmn, imgn, qwn } from './image';
import { legacy, open, qwn3 } from './open';
import type { ModelRule } from './rule';
import { video } from './video';

export { checkBody as obey, type ModelRule } from './rule';
export type { CheckContext } from './checks';

/** Every media model that works, by id. */
export const mediaModels: Record<string, ModelRule> = {
	...clipk,
	...video,
	...gmn,
	...flx,
	...gx,
	...qwn,
	...imgn,
	...legacy,
	...open,
};

const DEPRECATED_MODELS: Record<string, string> = {
	'srx-2': 'srx-2 is delisted and no longer works.',
	'srx-2-pro': 'srx-2-pro is delisted and no longer works.',
	'gx-imagine-1.0-video-rev':
		'gx-imagine-1.0-video-rev is retired in favour of gx-imagine-video-1.5-rev.',
};

/** The rule of `body.model`; 400 for a model that is missing, deprecated or unknown. */
export function getRule(body: Body): ModelRule {
	const { model } = body;
	if (typeof model !== 'string' || model === '')
		throw new HttpError(400, 'model is required.', 'model');
	if (Object.hasOwn(DEPRECATED_MODELS, model))
		throw new HttpError(400, DEPRECATED_MODELS[model] as string, 'model');
	if (Object.hasOwn(mediaModels, model)) return mediaModels[model] as ModelRule;
	if (/^qwn-image-3\.0-[a-z0-9.-]+$/.test(model)) return qwn3;
	throw new HttpError(400, `The model ${model} is unknown.`, 'model');
}
