import type { Family } from '../schema';

/** Spec section 2.3, model gx-imagine-1.0-video, and the changes recorded in section 9. */
export const gxVideo = {
  id: 'gx-video',
  title: 'Gx Imagine Video',
  media: 'video',
  section: '2.3 Model gx-imagine-1.0-video (video)',
  fields: {
    prompt: {
      type: 'string',
      required: true,
      says: 'What happens in the video; with images, how they move and look',
    },
    image_urls: {
      type: 'links',
      media: 'image',
      everyday: true,
      maxItems: 7,
      says: 'Public links to images: JPG, PNG or WEBP; the first sets the shape of the video',
    },
    aspect_ratio: {
      type: 'string',
      everyday: true,
      values: ['16:9', '9:16', '1:1', '3:2', '2:3'],
      default: '16:9',
      says: 'Shape of the video, for text to video; images keep the shape of the first one',
    },
    resolution: {
      type: 'string',
      everyday: true,
      values: ['480p', '720p'],
      default: '480p',
      says: 'Resolution of the video; the price is the same',
    },
    duration: {
      type: 'integer',
      everyday: true,
      min: 6,
      max: 30,
      default: 6,
      says: 'Length of the video in seconds',
    },
  },
  rules: [
    {
      rule: 'requires',
      when: { action: ['image2video'] },
      anyOf: ['image_urls'],
      says: 'image2video works from Image URLs',
    },
    {
      rule: 'idle',
      when: { action: ['image2video'] },
      fields: ['aspect_ratio'],
      says: 'Aspect Ratio counts for text to video only; image to video follows the first image',
    },
    {
      rule: 'idle',
      when: { has: ['image_urls'] },
      fields: ['aspect_ratio'],
      says: 'Aspect Ratio counts for text to video only; image to video follows the first image',
    },
  ],
  models: {
    'gx-imagine-1.0-video': {
      actions: ['generate', 'image2video'],
      price: { per: 'second', usd: 0.0074375 },
    },
    'gx-imagine-1.0-video-rev': {
      actions: ['generate'],
      price: { per: 'unknown', says: 'No longer served' },
      section: '9 Versioning',
      gone: { word: 'retired', successor: 'gx-imagine-video-1.5-rev' },
    },
  },
  files: ['Reference images: JPG, PNG or WEBP', 'Output: MP4, link valid for 24 hours'],
} as const satisfies Family;
