import { existsSync } from 'node:fs';
import path from 'node:path';
import { compareModels, type OfferedModel } from '../../nodes/catalog/drift';
import { describeDrift } from '../../scripts/doctor/driftReport';
import { listKnownModels } from '../../nodes/catalog/modelList';
import { findSimilarTableFile, findTableFile } from '../../scripts/doctor/tableFiles';

const ROOT = path.join(__dirname, '../..');
const known: OfferedModel[] = listKnownModels().map(({ id }) => ({ id }));
const allBut = (...ids: string[]) => known.filter(({ id }) => !ids.includes(id));
const report = (listed: OfferedModel[]) =>
	describeDrift(compareModels(listed), {
		host: 'gateway.example.com',
		at: Date.parse('2026-11-22T09:45:10Z'),
	});

describe('the report', () => {
	it('says where, when, what differs, and which file to edit', () => {
		const listed = [
			...allBut('clipk-v2.6', 'gp-4o', 'imgn-4.0'),
			{ id: 'imgn-4.0', priceConfig: { unit: 'image', price: 0.05 } },
			{ id: 'clipk-zz', type: 'video', priceConfig: { price: 0.2 } },
			{ id: 'kite-9', type: 'image' },
			{ id: 'srx-2' },
		];
		const heading =
			'## Models of gateway.example.com: 2 new, 2 missing, 1 listed again, 1 price moved';
		expect(report(listed)).toBe(`${heading}

On 2026-11-22 at 09:45 UTC, \`GET /v1/models\` of gateway.example.com listed ${listed.length} models. They are compared with the tables of n8n-nodes-generation-gateway.

### New at the gateway (2)

Add a row to the table of the family, or the ID to the list of its endpoint. CONTRIBUTING.md has the steps under "Add a model" and "Add a family".

| Model | Type | price_config | Likely file |
| --- | --- | --- | --- |
| \`clipk-zz\` | \`video\` | \`{"price":0.2}\` | \`nodes/catalog/families/clipk.ts\` |
| \`kite-9\` | \`image\` | – | – |

### Not listed any more (2)

First check that the model no longer works: a key may not see all models. Then set \`deprecated\` in its row, with the replacement where one is named, or take the ID out of its list.

| Model | Type | File |
| --- | --- | --- |
| \`clipk-v2.6\` | video | \`nodes/catalog/families/clipk.ts\` |
| \`gp-4o\` | text | \`nodes/catalog/textEndpoints.ts\` |

### Listed again (1)

Remove \`deprecated\` from the row, and enter the fields and the price that are documented.

| Model | Type | In the table | File |
| --- | --- | --- | --- |
| \`srx-2\` | video | delisted | \`nodes/catalog/families/srx.ts\` |

### Prices that moved (1)

Correct \`price\` in the row, the price in \`sandbox/rules\` and the numbers in \`test/catalog/pricing.test.ts\`.

| Model | In the table, no longer listed | Listed, not in the table | price_config | File |
| --- | --- | --- | --- | --- |
| \`imgn-4.0\` | 0.0425 USD (21,250 quota) | 0.05 | \`{"unit":"image","price":0.05}\` | \`nodes/catalog/families/imgn.ts\` |`);
	});

	it('says so where nothing differs', () => {
		expect(report(known)).toBe(`## Models of gateway.example.com: no differences

On 2026-11-22 at 09:45 UTC, \`GET /v1/models\` of gateway.example.com listed ${known.length} models. They are compared with the tables of n8n-nodes-generation-gateway.`);
	});

	it('says which kinds are not compared', () => {
		const media = listKnownModels().filter(({ kind }) => kind === 'image' || kind === 'video');
		expect(report(media)).toContain(
			'It lists none of the text, audio and embedding models of the package, so these are not compared.',
		);
	});

	it('keeps its tables whole, and mentions nobody, whatever a model is called', () => {
		const [, row] = report([...known, { id: 'a|b\n`@everyone`', type: '<b>' }]).split('| --- |\n');
		expect(row).toBe("| `a\\|b '@everyone'` | `&lt;b>` | – | – |");
	});
});

describe('the file of a model', () => {
	it.each(known.map(({ id }) => id))('is there for %s', (id) => {
		expect(existsSync(path.join(ROOT, findTableFile(id)!))).toBe(true);
	});

	it.each([
		['clipk-zz', 'video', 'families/clipk.ts'],
		['clipk-zz', undefined, 'families/clipk.ts'],
		['clipk-zz', 'VIDEO', 'families/clipk.ts'],
		['qwn-image-3.0-pro', 'image', 'families/open.ts'],
		['gx-imagine-video-2.0', 'video', 'families/open.ts'],
		['gp-9', 'text', 'textEndpoints.ts'],
		['new-1', 'embedding', 'textEndpoints.ts'],
	])('is guessed for %s of type %s: %s', (id, type, file) => {
		expect(findSimilarTableFile(id, type)).toBe(`nodes/catalog/${file}`);
	});

	it.each([
		['kite-9', 'video'],
		['clip-9', 'video'],
		['clipk-zz', 'music'],
		['gp-9', undefined],
	])('is not guessed for %s of type %s', (id, type) => {
		expect(findSimilarTableFile(id, type)).toBeUndefined();
	});
});
