import { z } from 'zod';

/** A charge: a whole number (spec section 1.5). Anything else, e.g. an amount in USD, is none. */
export const quota = z.number().int().nonnegative().optional().catch(undefined);
