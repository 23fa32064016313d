/** The address before `/v1/...`, with a path before it. Or why the text is no base URL, in words for the user. */
export function parseBaseUrl(baseUrl: unknown): URL | { problem: string } {
	const text = String(baseUrl ?? '').trim();
	const example = 'e.g. https://gateway.example.com';
	if (!text) return { problem: `Base URL is empty. Enter the address of the gateway, ${example}` };
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !/^https?:$/.test(url.protocol))
		return {
			problem: `Base URL must start with https:// or http://, ${example}, but is ${text.slice(0, 100)}`,
		};
	// The HTTP client would send them instead of the API key.
	if (url.username || url.password)
		return {
			problem: 'Base URL must not have a user name or password. Enter the API key below it',
		};
	url.search = '';
	url.hash = '';
	url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
	return url;
}
