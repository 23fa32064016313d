import type { Family } from '../../nodes/catalog/families';
import { findTableProblems } from '../support/tables';

/** A family in which every check has something to check, and finds nothing. */
const kite = (): Family => ({
	title: 'Kite',
	media: 'video',
	fields: {
		prompt: { type: 'string', required: true, maxLength: 100, description: 'What happens' },
		image_urls: { type: 'links', media: 'image', maxItems: 4, description: 'Public links' },
		video_urls: {
			type: 'links',
			media: 'video',
			actions: ['extend'],
			description: 'Public links',
		},
		resolution: {
			type: 'string',
			enum: ['720p', '1080p'],
			default: '720p',
			description: 'Resolution of the video',
		},
		duration: {
			type: 'integer',
			min: 3,
			max: 15,
			default: 5,
			unit: 's',
			description: 'Length of the video in seconds',
		},
		audio: { type: 'boolean', default: false, description: 'Whether the video has sound' },
		clips: {
			type: 'objects',
			description: 'Clips',
			items: { url: { type: 'link', media: 'video', required: true, description: 'Public link' } },
		},
	},
	refused: { seed: 'Kites have no seed' },
	rules: [
		{
			rule: 'requires',
			when: { action: ['extend'] },
			anyOf: ['video_urls'],
			description: 'Extend requires Video URLs',
		},
		{
			rule: 'excludes',
			when: { has: ['image_urls'] },
			fields: ['audio'],
			description: 'Audio and images cannot be combined',
		},
		{
			rule: 'ignored',
			when: { is: { resolution: ['720p'] } },
			fields: ['audio'],
			description: 'Audio has no effect at 720p',
		},
		{
			rule: 'limits',
			when: { models: ['kite-1'], has: ['image_urls'] },
			field: 'duration',
			to: { enum: [5, 8] },
			description: 'With images, the video lasts 5 or 8 seconds',
		},
		{
			rule: 'references',
			when: {},
			field: 'prompt',
			token: 'image',
			list: 'image_urls',
			description: 'Prompts refer to images',
		},
	],
	models: {
		'kite-1': {
			actions: ['generate', 'extend'],
			price: {
				per: 'second',
				usd: { '720p': 0.1, '1080p': 0.2 },
				overrides: [{ when: { is: { audio: [true] } }, usd: { '720p': 'unstated', '1080p': 0.3 } }],
			},
		},
		'kite-0': {
			actions: ['generate'],
			omit: ['video_urls'],
			price: { per: 'unknown', description: 'No longer served' },
			deprecated: { reason: 'retired', replacement: 'kite-1' },
		},
	},
});

