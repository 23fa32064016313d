import type { FastifyRequest } from 'fastify';
import { Refusal } from './httpError';
import type { Settings } from './settings';

export type Door = 'bearer' | 'messages' | 'native';

/** Which header opens a path (section 5). */
export function doorOf(path: string): Door {
	if (path === '/v1/messages') return 'messages';
	return /^\/v1\/models\/.+(:|%3A)/i.test(path) ? 'native' : 'bearer';
}

function header(request: FastifyRequest, name: string): string | undefined {
	const value = request.headers[name];
	return Array.isArray(value) ? value[0] : value;
}

function bearer(request: FastifyRequest): string | undefined {
	return /^Bearer +(\S+)$/i.exec(header(request, 'authorization') ?? '')?.[1];
}

function presented(request: FastifyRequest, door: Door): string | undefined {
	if (door === 'native') return header(request, 'x-g-api-key');
	if (door === 'messages') return header(request, 'x-api-key') ?? bearer(request);
	return bearer(request);
}

/** The account of the request; 401 without a valid key, 403 for a key that may not. */
export function accountOf(request: FastifyRequest, settings: Settings, path: string): string {
	const door = doorOf(path);
	const key = presented(request, door);
	if (key === undefined) throw new Refusal(401, 'The API key is missing.');
	if (settings.forbiddenKeys.includes(key)) {
		throw new Refusal(403, 'This API key may not use this endpoint.');
	}
	const account = Object.hasOwn(settings.accounts, key) ? settings.accounts[key] : undefined;
	if (account === undefined) throw new Refusal(401, 'The API key is invalid.');
	if (door === 'messages' && !header(request, 'ax-version')) {
		throw new Refusal(400, 'The header ax-version is required.', 'ax-version');
	}
	return account;
}
