/** All but letters, digits and a few marks, so that no directory, control character or expression is left. */
const UNSAFE = /[^\p{L}\p{N}._@+-]+/gu;
const LONGEST = 100;

/** A text of the gateway as a part of a file name, e.g. the name of a model. */
export const toFileName = (text: string): string =>
	text
		.replace(UNSAFE, '_')
		.replace(/\.{2,}/g, '.')
		.replace(/^[._-]+/, '')
		.slice(0, LONGEST) || 'file';

/** Whether n8n would evaluate a listed value once it is chosen. */
export const isExpression = (value: string): boolean => value.startsWith('=');
