import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NodeConnectionTypes, type IExecuteFunctions, type INodeType } from 'n8n-workflow';
import { download } from '../nodes/transport/download';
import { linear, runWorkflow, type EngineOptions } from '../scripts/engine';
import { packageWith, typeOf } from '../scripts/package';

const MEGABYTE = 1024 * 1024;
const AUDIO = 200 * MEGABYTE;
const VIDEO = 500 * MEGABYTE;

/** A node whose only item carries a file that `store` streams into n8n's storage. */
function fileNode(store: (host: IExecuteFunctions) => ReturnType<IExecuteFunctions['helpers']['prepareBinaryData']>): INodeType {
  return {
    description: {
      displayName: 'File', name: 'file', group: ['input'], version: 1, description: '', defaults: { name: 'File' },
      inputs: [NodeConnectionTypes.Main], outputs: [NodeConnectionTypes.Main], properties: [],
    },
    async execute() {
      return [[{ json: {}, binary: { data: await store(this) }, pairedItem: { item: 0 } }]];
    },
  };
}

/** Megabytes by which the process grew at most while the work ran. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
  await work();
  clearInterval(timer);
  return (peak - before) / MEGABYTE;
}

/** The sandbox in a process of its own, so that only the node's memory is measured. */
async function startedSandbox(): Promise<{ url: string; end: () => void }> {
  const cli = path.join(__dirname, '..', 'sandbox', 'cli.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', cli, '--port', '0', '--task-ms', '100'], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url) return { url, end: () => void child.kill() };
  }
  throw new Error('The sandbox did not start');
}

async function emptyFile(folder: string, bytes: number): Promise<string> {
  const file = path.join(folder, 'speech.mp3');
  const handle = await open(file, 'w');
  await handle.truncate(bytes);
  await handle.close();
  return file;
}

async function ran(options: EngineOptions, ...nodes: Parameters<typeof linear>): Promise<void> {
  const run = await runWorkflow(linear(...nodes), options);
  if (run.error) throw new Error(run.error.message);
}

async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-'));
  const sandbox = await startedSandbox();
  try {
    const file = await emptyFile(folder, AUDIO);
    const options = packageWith(sandbox.url, 'sandbox-key');
    const stored = fileNode((host) => host.helpers.prepareBinaryData(createReadStream(file), 'speech.mp3', 'audio/mpeg'));
    const fetched = fileNode((host) => download(host, `${sandbox.url}/files/big?bytes=${VIDEO}`, 'video', { mayLeadInside: true }));
    const withNodes = { ...options, nodeTypes: { ...options.nodeTypes, 'bench.stored': stored, 'bench.fetched': fetched } };
    const start = { type: 'n8n-nodes-base.manualTrigger' };
    const speech = { type: typeOf('generationGateway'), credentials: 'generationGatewayApi', parameters: { resource: 'audio', operation: 'transcribe' } };
    await ran(withNodes, start, { type: 'n8n-nodes-base.noOp' });

    const storing = await growthOf(() => ran(withNodes, start, { type: 'bench.stored' }));
    const sending = await growthOf(() => ran(withNodes, start, { type: 'bench.stored' }, speech));
    const fetching = await growthOf(() => ran(withNodes, start, { type: 'bench.fetched' }));
    console.log('Growth of the process, the sandbox being another one:');
    console.log(`  storing ${AUDIO / MEGABYTE} MB of audio in n8n alone       ${storing.toFixed(0)} MB`);
    console.log(`  storing and transcribing ${AUDIO / MEGABYTE} MB of audio  ${sending.toFixed(0)} MB`);
    console.log(`  downloading ${VIDEO / MEGABYTE} MB of video              ${fetching.toFixed(0)} MB`);
  } finally {
    sandbox.end();
    await rm(folder, { recursive: true, force: true });
  }
}

main().catch((reason: unknown) => {
  console.error(reason);
  process.exitCode = 1;
});
