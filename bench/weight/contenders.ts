import path from 'node:path';
import { readFile } from 'node:fs/promises';
import type { IDataObject } from 'n8n-workflow';

/** A node as it is installed: its files, the first being the one whose panel is looked at, and panels to resolve. */
export interface Weighed {
  label: string;
  /** Type, version and parameters of the node as the editor opens it, and a field that its panel then shows. */
  opened: { type: string; typeVersion: number; parameters: IDataObject; shows: string };
  files: string[];
  panels: Record<string, IDataObject>;
}

const located = (value: string) => ({ __rl: true, mode: 'list', value, cachedResultName: value });
const VENDORS = '@n8n/n8n-nodes-langchain/dist/nodes/vendors';

/** This package whole, and of the others the one node. `modules` is n8n's node_modules, `own` this package as it is installed. */
export async function weighed(modules: string, own: string): Promise<Weighed[]> {
  const { n8n } = JSON.parse(await readFile(path.join(own, 'package.json'), 'utf8')) as { n8n: { nodes: string[]; credentials: string[] } };
  const all = [...n8n.nodes, ...n8n.credentials].sort((a, b) => Number(b.includes('/GenerationGateway.node')) - Number(a.includes('/GenerationGateway.node')));
  const image = { resource: 'image', operation: 'generate', model: located('flx-2-flex') };
  const video = { resource: 'video', operation: 'generate', model: located('clipk-v3-omni'), action: 'reference_video' };
  const media = { image: { resource: 'image', operation: 'generate' }, video: { resource: 'video', operation: 'generate' } };
  return [
    {
      label: 'Generation Gateway (4 nodes, credential)',
      opened: { type: 'n8n-nodes-generation-gateway.generationGateway', typeVersion: 1, parameters: video, shows: 'resource' },
      files: all.map((file) => path.join(own, file)),
      panels: { image, video },
    },
    {
      label: 'OpenAI',
      opened: { type: '@n8n/n8n-nodes-langchain.openAi', typeVersion: 2.1, parameters: media.video, shows: 'resource' },
      files: [path.join(modules, VENDORS, 'OpenAi', 'OpenAi.node.js')],
      panels: media,
    },
    {
      label: 'Google Gemini',
      opened: { type: '@n8n/n8n-nodes-langchain.googleGemini', typeVersion: 1, parameters: media.video, shows: 'resource' },
      files: [path.join(modules, VENDORS, 'GoogleGemini', 'GoogleGemini.node.js')],
      panels: media,
    },
    {
      label: 'HTTP Request',
      opened: { type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters: { sendBody: true }, shows: 'url' },
      files: [path.join(modules, 'n8n-nodes-base', 'dist', 'nodes', 'HttpRequest', 'HttpRequest.node.js')],
      panels: { image: { method: 'POST', sendBody: true, sendHeaders: true }, video: { method: 'POST', sendBody: true, sendHeaders: true } },
    },
  ];
}
