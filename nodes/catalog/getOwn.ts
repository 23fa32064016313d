/** The value of a key that a user chose. Inherited keys such as `constructor` have none. */
export const getOwn = <Kept>(
	record: Readonly<Record<string, Kept>>,
	name: string,
): Kept | undefined => (Object.hasOwn(record, name) ? record[name] : undefined);
