import { UserError } from 'n8n-workflow';
import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeProperties,
} from 'n8n-workflow';
import { parseBaseUrl } from '../nodes/gateway/baseUrl';
import { toConnectionError } from '../nodes/n8n/connectionError';

const AX_VERSION = '2023-06-01';
/** Longest silence in a test. */
const TEST_MS = 10_000;

/** The header each endpoint reads its key from: section 5 of the gateway's interface. */
function keyHeaders(path: string, apiKey: string): Record<string, string> {
	if (/\/v1\/messages$/.test(path)) return { 'x-api-key': apiKey, 'ax-version': AX_VERSION };
	if (/:generateContent$/i.test(path)) return { 'x-g-api-key': apiKey };
	return { Authorization: `Bearer ${apiKey}` };
}

const NO_GATEWAY =
	'Something answers at Base URL, but it is no gateway. Enter the address of the gateway, without /v1';

/** What the user reads when the test of the credential is refused, by status. */
const findStatusProblem = (status = 200): string | undefined => {
	if (status >= 300 && status < 400) return 'Base URL leads to another address. Enter that one';
	if (status === 401)
		return 'The gateway does not accept the API key. Copy it again from the console of the gateway';
	if (status === 403)
		return 'The gateway gives the API key no access, or something before the gateway has answered, e.g. a proxy, a firewall or a login page';
	return status === 404 || status === 405 ? NO_GATEWAY : undefined;
};

/** The way of n8n to send a request, for a credential that it is about to use. */
const senders = new WeakMap<ICredentialDataDecryptedObject, IHttpRequestHelper['helpers']>();

/** Throws in words what is wrong: n8n would show a bare code, and wait five minutes for an answer. */
async function assertAnswers(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
): Promise<void> {
	const options = { ...request, ignoreHttpStatusErrors: true, returnFullResponse: true };
	const send = async () =>
		(await senders.get(credentials)?.httpRequest(options)) as IN8nHttpFullResponse | undefined;
	const response = await send().catch(async (error: unknown) => {
		const node = { getCredentials: async <T extends object>() => credentials as T };
		const { code, message, hint } = await toConnectionError(node, error, TEST_MS);
		if (code === 'timeout') throw new UserError(`${message}. Check Base URL.`);
		// n8n replaces a message that has the code of a connection in it, e.g. ECONNREFUSED.
		throw new UserError(hint ? `The gateway could not be reached. ${hint}` : message);
	});
	const problem = findStatusProblem(response?.statusCode);
	if (problem) throw new UserError(problem);
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
			displayName: 'Not Used',
			name: 'notUsed',
			type: 'hidden',
			// Never set: n8n calls `preAuthentication` of a credential with such a property that is empty.
			typeOptions: { expirable: true },
			default: '',
		},
	];

	/** Gives a call its address and its key. A call to any other host goes out without the key, and the key follows no redirect. */
	authenticate: IAuthenticate = async (credentials, options) => {
		const base = parseBaseUrl(credentials.baseUrl);
		if ('problem' in base) throw new UserError(base.problem);
		const address = base.href.replace(/\/$/, '');
		const isRelative = !URL.canParse(options.url);
		const target = new URL(isRelative ? `${address}${options.url}` : options.url);
		if (target.origin !== base.origin) return options;
		const apiKey = String(credentials.apiKey ?? '').trim();
		if (!apiKey) throw new UserError('API Key is empty. Keys come from the console of the gateway');
		if (/\s/.test(apiKey)) throw new UserError('API Key must be one word. Copy it again');
		const headers = { ...keyHeaders(target.pathname, apiKey), ...options.headers };
		const request = {
			...options,
			url: target.href,
			baseURL: undefined,
			headers,
			disableFollowRedirect: true,
		};
		// Only the request of the test names a base of its own.
		if (!options.baseURL) return request;
		const tested = { ...request, timeout: TEST_MS };
		await assertAnswers(credentials, tested);
		return tested;
	};

	/** n8n calls it before `authenticate`, which gets no helper to send requests with. */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		senders.set(credentials, this.helpers);
		return {};
	}

	/** Answers even when the quota of the key is used up; the answer is a list, which tells a gateway from any web page. */
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.baseUrl}}',
			url: '/v1/assets',
			qs: { limit: 1 },
		},
		rules: [
			{
				type: 'responseSuccessBody',
				properties: { key: 'data', value: undefined, message: NO_GATEWAY },
			},
		] as ICredentialTestRequest['rules'],
	};
}
