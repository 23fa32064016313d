const cell = (text: string) =>
	text
		.replace(/\s*[\r\n]+\s*/g, ' ')
		.replaceAll('|', '\\|')
		.replaceAll('<', '&lt;');

/** A Markdown table; what Markdown would read as its own is escaped in the cells. */
export const table = (head: string[], rows: string[][]): string =>
	[head, head.map(() => '---'), ...rows]
		.map((row) => `| ${row.map(cell).join(' | ')} |`)
		.join('\n');

/** Text in the font of code, which a backtick within it would end. */
export const code = (text: string) => `\`${text.replaceAll('`', "'")}\``;
