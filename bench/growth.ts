import { median, rounded, type Measure } from './result';
import { panelsOf } from './panels';
import { stage, type Play } from './stage';
import { dryRun, editFields, flow } from './workflows';

const COUNTS = [10, 100, 1_000, 10_000];
const ROUNDS = 3;
const MODELS = [1, 2, 5, 10];

const rows = (count: number) => Array.from({ length: count }, (_, row) => ({ prompt: `Poster ${row}` }));

/** What one item costs, by the number of items: milliseconds beyond a workflow without the node, and kilobytes. */
async function perItem(play: Play, empty: Play, count: number): Promise<{ ms: number; kb: number }> {
  const [ms, kb]: number[][] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const without = await empty(rows(count));
    const own = await play(rows(count));
    ms!.push((own.ms - without.ms) / count);
    kb!.push((own.growth * 1024) / count);
  }
  return { ms: median(ms!), kb: median(kb!) };
}

/** More items, and more models. */
export const growth: Measure = {
  name: 'growth',
  async run() {
    const standing = await stage();
    const empty = await standing.rehearse(flow('nothing', 'noData', { type: 'n8n-nodes-base.noOp' }));
    const ours = await standing.rehearse(flow('dryRun', 'noData', dryRun()));
    const fields = await standing.rehearse(flow('editFields', 'noData', editFields()));
    for (const play of [empty, ours, fields]) for (let round = 0; round < 3; round += 1) await play(rows(1_000));
    const figures = [];
    for (const count of COUNTS) figures.push({ count, own: await perItem(ours, empty, count), other: await perItem(fields, empty, count) });
    const [, , thousand, most] = figures;
    const compiled = MODELS.map((times) => ({ times, ...panelsOf(times) }));
    const [once, tenfold] = [compiled[0]!, compiled.at(-1)!];
    return {
      name: 'growth',
      title: 'More items, more models',
      says: [
        `Rows through Task > Submit in a dry run: every item is read, checked against its table and priced, and nothing is sent. The time is that of the workflow less that of the same one with a node that does nothing; for scale, n8n's own Edit Fields with one expression for each of two fields. The smallest counts are within the noise of a webhook call.`,
        `And the tables with every model ${MODELS.slice(1, -1).join(', ')} and ${MODELS.at(-1)} times, under further names: what it takes to make both panels, and their JSON.`,
      ],
      tables: [
        {
          columns: ['Items', 'Dry run (ms per item)', 'Growth of n8n (KB per item)', 'Edit Fields (ms per item)'],
          rows: figures.map(({ count, own, other }) => [count.toLocaleString('en'), rounded(own.ms), rounded(own.kb), rounded(other.ms)]),
        },
        {
          columns: ['Models', 'Panels made (ms)', 'JSON (KB)'],
          rows: compiled.map(({ models, ms, kilobytes }) => [models, rounded(ms), Math.round(kilobytes)]),
        },
      ],
      targets: [
        { says: 'Time of an item among 10,000', value: rounded(most!.own.ms), most: 0.2, unit: 'ms' },
        { says: 'Time of an item among 10,000 against 1,000', value: rounded(most!.own.ms / thousand!.own.ms), most: 1.25, unit: 'x' },
        { says: 'Panels of ten times as many models: time', value: rounded(tenfold.ms / once.ms), most: 12, unit: 'x' },
        { says: 'Panels of ten times as many models: size', value: rounded(tenfold.kilobytes / once.kilobytes), most: 10, unit: 'x' },
      ],
      plots: [
        {
          kind: 'lines',
          name: 'growth',
          title: 'Time of one item by the number of items, dry run',
          unit: 'milliseconds per item',
          across: 'items',
          isAcrossLogarithmic: true,
          lines: [
            { label: 'Generation Gateway', isOurs: true, points: figures.slice(1).map(({ count, own }): [number, number] => [count, rounded(own.ms)]) },
            { label: 'Edit Fields, two expressions', points: figures.slice(1).map(({ count, other }): [number, number] => [count, rounded(other.ms)]) },
            { label: 'Wanted', isLimit: true, points: [[100, 0.2], [10_000, 0.2]] },
          ],
        },
      ],
    };
  },
};
