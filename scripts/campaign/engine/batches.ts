import type { IDataObject } from 'n8n-workflow';
import type { Row } from '../audit';
import type { SeededRandom } from '../random';
import { NEVER_FAILS, STOPPED } from '../taskOutcomes';

/** The ways in which people run the node. */
const KINDS = [
	'image',
	'video',
	'submit',
	'hurried',
	'stored',
	'files',
	'derived',
	'retried',
	'strict',
	'stopped',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Batch {
	kind: Kind;
	name: string;
	rows: (Row & { model: string; body: IDataObject })[];
	/** Calls of the node at once. */
	concurrency: number;
	/** The execution, which makes the keys where no row names one. */
	executionId: string;
}

/** Models of every family, each with parameters it accepts beside the prompt. */
const IMAGES: Record<string, IDataObject[]> = {
	'gmn-2.5-flash-image-preview': [{}, { n: 2 }, { n: 3, aspect_ratio: '16:9' }],
	'flx-2-pro': [{}, { resolution: '1mp', seed: 7 }],
	'imgn-4.0': [{}, { aspect_ratio: '9:16' }],
	'gx-imagine-image': [{}],
	'gp-4o-image': [{}],
};
const VIDEOS: Record<string, IDataObject[]> = {
	'clipk-v2.6': [{}, { duration: 10, resolution: '1080p', audio: true }],
	'clipk-v3': [{}, { duration: 7 }],
	'pxv-v6': [{ duration: 3 }, { duration: 5, resolution: '360p' }],
	'gx-imagine-1.0-video': [{}, { duration: 12 }],
};
const ALL = { ...IMAGES, ...VIDEOS };
/** Kinds that use the panel of one model. */
const PANEL_MODELS: Partial<Record<Kind, readonly string[]>> = {
	video: Object.keys(VIDEOS),
	image: Object.keys(IMAGES),
	files: ['gmn-2.5-flash-image-preview', 'imgn-4.0'],
	derived: ['imgn-4.0', 'gp-4o-image'],
	retried: ['imgn-4.0', 'flx-2-pro'],
	strict: ['imgn-4.0', 'gx-imagine-image'],
	stopped: ['imgn-4.0', 'flx-2-pro'],
};

/** How tasks of a kind are told at the gateway. */
const MARKS: Partial<Record<Kind, string>> = {
	strict: `${NEVER_FAILS} `,
	stopped: `${STOPPED} `,
};

/** Row names in several scripts: HTTP headers cannot carry them as they are. */
const NAME_SCRIPTS: readonly ((name: string) => string)[] = [
	(name) => name,
	(name) => `Straße ${name}`,
	(name) => `产品 ${name}`,
	(name) => name.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
];

/** Batches of every kind in turn, of 8 to 60 rows each, until there are enough rows. */
export function createBatches(random: SeededRandom, tasks: number): Batch[] {
	const batches: Batch[] = [];
	for (let remaining = tasks; remaining > 0;) {
		const batch = createBatch(random, batches.length, remaining);
		batches.push(batch);
		remaining -= batch.rows.length;
	}
	return batches;
}

function createBatch(random: SeededRandom, number: number, remaining: number): Batch {
	const kind = KINDS[number % KINDS.length]!;
	const name = `${kind}-${number}`;
	const size = Math.min(remaining, random.integer(8, 60, 'size', name));
	const panel = PANEL_MODELS[kind];
	const chosen = panel && random.pick(panel, 'model', name);
	const write = random.pick(NAME_SCRIPTS, 'script', name);
	const rows = Array.from({ length: size }, (_, at) => {
		const model = chosen ?? random.pick(Object.keys(ALL), 'model', name, at);
		const more = panel ? {} : random.pick(ALL[model]!, 'body', name, at);
		const prompt = `${MARKS[kind] ?? ''}${write(`${name}/${at}`)}`;
		return { name: prompt, model, body: { prompt, ...more } };
	});
	return {
		kind,
		name,
		rows,
		concurrency: random.integer(5, 40, 'concurrency', name),
		executionId: `campaign-${name}`,
	};
}
