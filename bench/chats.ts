import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSandbox } from '../sandbox';
import { Host, type HeadlessRun } from '../scripts/host/host';
import { installHost } from '../scripts/host/install';
import { installPackage, pack } from '../scripts/host/userFolder';
import { versionOf } from '../scripts/host/versions';
import { chatContest } from './workflows';

const CHATS = 40;
const CHAT_MS = 300;
const ROUNDS = 3;

const median = (numbers: number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** How long a node took, as n8n itself booked it. */
function millisecondsOf({ data }: HeadlessRun, node: string): number {
  const [run] = data.resultData.runData[node] as { executionTime?: number }[];
  return run!.executionTime!;
}

/** The same chats through this package and through n8n's OpenAI node, in turn, in one run of one real n8n. */
async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  const sandbox = await startSandbox({ chatMs: CHAT_MS, extraTextModels: ['gpt-4o-mini'] });
  try {
    const host = await Host.make(await installHost(versionOf('newest')), { userFolder: path.join(folder, 'user') });
    await installPackage(path.join(folder, 'user'), await pack(path.join(folder, 'pack')));
    await host.importCredential({ baseUrl: sandbox.url, apiKey: sandbox.key });
    await host.importOther('openAiApi', { apiKey: sandbox.key, url: `${sandbox.url}/v1` });
    await host.importWorkflows([chatContest(CHATS)]);
    const times = { ours: [] as number[], theirs: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const run = await host.execute('chatContest');
      times.ours.push(millisecondsOf(run, 'Generation Gateway'));
      times.theirs.push(millisecondsOf(run, 'OpenAI'));
    }
    const [ours, theirs] = [median(times.ours), median(times.theirs)];
    console.log(`${CHATS} chats of ${CHAT_MS} ms, median of ${ROUNDS} runs in n8n ${versionOf('newest').n8n}:`);
    console.log(`  Generation Gateway  ${(ours / 1000).toFixed(2)} s`);
    console.log(`  OpenAI node         ${(theirs / 1000).toFixed(2)} s  (${(theirs / ours).toFixed(1)} x)`);
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

main().catch((reason: unknown) => {
  console.error(reason);
  process.exitCode = 1;
});
