import { UserError } from 'n8n-workflow';

/**
 * The address to put before `/v1/...`: without trailing slashes, and without the version prefix that
 * people copy along. A path stays, for gateways behind one.
 */
export function parseBaseUrl(baseUrl: unknown): URL {
	const text = String(baseUrl ?? '').trim();
	if (!text)
		throw new UserError(
			'Base URL is empty. Enter the address of the gateway, e.g. https://gateway.example.com',
		);
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !/^https?:$/.test(url.protocol))
		throw new UserError(
			`Base URL "${text}" is not a web address. It starts with https:// or http://, e.g. https://gateway.example.com`,
		);
	url.search = '';
	url.hash = '';
	url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
	return url;
}
