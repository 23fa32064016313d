import { GatewayError, timeoutError, type ErrorDetails } from '../gateway/errors';
import { redact } from '../gateway/redact';
import { getSecret, type CredentialReader } from './credential';

interface ErrorLayer extends Partial<Error> {
	code?: string;
	syscall?: string;
	cause?: ErrorLayer;
}

/** What listens does not speak TLS. With another code, the connection was in use. */
const NO_TLS = /EPROTO.*(wrong version number|packet length too long)/s;
/** By n8n's protection against requests to private addresses. */
const BLOCKED = /request was blocked because/;

/** What to check when a connection fails, by the reason in it. Older hosts give a reason in words. */
const CONNECTION_HINTS: readonly [reason: RegExp, hint: string][] = [
	[
		NO_TLS,
		'The gateway does not speak https at this address. Begin Base URL in the credential with http://, or enter the address for https.',
	],
	[
		BLOCKED,
		'n8n may not call this address. Name the gateway in N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES of this n8n, or remove it from N8N_SSRF_BLOCKED_HOSTNAMES.',
	],
	[
		/certificate/i,
		'n8n does not trust the certificate of the gateway. Check Base URL in the credential, or set NODE_EXTRA_CA_CERTS for this n8n.',
	],
	[
		/ECONNREFUSED|refused the connection|\b127\.0\.0\.1\b|(^|[\s[])::1\b|localhost/i,
		'Check Base URL in the credential, and that the gateway runs. Where n8n runs in a container, localhost is the container itself. If n8n uses a proxy, check HTTP_PROXY and HTTPS_PROXY.',
	],
	[
		/\b(ECONNRESET|EPIPE)\b|closed unexpectedly/,
		'The connection broke before an answer came. Run again later, with smaller files where it has large ones.',
	],
	[
		/\b(ENOTFOUND|EAI_AGAIN)\b/,
		'No host has the name in Base URL. Check its spelling, and that this n8n can look up names.',
	],
];

/** Of a connection that was not made, to the gateway or to a proxy before it. */
const NOT_CONNECTED = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
]);
/** Of a certificate, which is checked before the request is sent. */
const NOT_TRUSTED = new Set([
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'CERT_HAS_EXPIRED',
	'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** What is known of a request that was certainly never sent. */
function unsentDetails(layers: readonly ErrorLayer[], reason: string): Partial<ErrorDetails> {
	const has = (codes: ReadonlySet<string>) => layers.some(({ code }) => codes.has(code ?? ''));
	const isNeverSent = [NO_TLS, BLOCKED].some((pattern) => pattern.test(reason));
	if (has(NOT_TRUSTED) || isNeverSent) return { billed: 0, retry: false };
	// A connection in use may break with the same code.
	const isInUse = layers.some(({ syscall }) => syscall === 'read' || syscall === 'write');
	return has(NOT_CONNECTED) && !isInUse ? { billed: 0 } : {};
}

/** n8n wraps errors some layers deep. A wrong setting is not worth a repeat. */
export async function toConnectionError(
	node: CredentialReader,
	error: unknown,
	timeoutMs: number,
): Promise<GatewayError> {
	const layers: ErrorLayer[] = [];
	for (let layer = error as ErrorLayer | undefined; layer && layers.length < 6; layer = layer.cause)
		layers.push(layer);
	// From the file of a form.
	const known = layers.find((layer) => layer instanceof GatewayError);
	if (known) return known;
	if (layers.some(({ message = '' }) => /timeout of \d+ ?ms|connection was aborted/i.test(message)))
		return timeoutError(timeoutMs, error);
	const code = layers
		.map((layer) => layer.code)
		.find((word) => typeof word === 'string' && /^E[A-Z_]+$/.test(word));
	// Where the network gives a code, the word is in the name of a host.
	const setting = layers.find(({ message = '' }) => /Base URL|API Key|credential/i.test(message));
	if (setting && !code)
		return new GatewayError('invalid_credential', setting.message!, { cause: error });
	// Of OpenSSL: `…:SSL routines:<function>:<reason>:<file>:<line>:`.
	const words = (layers.at(-1)?.message ?? 'no response').replace(
		/\S*:SSL routines:\w*:([^:]+):.*/s,
		'$1',
	);
	const detail = redact(words, await getSecret(node)).slice(0, 200);
	const reason = code && !detail.includes(code) ? `${code}, ${detail}` : detail;
	const hint = CONNECTION_HINTS.find(([pattern]) => pattern.test(reason))?.[1];
	const message = `The gateway could not be reached (${reason})`;
	const details = unsentDetails(layers, reason);
	return new GatewayError('connection_failed', message, { hint, details, cause: error });
}
