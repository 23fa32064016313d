import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../nodes/gateway/json';
import { textAdapters } from '../../nodes/gateway/text';
import type { TextAdapter } from '../../nodes/gateway/text/adapter';
import type { TextResult } from '../../nodes/gateway/text/schema';
import { SseReader } from '../../nodes/gateway/text/sse';

export type Endpoint = keyof typeof textAdapters;

export const fixture = (name: string): string =>
	readFileSync(join(__dirname, '../fixtures/text', name), 'utf8');
export const raw = (name: string): JsonObject => JSON.parse(fixture(name)) as JsonObject;

export const parseResponse = (endpoint: Endpoint, body: object): TextResult | undefined =>
	textAdapters[endpoint].parseResponse({ ...body });

/** Of most fixtures. */
export const usage = { input: 12, output: 5, total: 17 };

/** Reads a whole stream: its parser, and the pieces of text that it has added. */
export function readStream(endpoint: Endpoint, stream: string) {
	const reader = new SseReader();
	const parser = (textAdapters[endpoint] as TextAdapter).createStreamParser!();
	const added = [...reader.push(stream), ...reader.push('\n\n')].map((event) => parser.push(event));
	return { parser, added: added.filter(Boolean) };
}

export const toStream = (...chunks: unknown[]): string =>
	chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
