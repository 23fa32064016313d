import { clipk } from './clipk';
import { flx } from './flx';
import { gmn } from './gmn';
import { gxImage } from './gxImage';
import { gxVideo } from './gxVideo';
import { imgn } from './imgn';
import { legacy } from './legacy';
import { gxVideo15, qwn3, sdn } from './open';
import { pxv } from './pxv';
import { qwn } from './qwn';
import { srx } from './srx';
import type { Family } from '../schema';

export { COMMON_ACTIONS, COMMON_FIELDS, COMMON_VIDEO_FIELDS, EVERY_REQUEST } from './anyModel';
export * from '../textEndpoints';
export type * from '../schema';

/** Every family, in the order of docs/models.md. */
export const families: readonly Family[] = [
	gmn,
	flx,
	gxImage,
	qwn,
	qwn3,
	imgn,
	legacy,
	clipk,
	pxv,
	gxVideo,
	gxVideo15,
	sdn,
	srx,
];
