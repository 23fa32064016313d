import type { Family } from '../schema';

/** Spec section 2.3, legacy image submission. */
export const legacy = {
  id: 'legacy',
  title: 'Legacy Image',
  media: 'image',
  section: '2.3 Legacy image submission (model gp-4o-image)',
  fields: {
    prompt: {
      type: 'string',
      required: true,
      maxLength: 1000,
      says: 'What the image shows, or what to change in it',
    },
    image_urls: {
      type: 'links',
      media: 'image',
      everyday: true,
      maxItems: 5,
      says: 'Public links to images to work from',
    },
    size: { type: 'string', everyday: true, values: ['1:1', '2:3', '3:2'], says: 'Shape of the image' },
    n: {
      type: 'integer',
      values: [1, 2, 4],
      says: 'How many images to make; the hold grows with it',
    },
    mask_url: {
      type: 'link',
      media: 'image',
      says: 'Public link to a PNG of the size of the reference image, at most 4 MB, that marks what to change',
    },
  },
  rules: [],
  models: {
    'gp-4o-image': {
      actions: ['generate'],
      price: { per: 'unknown', says: 'The hold is placed by number of images' },
    },
  },
  files: ['Mask: PNG, same dimensions as the reference image, at most 4 MB', 'Output: link valid for 24 hours'],
} as const satisfies Family;
