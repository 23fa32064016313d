/** A value by a key that a user chose, e.g. `constructor`. */
export const getOwn = <Kept>(
	record: Readonly<Record<string, Kept>>,
	name: string,
): Kept | undefined => (Object.hasOwn(record, name) ? record[name] : undefined);
