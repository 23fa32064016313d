import type { FastifyRequest } from 'fastify';
import { HttpError } from './httpError';
import type { Settings } from './settings';

export type AuthScheme = 'bearer' | 'messages' | 'native';

/** Which header opens a path (section 5). */
function getAuthScheme(path: string): AuthScheme {
	if (path === '/v1/messages') return 'messages';
	return /^\/v1\/models\/.+(:|%3A)/i.test(path) ? 'native' : 'bearer';
}

function readHeader(request: FastifyRequest, name: string): string | undefined {
	const value = request.headers[name];
	return Array.isArray(value) ? value[0] : value;
}

function readBearer(request: FastifyRequest): string | undefined {
	return /^Bearer +(\S+)$/i.exec(readHeader(request, 'authorization') ?? '')?.[1];
}

function readKey(request: FastifyRequest, scheme: AuthScheme): string | undefined {
	if (scheme === 'native') return readHeader(request, 'x-g-api-key');
	if (scheme === 'messages') return readHeader(request, 'x-api-key') ?? readBearer(request);
	return readBearer(request);
}

/** The account of the request; 401 without a valid key, 403 for a key that may not. */
export function accountOf(request: FastifyRequest, settings: Settings, path: string): string {
	const scheme = getAuthScheme(path);
	const key = readKey(request, scheme);
	if (key === undefined) throw new HttpError(401, 'The API key is missing.');
	if (settings.forbiddenKeys.includes(key)) {
		throw new HttpError(403, 'This API key may not use this endpoint.');
	}
	const account = Object.hasOwn(settings.accounts, key) ? settings.accounts[key] : undefined;
	if (account === undefined) throw new HttpError(401, 'The API key is invalid.');
	if (scheme === 'messages' && !readHeader(request, 'ax-version')) {
		throw new HttpError(400, 'The header ax-version is required.', 'ax-version');
	}
	return account;
}
