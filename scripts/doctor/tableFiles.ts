import { readdirSync } from 'node:fs';
import path from 'node:path';
import { families } from '../../nodes/catalog/families';
import { LIST_KINDS } from '../../nodes/catalog/listedKinds';
import { listKnownModels } from '../../nodes/catalog/modelList';

const FOLDER = 'nodes/catalog/families';
/** Where the IDs of text, audio and embedding models stand. */
const LISTS = 'nodes/catalog/textEndpoints.ts';
const ROOT = path.join(__dirname, '..', '..');

/** Table files by the family that they export. */
const fileOfFamily = new Map<unknown, string>(
	readdirSync(path.join(ROOT, FOLDER))
		.filter((file) => file.endsWith('.ts') && file !== 'index.ts')
		.flatMap((file) => {
			// eslint-disable-next-line @typescript-eslint/no-require-imports -- by its name on the disk
			const exported = require(path.join(ROOT, FOLDER, file)) as object;
			return Object.values(exported).map((family) => [family, `${FOLDER}/${file}`] as const);
		}),
);

interface Placed {
	id: string;
	kind: string;
	file: string;
}

const placed: readonly Placed[] = [
	...families.flatMap((family) =>
		Object.keys(family.models).map((id) => ({
			id,
			kind: family.media,
			file: fileOfFamily.get(family)!,
		})),
	),
	...listKnownModels()
		.filter(({ kind }) => LIST_KINDS.includes(kind))
		.map(({ id, kind }) => ({ id, kind, file: LISTS })),
];
const fileById = new Map(placed.map(({ id, file }) => [id, file]));

/** The file that has a model of the tables or lists; undefined for any other. */
export const findTableFile = (id: string): string | undefined => fileById.get(id);

/**
 * The file of the models that are named most like a new one, e.g. all `clipk-`. Undefined where there is
 * none, or where they stand in several files.
 */
export function findSimilarTableFile(id: string, type: string | undefined): string | undefined {
	const kind = type?.toLowerCase();
	const firstPart = id.split('-')[0]!;
	const similar = placed
		.filter((model) => !kind || model.kind === kind)
		.map(({ id: other, file }) => ({ file, equal: countEqual(id, other) }))
		.filter(({ equal }) => equal > firstPart.length);
	const most = Math.max(...similar.map(({ equal }) => equal));
	const files = new Set(similar.filter(({ equal }) => equal === most).map(({ file }) => file));
	if (files.size === 1) return [...files][0];
	return LIST_KINDS.some((known) => known === kind) ? LISTS : undefined;
}

/** With how many equal characters two texts begin. */
function countEqual(a: string, b: string): number {
	let count = 0;
	while (count < a.length && a[count] === b[count]) count += 1;
	return count;
}
