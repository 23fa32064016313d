import type { Services } from '../scripts/queue/services';

/** Rows that PostgreSQL has written, by table. */
export type Writes = Map<string, number>;

const SQL = `select relname, n_tup_ins + n_tup_upd + n_tup_del from pg_stat_user_tables`;
/** What a connection has counted is reported a moment later. */
const REPORTED_AFTER_MS = 2_000;

export async function readWrites({ query }: Services): Promise<Writes> {
	await new Promise((resolve) => setTimeout(resolve, REPORTED_AFTER_MS));
	return new Map((await query(SQL)).map(([table, rows]) => [table!, Number(rows)]));
}

export interface TableWrites {
	table: string;
	rows: number;
}

/** The rows of executions written between two readings. */
export function writesBetween(before: Writes, after: Writes): TableWrites[] {
	return [...after]
		.map(([table, rows]) => ({ table, rows: rows - (before.get(table) ?? 0) }))
		.filter(({ table, rows }) => rows > 0 && table.startsWith('execution'))
		.sort((a, b) => b.rows - a.rows);
}
