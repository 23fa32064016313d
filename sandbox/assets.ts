import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError } from './httpError';
import { mediaModels } from './rules';
import { findLinkFault } from './rules/checks';
import type { Body, Settings } from './settings';
import type { AssetStore } from './assetStore';
import { readBody } from './tasks';

/** The fields of an upload are not shown: any of these is the link. */
const LINK_FIELDS = [
	'url',
	'link',
	'source_url',
	'asset_url',
	'file_url',
	'source',
	'image_url',
	'video_url',
	'audio_url',
];

const EXTENSIONS: [type: string, pattern: RegExp][] = [
	['video', /\.(mp4|mov|webm|avi)(\?|#|$)/i],
	['audio', /\.(mp3|wav|m4a|aac|ogg)(\?|#|$)/i],
];

function linkOf(body: Body, settings: Settings): string {
	const field = LINK_FIELDS.find((name) => body[name] !== undefined);
	const link = field === undefined ? undefined : body[field];
	if (typeof link !== 'string')
		throw new HttpError(400, 'A source link is required.', field ?? 'url');
	if (link.length > 4096)
		throw new HttpError(400, `${field} must have at most 4096 characters.`, field);
	const fault = findLinkFault(link, settings);
	if (fault !== undefined) throw new HttpError(400, `${field} ${fault}.`, field);
	return link;
}

function typeOf(body: Body, link: string): string {
	const type = body.type ?? EXTENSIONS.find(([, pattern]) => pattern.test(link))?.[0] ?? 'image';
	if (type !== 'image' && type !== 'video' && type !== 'audio') {
		throw new HttpError(400, 'type must be one of "image", "video", "audio".', 'type');
	}
	return type;
}

function modelOf(body: Body): string {
	const model = body.model ?? 'sdn-2.0';
	if (
		typeof model !== 'string' ||
		!Object.hasOwn(mediaModels, model) ||
		!mediaModels[model]?.hasAssets
	) {
		throw new HttpError(400, 'model must be one of the asset-capable models.', 'model');
	}
	return model;
}

/** "…-12s.mp4" lasts 12 seconds, "unreadable" cannot be read, all else lasts 5. */
function durationOf(type: string, link: string): number | undefined {
	if (type === 'image') return undefined;
	if (link.includes('unreadable')) {
		throw new HttpError(
			400,
			'The duration of this media cannot be read.',
			undefined,
			'asset_duration_unknown',
		);
	}
	return Number(/(\d+(?:\.\d+)?)s\b/.exec(link)?.[1] ?? 5);
}

function readPage(request: FastifyRequest): { limit: number; offset: number } {
	const { limit, offset } = request.query as Record<string, unknown>;
	const whole = (value: unknown): number => (/^\d+$/.test(String(value)) ? Number(value) : NaN);
	const size = whole(limit);
	return { limit: size >= 1 && size <= 100 ? size : 20, offset: whole(offset) || 0 };
}

/** The asset library (sections 2.4, 3, 4). Free of charge, so the quota does not matter. */
export function addAssets(app: FastifyInstance, settings: Settings, assetStore: AssetStore): void {
	const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id;

	app.post('/v1/assets', async (request) => {
		const body = readBody(request);
		const model = modelOf(body);
		const link = linkOf(body, settings);
		const type = typeOf(body, link);
		const { name = '' } = body;
		if (typeof name !== 'string') throw new HttpError(400, 'name must be a string.', 'name');
		return assetStore.toObject(
			assetStore.add(request.account, {
				model,
				type,
				name,
				link,
				duration: durationOf(type, link),
			}),
		);
	});

	app.get('/v1/assets', async (request) => {
		const { limit, offset } = readPage(request);
		const assets = assetStore.list(request.account).slice(offset, offset + limit);
		return { object: 'list', data: assets.map((asset) => assetStore.toObject(asset)) };
	});

	app.get('/v1/assets/:id', async (request) =>
		assetStore.toObject(assetStore.findOwned(idOf(request), request.account)),
	);

	app.delete('/v1/assets/:id', async (request) => {
		const asset = assetStore.findOwned(idOf(request), request.account);
		asset.isDeleted = true;
		return { id: asset.id, object: 'asset', deleted: true };
	});
}
