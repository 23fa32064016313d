import type { Field, Rule } from './schema';
import { getLabel, joinWords } from './labels';

/** What an action does: spec sections 2.2 and 2.3. Those that the spec only names are read as their name says. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
	generate: 'Create from the prompt',
	edit: 'Change an image',
	upscale: 'Make it larger',
	variation: 'Create variants of it',
	blend: 'Merge several into one',
	inpaint: 'Repaint a part of an image',
	group: 'Create images that belong together',
	interactive_edit: 'Change an image step by step',
	image2image: 'Create an image from another one',
	reference: 'Create from reference images',
	search_grounded: 'Create with the help of a web search',
	image2video: 'Animate an image',
	first_last_frame: 'Create the video between two images',
	reference_video: 'Create from a reference video',
	extend: 'Continue a video',
};

/** What the rules require under the action whatever else is sent, e.g. `requires Image URLs`. */
function describeNeeds(
	action: string,
	rules: readonly Rule[],
	fields: Readonly<Record<string, Field>>,
): string[] {
	const label = (name: string) => getLabel(name, fields[name]);
	return rules.flatMap((rule) => {
		const { action: actions, has, is } = rule.when;
		if (rule.rule !== 'requires' || !actions?.includes(action) || has || is) return [];
		const needs =
			'allOf' in rule
				? joinWords(rule.allOf.map(label), 'and')
				: joinWords(rule.anyOf.map(label), 'or');
		return [`requires ${needs}`];
	});
}

/** What each action does and needs, as the panel says it under the choice. */
export function describeActions(
	actions: readonly string[],
	rules: readonly Rule[],
	fields: Readonly<Record<string, Field>>,
): Record<string, string> {
	const described = actions.flatMap((action) => {
		const [first, ...more] = [DESCRIPTIONS[action], ...describeNeeds(action, rules, fields)].filter(
			(part) => part !== undefined,
		);
		if (!first) return [];
		const sentence = [first.charAt(0).toUpperCase() + first.slice(1), ...more].join('; ');
		return [[action, sentence] as const];
	});
	return Object.fromEntries(described);
}
