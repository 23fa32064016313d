import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../nodes/gateway/json';
import { textAdapters } from '../../nodes/gateway/text';
import type { TextResult } from '../../nodes/gateway/text/schema';

export type Endpoint = keyof typeof textAdapters;

export const fixture = (name: string): string =>
	readFileSync(join(__dirname, '../fixtures/text', name), 'utf8');
export const raw = (name: string): JsonObject => JSON.parse(fixture(name)) as JsonObject;

export const parseResponse = (endpoint: Endpoint, body: object): TextResult | undefined =>
	textAdapters[endpoint].parseResponse({ ...body });

/** Of most fixtures. */
export const usage = { input: 12, output: 5, total: 17 };
