import { UserError } from 'n8n-workflow';
import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { parseBaseUrl } from '../nodes/gateway/baseUrl';

const AX_VERSION = '2023-06-01';

/** The header each endpoint reads its key from: section 5 of the gateway's interface. */
function keyHeaders(path: string, apiKey: string): Record<string, string> {
	if (/\/v1\/messages$/.test(path)) return { 'x-api-key': apiKey, 'ax-version': AX_VERSION };
	if (/:generateContent$/i.test(path)) return { 'x-g-api-key': apiKey };
	return { Authorization: `Bearer ${apiKey}` };
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
	];

	/** Gives a call its address and its key. A call to any other host goes out without the key, and the key follows no redirect. */
	authenticate: IAuthenticate = async (
		credentials: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
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
	};

	/** Answers even when the quota of the key is used up. */
	test: ICredentialTestRequest = {
		request: { baseURL: '={{$credentials.baseUrl}}', url: '/v1/assets', qs: { limit: 1 } },
	};
}