/** A table without the protection of its type, so that a test can put any mistake into it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Unchecked = any;

function withMistake(change: (family: Unchecked) => void): Family[] {
	const family = structuredClone(kite());
	change(family);
	return [family];
}

describe('a check of the tables', () => {
	it('finds nothing in a valid family', () => {
		expect(findTableProblems([kite()])).toEqual([]);
	});

	// Not one test each: a mistake in the tables has to be seen among the results.
	const mistakes: [string, (family: Unchecked) => void][] = [
		[
			'kite-1: audio and loop both have the label Audio',
			({ models }) =>
				(models['kite-1'].fields = { loop: { ...kite().fields.audio, label: 'Audio' } }),
		],
		[
			'kite-0: audio has the label of another field, Video URLs',
			({ models }) => (models['kite-0'].fields = { audio: { label: 'Video URLs' } }),
		],
		[
			'Kite: rule "With images, the video lasts 5 or 9 seconds" says 9, which is not in it',
			({ rules }) => (rules[3].description = 'With images, the video lasts 5 or 9 seconds'),
		],
		[
			'kite-1: rule "Audio has no effect at 4K" says 4K, which the model does not offer',
			({ rules }) => (rules[2].description = 'Audio has no effect at 4K'),
		],
		[
			'Kite: rule "Extend requires Video List" says Video List, which is no label of the family',
			({ rules }) => (rules[0].description = 'Extend requires Video List'),
		],
		[
			'kite-1: action extend requires video_urls, but the model omits it',
			({ models }) => (models['kite-1'].omit = ['video_urls']),
		],
		[
			'kite-1: action extend requires video_urls, but the panel does not offer it under extend',
			({ models, fields }) => {
				models['kite-1'].actions.push('edit');
				fields.video_urls.actions = ['edit'];
			},
		],
		[
			'kite-1: action extend requires voice, but the model does not have it',
			({ rules, models }) => {
				rules[0].anyOf = ['voice'];
				models['kite-0'].fields = { voice: { type: 'string', description: 'Voice' } };
			},
		],
		[
			'kite-1: image_urls requires audio, but the model does not take it',
			({ rules, models }) => {
				models['kite-1'].omit = ['audio'];
				rules[1] = { ...rules[1], rule: 'requires', allOf: ['audio'] };
			},
		],
		[
			'kite-1: resolution has the default 720p, which is not in its enum',
			({ models }) => (models['kite-1'].fields = { resolution: { enum: ['1080p', '4K'] } }),
		],
		[
			'kite-1: duration has the default 5, which its limits refuse',
			({ models }) => (models['kite-1'].fields = { duration: { min: 6 } }),
		],
		[
			'kite-1: audio has the default no, which its limits refuse',
			({ fields }) => (fields.audio.default = 'no'),
		],
		[
			'kite-1: has a price for 720p, but does not take that resolution',
			({ models }) =>
				(models['kite-1'].fields = { resolution: { enum: ['1080p'], default: '1080p' } }),
		],
		[
			"kite-1: has no price for 1080p; state it, or write 'unstated'",
			({ models }) => delete models['kite-1'].price.usd['1080p'],
		],
		[
			'kite-1: has no price for 720p when {"is":{"audio":[true]}}; state it, or write \'unstated\'',
			({ models }) => delete models['kite-1'].price.overrides[0].usd['720p'],
		],
		[
			'kite-1: has prices by resolution, but lists no resolutions',
			({ models }) => (models['kite-1'].omit = ['resolution']),
		],
		[
			'kite-1: has a price that is not above 0',
			({ models }) => (models['kite-1'].price.usd['720p'] = 0),
		],
		[
			'kite-1: has a price per second, but no duration that is required or has a default',
			({ fields }) => delete fields.duration.default,
		],
		[
			'kite-1: has a price when {"is":{"audio":["loud"]}}, which can never be',
			({ models }) => (models['kite-1'].price.overrides[0].when.is.audio = ['loud']),
		],
		[
			'kite-1: has a price for the field sound, which the family does not have',
			({ models }) => (models['kite-1'].price.overrides[0].when = { has: ['sound'] }),
		],
		[
			'kite-1: has an unknown price without a word about it',
			({ models }) => (models['kite-1'].price = { per: 'unknown', description: '' }),
		],
		['kite-1: has no action', ({ models }) => (models['kite-1'].actions = [])],
		[
			'kite-1: has the action extend twice',
			({ models }) => models['kite-1'].actions.push('extend'),
		],
		[
			'kite-1: omits sound, which the family does not have',
			({ models }) => (models['kite-1'].omit = ['sound']),
		],
		[
			'kite-1: omits clips and states it too',
			({ models }) =>
				Object.assign(models['kite-1'], {
					omit: ['clips'],
					fields: { clips: { description: 'Clips' } },
				}),
		],
		[
			'kite-1: adds the field sound without type and description',
			({ models }) => (models['kite-1'].fields = { sound: { default: 'none' } }),
		],
		[
			'kite-1: image_urls is offered under edit, which the model does not have',
			({ models }) => (models['kite-1'].fields = { image_urls: { actions: ['edit'] } }),
		],
		[
			'kite-0: is replaced by kite-9, which no family serves',
			({ models }) => (models['kite-0'].deprecated.replacement = 'kite-9'),
		],
		[
			'Kite: image_urls is offered under edit, which no model has',
			({ fields }) => (fields.image_urls.actions = ['edit']),
		],
		[
			'Kite: no model takes the field clips',
			({ models }) => {
				models['kite-1'].omit = ['clips'];
				models['kite-0'].omit = ['clips', 'video_urls'];
			},
		],
		[
			'Kite: audio is refused, and a field of the family too',
			({ refused }) => (refused.audio = 'Kites are silent'),
		],
		[
			'Kite: rule "Extend requires Video URLs" names the action prolong, which the family does not have',
			({ rules }) => (rules[0].when.action = ['prolong']),
		],
		[
			'Kite: rule "Extend requires Video URLs" names the field videos, which the family does not have',
			({ rules }) => (rules[0].anyOf = ['videos']),
		],
		[
			'Kite: rule "Audio and images cannot be combined" names the field photos, which the family does not have',
			({ rules }) => (rules[1].when.has = ['photos']),
		],
		[
			'Kite: rule "With images, the video lasts 5 or 8 seconds" names the model kite-9, which the family does not have',
			({ rules }) => (rules[3].when.models = ['kite-9']),
		],
		[
			'Kite: rule "Audio has no effect at 720p" can never apply to any model',
			({ rules }) => (rules[2].when.is.resolution = ['540p']),
		],
		[
			'Kite: rule "With images, the video lasts 5 or 8 seconds" can never apply to any model',
			({ rules }) => (rules[3].to = { max: 20 }),
		],
		[
			'Kite: rule "Extend requires Video URLs" can never apply to any model',
			({ rules, fields }) => {
				fields.video_urls.required = true;
				rules[0].anyOf = ['video_urls'];
			},
		],
		[
			'kite-1: rule "With images, the video lasts 5 or 8 seconds" allows duration 20, which the model refuses',
			({ rules }) => (rules[3].to = { enum: [5, 20] }),
		],
		[
			'Kite: rule "Prompts refer to images" refers to entries of audio, which is no list',
			({ rules }) => (rules[4].list = 'audio'),
		],
		[
			'Kite: rule "extend requires Video URLs." is no sentence with a capital and without a period',
			({ rules }) => (rules[0].description = 'extend requires Video URLs.'),
		],
		[
			'kite-1: resolution has 720p twice in its enum',
			({ fields }) => fields.resolution.enum.push('720p'),
		],
		['kite-1: resolution has an empty enum', ({ fields }) => (fields.resolution.enum = [])],
		[
			'kite-1: duration has "5" in its enum, which is no integer within its limits',
			({ fields }) => (fields.duration.enum = [5, 8, '5']),
		],
		['kite-1: duration has min 20 above max 15', ({ fields }) => (fields.duration.min = 20)],
		[
			'kite-1: image_urls has minItems 5 above maxItems 4',
			({ fields }) => (fields.image_urls.minItems = 5),
		],
		['kite-1: prompt has min or max, but is a string', ({ fields }) => (fields.prompt.max = 100)],
		['kite-1: audio has maxLength, but is a boolean', ({ fields }) => (fields.audio.maxLength = 9)],
		['kite-1: prompt has maxLength 0', ({ fields }) => (fields.prompt.maxLength = 0)],
		[
			'kite-1: prompt has minItems or maxItems, but is a string',
			({ fields }) => (fields.prompt.maxItems = 9),
		],
		['kite-1: audio has the unit s, but is a boolean', ({ fields }) => (fields.audio.unit = 's')],
		[
			'kite-1: duration is in seconds, but has no unit',
			({ fields }) => delete fields.duration.unit,
		],
		[
			'kite-1: video_urls leads to image, but its name says video',
			({ fields }) => (fields.video_urls.media = 'image'),
		],
		['kite-1: prompt has items, but is a string', ({ fields }) => (fields.prompt.items = {})],
		[
			'Kite: rule "Extend requires Video URLs" says Video URLs, but the label is Clip',
			({ fields }) => (fields.video_urls.label = 'Clip'),
		],
		[
			'kite-1: prompt has otherValues, but no enum that they could stand beside',
			({ fields }) => (fields.prompt.otherValues = 'It is ignored'),
		],
		[
			'kite-1: resolution describes the choice 4K, which is not in its enum',
			({ fields }) => (fields.resolution.choices = { '4K': 'Very sharp' }),
		],
		[
			'kite-1: image_urls is a links, but has no media that it leads to',
			({ fields }) => delete fields.image_urls.media,
		],
		[
			'kite-1: clips[].url is a link, but has no media that it leads to',
			({ fields }) => delete fields.clips.items.url.media,
		],
		[
			'kite-1: clips[].url has a default, which no check compares: say it in its description',
			({ fields }) => (fields.clips.items.url.default = 'https://example.com/a.mp4'),
		],
		[
			'kite-1: audio is a boolean, so its description begins with "Whether"',
			({ fields }) => (fields.audio.description = 'Sound'),
		],
		[
			'kite-1: prompt has a description that begins without a capital',
			({ fields }) => (fields.prompt.description = 'what happens'),
		],
		[
			'kite-1: prompt has a description that ends with a period',
			({ fields }) => (fields.prompt.description = 'What happens.'),
		],
	];
	it('finds each mistake', () => {
		const missed = mistakes.filter(
			([problem, change]) => !findTableProblems(withMistake(change)).includes(problem),
		);
		expect(missed.map(([problem]) => problem)).toEqual([]);
	});

	it('finds one name that two families or models have', () => {
		expect(findTableProblems([kite(), kite()])).toEqual(
			expect.arrayContaining([
				'Kite: two families have this title',
				'kite-1: two families have this model',
			]),
		);
	});
});
