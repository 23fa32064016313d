import type { INodeParameters } from 'n8n-workflow';
import { getParameter } from '../../nodes/catalog/labels';
import { validate } from '../../nodes/catalog/validate';
import { getModelSpec } from '../../nodes/catalog/modelSpec';
import { readPanel } from '../../nodes/n8n/panel/readPanel';
import {
	choose,
	withDefaults,
	filledParameters,
	isOfPanel,
	findParameterIssues,
	listShownAtOnce,
	listVisible,
} from '../support/editor';
import { OFFERED_FIELDS } from '../support/offeredFields';

type Media = 'image' | 'video';

const namesOf = (properties: { name: string }[]) => properties.map(({ name }) => name);
const asBody = (media: Media, model: string, { additionalFields, ...top }: INodeParameters) =>
	readPanel(getModelSpec(model, media), {
		top,
		additionalFields: (additionalFields ?? {}) as Record<string, unknown>,
	});

/** The parameters of fields, which the gateway may have renamed. */
const parametersOf = (media: Media, model: string, names: string[]) =>
	names.map((name) => getParameter(name, getModelSpec(model, media).fields[name]));

/** The node after another choice: n8n keeps all other parameters stored. */
function switched(parameters: INodeParameters, to: INodeParameters): INodeParameters {
	return { ...structuredClone(parameters), ...to };
}
const locatedAt = (model: string) => ({ model: { __rl: true, mode: 'list', value: model } });

const starts = (media: Media) =>
	Object.entries(OFFERED_FIELDS[media]).flatMap(([model, actions]) =>
		Object.keys(actions).map((action) => ({ media, model, action })),
	);

/** Fields that are sent or named in an issue though the panel does not show them. */
function listHidden(media: Media, model: string, parameters: INodeParameters): string[] {
	const { top, more } = listVisible(parameters);
	const seen = [...namesOf(top), ...namesOf(more)];
	const body = asBody(media, model, parameters);
	const { issues } = validate(getModelSpec(model, media), body);
	const names = parametersOf(media, model, [
		...Object.keys(body),
		...issues.map(({ field }) => field),
	]);
	// What Extra Body holds is shown inside it.
	const inside = seen.includes('extra_body') ? ['sparkle'] : [];
	return names.filter((name) => !seen.includes(name) && !inside.includes(name));
}

describe.each([...starts('image'), ...starts('video')])(
	'a node filled in for $model under $action',
	({ media, model, action }) => {
		const parameters = filledParameters(media, model, action);

		it('sends the fields that it shows', () => {
			const { top, more } = listVisible(parameters);
			const all = namesOf([...top, ...more].filter(isOfPanel)).filter(
				(name) => name !== 'extra_body',
			);
			const body = asBody(media, model, parameters);
			const sent = parametersOf(media, model, Object.keys(body)).filter(
				(name) => name !== 'sparkle',
			);
			expect(sent.concat(action === 'generate' ? 'action' : []).sort()).toEqual(
				[...new Set(all.concat('action'))].sort(),
			);
		});

		it('sends the same once n8n has put its defaults beside it', () => {
			expect(asBody(media, model, withDefaults(parameters))).toEqual(
				asBody(media, model, parameters),
			);
		});

		it('sends, names and marks nothing hidden after a switch to any other model', () => {
			for (const other of Object.keys(OFFERED_FIELDS[media])) {
				const after = switched(parameters, locatedAt(other));
				const run = withDefaults(after);
				expect({ other, hidden: listHidden(media, other, after) }).toEqual({ other, hidden: [] });
				expect({ other, hidden: listHidden(media, other, run) }).toEqual({ other, hidden: [] });
				const shown = namesOf(listVisible(run).top);
				const marked = Object.keys(findParameterIssues(run) ?? {});
				expect(marked.filter((name) => !shown.includes(name))).toEqual([]);
			}
		});

		it('shows the fields of another model or resource at once, so that n8n keeps their values', () => {
			const edited = withDefaults(parameters);
			const models = [...Object.keys(OFFERED_FIELDS[media]), 'brand-new-1'].map(locatedAt);
			const resource = media === 'image' ? 'video' : 'image';
			for (const choice of [...models, { resource }]) {
				const after = switched(edited, choice);
				const shown = new Set(listShownAtOnce(after));
				expect({ choice, shown }).toEqual({
					choice,
					shown: new Set(namesOf(listVisible(after).all)),
				});
				expect([...shown]).toContain('prompt');
				if ('model' in choice) expect(choose(edited, choice)).toEqual(withDefaults(after));
			}
		});

		it('sends and names nothing hidden after a switch to any other action', () => {
			for (const other of [...Object.keys(OFFERED_FIELDS[media][model]!), 'of-another-model'])
				expect({
					other,
					hidden: listHidden(media, model, switched(parameters, { action: other })),
				}).toEqual({ other, hidden: [] });
		});

		it('shows each name once whatever it is switched to, also under an action that an expression chooses', () => {
			for (const other of Object.keys(OFFERED_FIELDS[media]))
				for (const chosen of [action, '={{ $json.action }}']) {
					const { all, more } = listVisible(
						switched(parameters, { ...locatedAt(other), action: chosen }),
					);
					expect(new Set(namesOf(all)).size).toBe(all.length);
					expect(new Set(namesOf(more)).size).toBe(more.length);
				}
		});
	},
);

it('sends what both models take, and drops what only the first takes', () => {
	const clipk = {
		...filledParameters('video', 'clipk-v2.6', 'image2video'),
		resolution: '720p',
		duration: 10,
	};
	const after = switched(clipk, locatedAt('gx-imagine-1.0-video'));
	expect(asBody('video', 'gx-imagine-1.0-video', after)).toEqual({
		prompt: 'a red kite',
		action: 'image2video',
		image_urls: ['https://example.com/photo.png'],
		resolution: '720p',
		duration: 10,
		extra: { sparkle: 1 },
	});
});

it('sends no action of another model to a model that has only one', () => {
	const after = switched(filledParameters('image', 'flx-2-pro', 'edit'), locatedAt('imgn-4.0'));
	expect(asBody('image', 'imgn-4.0', after)).not.toHaveProperty('action');
	expect(
		validate(getModelSpec('imgn-4.0'), asBody('image', 'imgn-4.0', { ...after, aspect_ratio: '' }))
			.issues,
	).toEqual([]);
});

it('names an action of another model, which the panel shows in red, and nothing beside it', () => {
	const after = switched(
		{ ...filledParameters('video', 'pxv-v6', 'extend'), resolution: '', duration: '' },
		locatedAt('clipk-v3'),
	);
	const { issues } = validate(getModelSpec('clipk-v3'), asBody('video', 'clipk-v3', after));
	expect(issues.map(({ message }) => message)).toEqual([
		'Mode must be generate, image2video or first_last_frame, but is extend',
	]);
});
