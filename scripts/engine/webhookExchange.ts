import type {
	IDataObject,
	IHttpRequestMethods,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

/** A request to a webhook. Header names may have any case; a body that is an object counts as JSON. */
export interface WebhookRequest {
	method?: IHttpRequestMethods;
	/** As the caller wrote it, without the query. Default `/`. */
	path?: string;
	/** Of a link that resumes an execution: what follows its ID in the path. */
	suffix?: string;
	headers?: Record<string, string>;
	query?: Record<string, string>;
	params?: Record<string, string>;
	body?: IDataObject | string;
	/** n8n has not read the body, since it does not know the type. */
	isUnread?: boolean;
}

export interface WebhookResponse {
	status: number;
	body: unknown;
	headers?: Record<string, string>;
}

type Exchange = Required<Pick<IWorkflowExecuteAdditionalData, 'httpRequest' | 'httpResponse'>>;

/** The request and response objects that a node's `webhook()` sees, and what the node sent with the latter. */
export function createExchange(request: WebhookRequest): Exchange & { sent: WebhookResponse } {
	const {
		method = 'POST',
		path = '/',
		headers = {},
		query = {},
		params = {},
		body = {},
		isUnread,
	} = request;
	const rawBody = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
	const sent: WebhookResponse = { status: 200, body: undefined, headers: {} };
	const httpRequest = {
		method,
		path,
		query,
		params,
		body: isUnread ? {} : body,
		rawBody: isUnread ? undefined : rawBody,
		url: path,
		headers: Object.fromEntries(
			Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
		),
		readRawBody: async () => void Object.assign(httpRequest, { rawBody }),
	};
	const setHeader = (name: string, value: string) => {
		sent.headers = { ...sent.headers, [name.toLowerCase()]: value };
		return httpResponse;
	};
	const send = (content?: unknown) => {
		sent.body = content;
		return httpResponse;
	};
	const httpResponse = {
		set: setHeader,
		setHeader: setHeader,
		header: setHeader,
		send,
		json: send,
		end: send,
		status: (code: number) => {
			sent.status = code;
			return httpResponse;
		},
		writeHead: (code: number, more: Record<string, string> = {}) => {
			sent.status = code;
			sent.headers = { ...sent.headers, ...more };
			return httpResponse;
		},
	};
	return { httpRequest, httpResponse, sent } as unknown as Exchange & { sent: WebhookResponse };
}
