/** Directories, control characters and expressions. */
const UNSAFE = /[^\p{L}\p{N}._@+-]+/gu;
const LONGEST = 100;

/** A text of the gateway in a file name. */
export const toFileName = (text: string): string =>
	text
		.replace(UNSAFE, '_')
		.replace(/\.{2,}/g, '.')
		.replace(/^[._-]+/, '')
		.slice(0, LONGEST)
		// Half a character.
		.replace(/\p{Cs}$/u, '') || 'file';

/** Whether n8n would evaluate the value. */
export const isExpression = (value: string): boolean => value.startsWith('=');
