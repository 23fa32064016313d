import type { Fields, Media } from './schema';
import { getLabel, joinWords, toTitle } from './labels';
import { listRequirements, type OfferedFields } from './visibility';

/** What an action does, where its name does not say it: spec sections 2.2 and 2.3. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
	upscale: 'Make it larger',
	variation: 'Create variants of it',
	blend: 'Merge several into one',
	inpaint: 'Repaint a part of an image',
	reference: 'Create from reference images',
	reference_video: 'Create from a reference video',
	search_grounded: 'Create with the help of a web search',
	image2video: 'Animate an image',
	first_last_frame: 'Create the video between two images',
	extend: 'Continue a video',
};

/** Some models take images to work from under `generate`, too. */
export function labelAction(action: string, media: Media, fields: Fields): string {
	if (action !== 'generate') return toTitle(action);
	const takesImages = Object.values(fields).some(
		({ media: of, actions }) => of === 'image' && (actions?.includes(action) ?? true),
	);
	return `${takesImages ? 'Text or Images' : 'Text'} to ${toTitle(media)}`;
}

/** What is required one of under the action. What is always required has n8n's mark. */
const describeNeeds = (spec: OfferedFields, action: string): string[] =>
	listRequirements(spec, action)
		.filter((names) => names.length > 1)
		.map((names) => names.map((name) => getLabel(name, spec.fields[name])))
		.map((labels) => `requires ${joinWords(labels)}`);

/** The sentence under each action in the panel. */
export function describeActions(spec: OfferedFields): Record<string, string> {
	const described = spec.actions.flatMap((action) => {
		const parts = [DESCRIPTIONS[action] ?? [], describeNeeds(spec, action)].flat();
		const sentence = parts.join('; ');
		return sentence ? [[action, sentence.charAt(0).toUpperCase() + sentence.slice(1)]] : [];
	});
	return Object.fromEntries(described);
}
