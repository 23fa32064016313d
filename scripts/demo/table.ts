/** A line of the demo's result. */
export interface Row {
	item: string;
	model: string;
	status: string;
	time: string;
	/** Quota and USD. */
	cost: string;
	files: string[];
	/** Messages of a refused row. */
	notes?: string[];
}

const COLUMNS = ['item', 'model', 'status', 'time', 'cost', 'file'] as const;

/** Prints rows as a table, further files and messages on lines of their own. */
export function printTable(rows: readonly Row[]): void {
	const lines = rows.flatMap(({ files, notes = [], ...row }) => {
		const [first = '-', ...more] = [...files, ...notes.map((note) => `-> ${note}`)];
		const blank = Object.fromEntries(COLUMNS.map((name) => [name, '']));
		return [{ ...row, file: first }, ...more.map((file) => ({ ...blank, file }))] as Record<
			(typeof COLUMNS)[number],
			string
		>[];
	});
	const width = (name: (typeof COLUMNS)[number]) =>
		Math.max(name.length, ...lines.map((line) => line[name].length));
	const print = (line: Record<(typeof COLUMNS)[number], string>) =>
		console.log(
			COLUMNS.map((name) => (name === 'file' ? line[name] : line[name].padEnd(width(name)))).join(
				'  ',
			),
		);
	print(Object.fromEntries(COLUMNS.map((name) => [name, name.toUpperCase()])) as never);
	lines.forEach(print);
}
