import { toText } from '../../nodes/catalog/json';
import { describeCounts, type ModelDrift } from '../../nodes/catalog/drift';
import { formatCount, joinWords } from '../../nodes/catalog/labels';
import { usdToQuota } from '../../nodes/catalog/pricing';
import { code, table } from './markdown';
import { findSimilarTableFile, findTableFile } from './tableFiles';

/** Where and when the models were listed. */
export interface DriftSource {
	/** Of the gateway; never its whole address, which may hold a secret. */
	host: string;
	/** Unix milliseconds. */
	at: number;
}

/** The differences as Markdown, to be pasted into an issue: what differs, and which file to edit. */
export function describeDrift(drift: ModelDrift, { host, at }: DriftSource): string {
	const [day, time] = new Date(at).toISOString().split('T') as [string, string];
	const skipped = drift.skippedKinds.length
		? ` It lists none of the ${joinWords(drift.skippedKinds, 'and')} models of the package, so these are not compared.`
		: '';
	return [
		`## Models of ${host}: ${describeCounts(drift)}`,
		`On ${day} at ${time.slice(0, 5)} UTC, \`GET /v1/models\` of ${host} listed ${drift.listedCount} models. They are compared with the tables of n8n-nodes-generation-gateway.${skipped}`,
		...describeNew(drift),
		...describeMissing(drift),
		...describeRelisted(drift),
		...describeMoved(drift),
	].join('\n\n');
}

function section(title: string, todo: string, head: string[], rows: string[][]): string[] {
	if (!rows.length) return [];
	return [`### ${title} (${rows.length})`, todo, table(head, rows)];
}

const NONE = '–';
const toPlace = (file: string | undefined) => (file ? code(file) : NONE);
const toConfig = (priceConfig: unknown) =>
	priceConfig === undefined || priceConfig === null ? NONE : code(toText(priceConfig));

const describeNew = ({ newModels }: ModelDrift) =>
	section(
		'New at the gateway',
		'Add a row to the table of the family, or the ID to the list of its endpoint. CONTRIBUTING.md has the steps under "Add a model" and "Add a family".',
		['Model', 'Type', 'price_config', 'Likely file'],
		newModels.map(({ id, type, priceConfig }) => [
			code(id),
			type ? code(type) : NONE,
			toConfig(priceConfig),
			toPlace(findSimilarTableFile(id, type)),
		]),
	);

const describeMissing = ({ missingModels }: ModelDrift) =>
	section(
		'Not listed any more',
		'First check that the model no longer works: a key may not see all models. Then set `deprecated` in its row, with the replacement where one is named, or take the ID out of its list.',
		['Model', 'Type', 'File'],
		missingModels.map(({ id, kind }) => [code(id), kind, toPlace(findTableFile(id))]),
	);

const describeRelisted = ({ relistedModels }: ModelDrift) =>
	section(
		'Listed again',
		'Remove `deprecated` from the row, and enter the fields and the price that are documented.',
		['Model', 'Type', 'In the table', 'File'],
		relistedModels.map(({ id, kind, deprecated }) => [
			code(id),
			kind,
			deprecated.reason,
			toPlace(findTableFile(id)),
		]),
	);

const describeMoved = ({ movedPrices }: ModelDrift) =>
	section(
		'Prices that moved',
		'Correct `price` in the row, the price in `sandbox/rules` and the numbers in `test/catalog/pricing.test.ts`.',
		['Model', 'In the table, no longer listed', 'Listed, not in the table', 'price_config', 'File'],
		movedPrices.map(({ id, statedUsd, listedNumbers, priceConfig }) => [
			code(id),
			statedUsd.map((usd) => `${usd} USD (${formatCount(usdToQuota(usd))} quota)`).join(', '),
			listedNumbers.join(', ') || NONE,
			toConfig(priceConfig),
			toPlace(findTableFile(id)),
		]),
	);
