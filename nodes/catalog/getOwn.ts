/** What a record holds under a name that a user chose: never what every object inherits, e.g. under `constructor`. */
export const getOwn = <Kept>(
	record: Readonly<Record<string, Kept>>,
	name: string,
): Kept | undefined => (Object.hasOwn(record, name) ? record[name] : undefined);
