import type { Family } from '../schema';

const IMAGES = ['image_urls', 'first_frame_image', 'last_frame_image', 'img_references'] as const;

/** Spec section 2.3, model pxv-v6. */
export const pxv = {
  id: 'pxv',
  title: 'Pxv',
  media: 'video',
  section: '2.3 Model pxv-v6 (video)',
  fields: {
    prompt: {
      type: 'string',
      required: true,
      maxLength: 5000,
      says: 'What happens in the video; under extend, how it goes on',
    },
    ref_task_id: {
      type: 'string',
      everyday: true,
      offered: ['extend'],
      label: 'Reference Task ID',
      placeholder: 'e.g. task_01h8',
      says: 'ID of a completed pxv-v6 task of the same account, whose video goes on',
    },
    image_urls: {
      type: 'links',
      media: 'image',
      everyday: true,
      says: 'Public link to an image that starts to move; only the first is used',
    },
    first_frame_image: {
      type: 'link',
      media: 'image',
      everyday: true,
      says: 'Public link to the image the video starts with; goes with Last Frame Image',
    },
    last_frame_image: {
      type: 'link',
      media: 'image',
      everyday: true,
      says: 'Public link to the image the video ends with; goes with First Frame Image',
    },
    img_references: {
      type: 'links',
      media: 'image',
      minItems: 1,
      maxItems: 7,
      label: 'Image References',
      says: 'Public links to images that are fused into one video',
    },
    aspect_ratio: {
      type: 'string',
      everyday: true,
      values: ['16:9', '4:3', '1:1', '3:4', '9:16', '2:3', '3:2', '21:9'],
      says: 'Shape of the video, for text to video and fusion; other modes keep the shape of their source',
    },
    resolution: {
      type: 'string',
      everyday: true,
      values: ['360p', '540p', '720p', '1080p'],
      default: '540p',
      says: 'Resolution of the video; sets the price tier',
    },
    duration: {
      type: 'integer',
      everyday: true,
      min: 1,
      max: 15,
      says: 'Length of the video in seconds; 5 or 8 between first and last frame',
    },
    negative_prompt: { type: 'string', maxLength: 2048, says: 'What the video must not show' },
    seed: {
      type: 'integer',
      min: 0,
      max: 2147483647,
      says: 'Random seed',
    },
    watermark: {
      type: 'boolean',
      default: false,
      says: 'Whether the video carries a watermark at the bottom right',
    },
    generate_audio: {
      type: 'boolean',
      default: false,
      says: 'Whether sound is generated; billed at the audio tier of the resolution',
    },
    motion_mode: { type: 'string', values: ['normal'], says: 'Mode of the motion' },
    generate_multi_clip_switch: {
      type: 'boolean',
      default: false,
      label: 'Generate Multiple Clips',
      says: 'Whether the video is cut into several clips; effective in text to video and image to video',
    },
  },
  refused: { n: 'a task gives one result' },
  rules: [
    {
      rule: 'requires',
      when: { has: ['first_frame_image'] },
      allOf: ['last_frame_image'],
      says: 'First Frame Image and Last Frame Image must be sent together',
    },
    {
      rule: 'requires',
      when: { has: ['last_frame_image'] },
      allOf: ['first_frame_image'],
      says: 'First Frame Image and Last Frame Image must be sent together',
    },
    {
      rule: 'limits',
      when: { has: ['first_frame_image', 'last_frame_image'] },
      field: 'duration',
      to: { values: [5, 8] },
      says: 'between first and last frame the video lasts 5 or 8 seconds',
    },
    {
      rule: 'requires',
      when: { action: ['extend'] },
      allOf: ['ref_task_id'],
      says: 'extend requires the ID of a completed pxv-v6 task of the same account',
    },
    {
      rule: 'excludes',
      when: { action: ['extend'] },
      fields: IMAGES,
      says: 'extend goes on from the video of the reference task and takes no images',
    },
    {
      rule: 'idle',
      when: { action: ['extend'] },
      fields: ['aspect_ratio'],
      says: 'extend keeps the shape of the video it goes on from',
    },
    {
      rule: 'idle',
      when: { has: ['image_urls', 'first_frame_image', 'last_frame_image'] },
      fields: ['aspect_ratio'],
      says: 'Aspect Ratio is effective in text to video and fusion only',
    },
    {
      rule: 'idle',
      when: { action: ['extend'] },
      fields: ['generate_multi_clip_switch'],
      says: 'Generate Multiple Clips is effective only in text to video and image to video',
    },
    {
      rule: 'idle',
      when: { has: ['first_frame_image', 'last_frame_image', 'img_references'] },
      fields: ['generate_multi_clip_switch'],
      says: 'Generate Multiple Clips is effective only in text to video and image to video',
    },
    {
      rule: 'advises',
      when: {},
      field: 'image_urls',
      to: { maxItems: 1 },
      says: 'pxv-v6 uses only the first, and several images belong into Image References',
    },
  ],
  models: {
    'pxv-v6': {
      actions: ['generate', 'extend'],
      price: {
        per: 'unknown',
        says: 'Tier of the resolution (540p when omitted) x seconds; Generate Audio moves to the audio tier; extend is billed on its own duration and resolution',
      },
    },
  },
} as const satisfies Family;
