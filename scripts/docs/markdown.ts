const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

/** A Markdown table; what Markdown would read as its own is escaped in the cells. */
export const table = (head: string[], rows: string[][]): string =>
	[head, head.map(() => '---'), ...rows]
		.map((row) => `| ${row.map(cell).join(' | ')} |`)
		.join('\n');

/** Text in the font of code. */
export const code = (text: string) => `\`${text}\``;
