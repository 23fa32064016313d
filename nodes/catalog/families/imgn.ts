import type { Family } from '../schema';

/** Spec section 2.3, model imgn-4.0. */
export const imgn = {
  id: 'imgn',
  title: 'Imgn',
  media: 'image',
  section: '2.3 Model imgn-4.0 (image)',
  fields: {
    prompt: { type: 'string', required: true, says: 'What the image shows' },
    aspect_ratio: {
      type: 'string',
      everyday: true,
      values: ['1:1', '4:3', '3:4', '16:9', '9:16'],
      default: '1:1',
      says: 'Shape of the image',
    },
    n: { type: 'integer', min: 1, default: 1, says: 'How many images to make' },
    seed: { type: 'integer', default: -1, says: 'Random seed; -1 is random' },
    resolution: {
      type: 'string',
      says: 'Has no tiers: the image is always native 2K. Leave it empty',
    },
  },
  rules: [
    {
      rule: 'idle',
      when: {},
      fields: ['resolution'],
      says: 'imgn-4.0 always gives its native 2K, so Resolution is best left empty',
    },
  ],
  models: { 'imgn-4.0': { actions: ['generate'], price: { per: 'image', usd: 0.0425 } } },
  files: ['Output: JPG, link valid for 24 hours'],
} as const satisfies Family;
