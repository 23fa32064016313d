import type { INodePropertyOptions } from 'n8n-workflow';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import { isExpression } from '../../nodes/n8n/outsideNames';
import { getParameter } from '../../nodes/catalog/labels';
import { listRequirements } from '../../nodes/catalog/visibility';
import { listServedModels } from '../../nodes/catalog/modelList';
import {
	withDefaults,
	findParameterIssues,
	listVisible,
	storedParameters,
} from '../support/editor';
import { validValue } from '../support/fieldSamples';
import { OFFERED_FIELDS } from '../support/offeredFields';

const panels = Object.entries(OFFERED_FIELDS).flatMap(([media, models]) =>
	Object.entries(models).flatMap(([model, actions]) =>
		Object.entries(actions).map(([action, text]) => {
			const fields = text.split(' ').filter(Boolean);
			return {
				media: media as 'image' | 'video',
				model,
				action,
				fields: [...fields.map((name) => name.replace('!', '')), '+extra'],
				marked: fields.filter((name) => name.endsWith('!')).map((name) => name.slice(0, -1)),
			};
		}),
	),
);

const ACTIONS = [...new Set(panels.map(({ action }) => action))];
const namesOf = (properties: { name: string }[]) => properties.map(({ name }) => name);
const twice = (names: string[]) => names.filter((name, at) => names.indexOf(name) !== at);

it.each(['image', 'video'] as const)('is described here for every %s model', (media) => {
	const missing = listServedModels(media)
		.filter(({ id }) => !OFFERED_FIELDS[media][id])
		.map(({ id }) => `${id}: has no row in test/support/offeredFields.ts`);
	expect(missing).toEqual([]);
});

describe.each(panels)(
	'the panel of $model under $action',
	({ media, model, action, fields, marked }) => {
		const spec = getModelSpec(model, media);
		const fieldOf = Object.fromEntries(
			Object.entries(spec.fields).map(([name, field]) => [getParameter(name, field), field]),
		);
		const parameters = storedParameters(media, model, { action });
		const { all, top, more } = listVisible(parameters);
		/** From the line in OFFERED_FIELDS. */
		const differences = (shown: string[], marks: string[], where = 'in the panel') => {
			const listed = marks.map((mark) => mark.replace('+', ''));
			expect(twice(listed)).toEqual([]);
			const line = `the line of ${model} in test/support/offeredFields.ts`;
			return [
				...shown
					.filter((name) => !listed.includes(name))
					.map((name) => `${name} is ${where} under ${action}, but not in ${line}`),
				...listed
					.filter((name) => !shown.includes(name))
					.map((name) => `${name} is in ${line}, but not ${where} under ${action}`),
			];
		};

		it('shows each name once', () => {
			expect(twice(namesOf(all))).toEqual([]);
			expect(twice([...namesOf(top), ...namesOf(more)])).toEqual([]);
		});
		it('offers what the spec gives to the model and the action, and nothing else', () => {
			expect(differences([...namesOf(top), ...namesOf(more)], fields)).toEqual([]);
		});
		it('has required and primary fields at the top level, the others in Additional Fields', () => {
			const added = fields.filter((name) => name.startsWith('+'));
			expect(differences(namesOf(more), added, 'in Additional Fields')).toEqual([]);
			expect(more.filter(({ required }) => required)).toEqual([]);
		});
		it('is valid for n8n once it has a prompt and what the action needs', () => {
			const inRed = Object.keys(findParameterIssues(withDefaults(parameters)) ?? {});
			expect(inRed.sort()).toEqual([...marked].sort());
			const filled = Object.fromEntries(
				marked.map((name) => [name, validValue(fieldOf[name]!) as string]),
			);
			expect(findParameterIssues(withDefaults({ ...parameters, ...filled }))).toBeUndefined();
		});
		it('marks what the rules require under the action, right after the prompt', () => {
			const names = namesOf(top);
			const required = listRequirements(spec, action).flatMap(([name, ...others]) =>
				others.length ? [] : [getParameter(name!, spec.fields[name!])],
			);
			// Of Video List and Video URLs, which is in Additional Fields, one is required.
			if (model.startsWith('clipk-') && action === 'reference_video') required.push('video_list');
			expect(namesOf(top.filter((field) => field.required)).sort()).toEqual(required.sort());
			const inputs = required.filter((name) => name !== 'prompt');
			const isSetting = ({ name, type }: { name: string; type: string }) =>
				!['action', ...required].includes(name) && (type === 'options' || name === 'extra_body');
			const firstSetting = top.findIndex(isSetting);
			for (const name of inputs) {
				expect(names.indexOf(name)).toBeGreaterThan(names.indexOf('prompt'));
				expect(names.indexOf(name)).toBeLessThan(firstSetting < 0 ? names.length : firstSetting);
			}
		});
		it('starts every choice at the default of the model, which is not sent', () => {
			const choices = top.filter(({ type, name }) => type === 'options' && name !== 'action');
			for (const { options, default: first } of choices) {
				expect(first).toBe('');
				expect((options as INodePropertyOptions[])[0]).toEqual({
					name: expect.stringMatching(/^Model Default/),
					value: '',
				});
			}
		});
	},
);

const CHOOSE_VIDEO =
	'Choose a video model from the list. For a model by expression, use Task > Submit a Task.';

describe('the panel of a model that is no longer served, of the other resource, or by expression', () => {
	it.each([
		['srx-2', 'This model is no longer served. Use another model.'],
		['srx-2-pro', 'This model is no longer served. Use another model.'],
		['gx-imagine-1.0-video-rev', 'This model is no longer served. Use gx-imagine-video-1.5-rev.'],
		['imgn-4.0', CHOOSE_VIDEO],
		['={{ $json.model }}', CHOOSE_VIDEO],
	])('shows a notice for %s, and the fields of any model, for its fallbacks', (model, words) => {
		const { all, top } = listVisible(storedParameters('video', model));
		const notices = all.filter(({ name }) => name === 'modelNotice');
		expect(notices.map(({ displayName }) => displayName)).toEqual([words]);
		if (isExpression(model)) return;
		expect(top).toEqual(listVisible(storedParameters('video', 'kite-1')).top);
	});
});

it('marks a missing prompt where the spec requires one', () => {
	expect(
		findParameterIssues(withDefaults(storedParameters('video', 'clipk-v3', { prompt: '' }))),
	).toEqual({
		prompt: ['Parameter "Prompt" is required.'],
	});
	expect(
		findParameterIssues(withDefaults(storedParameters('video', 'sdn-2.0', { prompt: '' }))),
	).toBeUndefined();
});

it('shows every field when an expression chooses the action', () => {
	const { top } = listVisible(
		storedParameters('video', 'clipk-video-o1', { action: '={{ $json.action }}' }),
	);
	expect(namesOf(top)).toEqual(
		expect.arrayContaining([
			'first_frame_image',
			'last_frame_image',
			'image_urls',
			'video_list',
			'aspect_ratio',
		]),
	);
});

describe.each(['image', 'video'] as const)(
	'a panel whose model an expression chooses: %s',
	(media) => {
		it.each(ACTIONS)('asks for nothing that only some models need, under %s', (action) => {
			const parameters = storedParameters(media, '={{ $json.model }}', {
				action,
				prompt: 'a kite',
			});
			expect(findParameterIssues(withDefaults(parameters))).toBeUndefined();
		});
	},
);
