import { UserError } from 'n8n-workflow';
import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { parseBaseUrl } from '../nodes/gateway/baseUrl';
import { toConnectionError } from '../nodes/n8n/gatewayContext';

const AX_VERSION = '2023-06-01';
/** Longest silence in a test. */
const TEST_MS = 10_000;
const TEST_REQUEST = { url: '/v1/assets', qs: { limit: 1 } };

/** The header each endpoint reads its key from: section 5 of the gateway's interface. */
function keyHeaders(path: string, apiKey: string): Record<string, string> {
	if (/\/v1\/messages$/.test(path)) return { 'x-api-key': apiKey, 'ax-version': AX_VERSION };
	if (/:generateContent$/i.test(path)) return { 'x-g-api-key': apiKey };
	return { Authorization: `Bearer ${apiKey}` };
}

const NO_GATEWAY =
	'Something answers at Base URL, but it is no gateway. Enter the address of the gateway, without /v1';
const REDIRECTED = 'Base URL leads to another address. Enter that one';

/** What the user reads when the test of the credential is refused. */
const STATUS_MESSAGES: Record<number, string> = {
	301: REDIRECTED,
	302: REDIRECTED,
	303: REDIRECTED,
	307: REDIRECTED,
	308: REDIRECTED,
	401: 'The gateway does not accept the API key. Copy it again from the console of the gateway',
	403: 'The gateway knows the API key, but gives it no access',
	404: NO_GATEWAY,
	405: NO_GATEWAY,
};

/** Gives a call its address and its key. A call to any other host goes out without the key, and the key follows no redirect. */
async function authenticate(
	credentials: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
	const base = parseBaseUrl(credentials.baseUrl);
	if ('problem' in base) throw new UserError(base.problem);
	const address = base.href.replace(/\/$/, '');
	const isRelative = !URL.canParse(options.url);
	const target = new URL(isRelative ? `${address}${options.url}` : options.url);
	if (target.origin !== base.origin) return options;
	const apiKey = String(credentials.apiKey ?? '').trim();
	const headers = { ...keyHeaders(target.pathname, apiKey), ...options.headers };
	return {
		...options,
		url: target.href,
		baseURL: undefined,
		headers,
		disableFollowRedirect: true,
	};
}

export class GenerationGatewayApi implements ICredentialType {
	name = 'generationGatewayApi';

	displayName = 'Generation Gateway API';

	icon = { light: 'file:../icons/gateway.svg', dark: 'file:../icons/gateway.dark.svg' } as const;

	documentationUrl =
		'https://github.com/generation-gateway/n8n-nodes-generation-gateway#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://gateway.example.com',
			description: 'Address of the gateway, without /v1',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'A key from the key management page in the console of the gateway',
		},
		{
			displayName: 'Tested',
			name: 'tested',
			type: 'hidden',
			// n8n calls `preAuthentication` of no other credential. With a value, only when it tests one.
			typeOptions: { expirable: true },
			default: 'when n8n asks',
		},
	];

	authenticate: IAuthenticate = authenticate;

	/**
	 * The first step of a test: n8n shows the bare code of a connection that failed, and waits five minutes
	 * for an answer. What the gateway answers is looked at in `test`.
	 */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const options = { ...TEST_REQUEST, timeout: TEST_MS, ignoreHttpStatusErrors: true };
		const request = await authenticate(credentials, options);
		try {
			await this.helpers.httpRequest(request);
		} catch (error) {
			const node = { getCredentials: async <T extends object>() => credentials as T };
			const { code, message, hint } = await toConnectionError(node, error, TEST_MS);
			throw new UserError(`${message}. ${code === 'timeout' ? 'Check Base URL.' : hint}`);
		}
		return {};
	}

	/** Answers even when the quota of the key is used up; the answer is a list, which tells a gateway from any web page. */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.baseUrl}}',
			...TEST_REQUEST,
		},
		rules: [
			...Object.entries(STATUS_MESSAGES).map(([status, message]) => ({
				type: 'responseCode',
				properties: { value: Number(status), message },
			})),
			{
				type: 'responseSuccessBody',
				properties: { key: 'data', value: undefined, message: NO_GATEWAY },
			},
		] as ICredentialTestRequest['rules'],
	};
}
