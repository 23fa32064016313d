import type { FastifyInstance } from 'fastify';
import { mediaModels } from './rules';
import type { Body, Settings } from './settings';

/** Section 2.5, chat completions. */
export const chatModels = [
	'gp-5',
	'gp-5-mini',
	'gp-5-nano',
	'gp-5.1',
	'gp-5.2',
	'gp-5.4',
	'gp-4.1',
	'gp-4.1-mini',
	'gp-4.1-nano',
	'gp-4o',
	'gp-4o-mini',
	'o1',
	'o3-mini',
	'o4-mini',
	'cld-opus-4.6',
	'cld-sonnet-4.6',
	'cld-opus-4.5',
	'cld-sonnet-4.5',
	'cld-haiku-4.5',
	'gmn-2.5-pro',
	'gmn-2.5-flash',
	'gmn-2.5-flash-lite',
	'gmn-3-flash-preview',
	'gmn-3.1-pro-preview',
	'dsk-r1-0528',
	'dsk-v3.2',
	'dsk-v3.2-exp',
	'mmx-m2.1',
	'mmx-m2.5',
	'kmi-k2.5',
	'kmi-k2-thinking',
	'zg-4.6',
	'zg-4.7',
	'zg-5',
	'zg-5.1',
];

/** Only on the responses-style endpoint. */
export const responseOnlyModels = [
	'gp-5-pro',
	'gp-5-codex',
	'gp-5.1-codex',
	'gp-5.1-codex-mini',
	'gp-5.2-codex',
	'gp-5.3-codex',
];

export const messageModels = chatModels.filter((id) => id.startsWith('cld-'));

export const nativeModels = [
	'gmn-3.1-pro-preview',
	'gmn-3-flash-preview',
	'gmn-2.5-pro',
	'gmn-2.5-flash',
	'gmn-2.5-flash-lite',
];

export const audioModels = ['asr-1'];

export const embeddingModels = ['text-embedding-3-small', 'text-embedding-3-large'];

/** Sandbox-only: one demo price for all that the spec does not price. */
const DEMO_TOKEN_PRICE = { currency: 'USD', unit: 'million_tokens', input: 1, output: 4 };

const toModelObject = (id: string, type: string, price_config: Body): Body => ({
	id,
	object: 'model',
	type,
	price_config,
});

/** Shape beyond `price_config` is not shown in the spec (section 4). */
export function addModels(app: FastifyInstance, settings: Settings): void {
	const served = (): Body[] => [
		...Object.entries(mediaModels).map(([id, rule]) =>
			toModelObject(id, rule.kind, rule.priceConfig),
		),
		...[...chatModels, ...responseOnlyModels, ...settings.extraTextModels].map((id) =>
			toModelObject(id, 'text', DEMO_TOKEN_PRICE),
		),
		...audioModels.map((id) =>
			toModelObject(id, 'audio', { currency: 'USD', unit: 'minute', price: 0.006 }),
		),
		...embeddingModels.map((id) =>
			toModelObject(id, 'embedding', { ...DEMO_TOKEN_PRICE, output: 0 }),
		),
	];
	app.get('/v1/models', async () => ({ object: 'list', data: settings.listModels(served()) }));
}
