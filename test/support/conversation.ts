import type { IDataObject } from 'n8n-workflow';
import type { RecordedRequest } from '../../sandbox';
import type { TextEndpointId } from '../../nodes/catalog/families';
import { modelId, NODE, type GatewayFixture, type Menu } from './gateway';

/** A text endpoint as a test meets it: where it is, and a model of its own. */
export interface Endpoint {
	style: TextEndpointId;
	menu: Menu;
	path: string;
	model: string;
	/** The header that carries the key. */
	key: string;
}

export const ENDPOINTS: Endpoint[] = [
	{
		style: 'chat',
		menu: 'text:chat',
		path: '/v1/chat/completions',
		model: 'gp-4.1',
		key: 'authorization',
	},
	{
		style: 'respond',
		menu: 'text:respond',
		path: '/v1/responses',
		model: 'gp-4.1',
		key: 'authorization',
	},
	{
		style: 'message',
		menu: 'text:message',
		path: '/v1/messages',
		model: 'cld-haiku-4.5',
		key: 'x-api-key',
	},
	{
		style: 'generateContent',
		menu: 'text:generateContent',
		path: '/v1/models/gmn-2.5-flash:generateContent',
		model: 'gmn-2.5-flash',
		key: 'x-g-api-key',
	},
];
export const STREAMING = ENDPOINTS.filter(({ style }) => style !== 'generateContent');
export const endpoint = (style: TextEndpointId): Endpoint =>
	ENDPOINTS.find((one) => one.style === style)!;

/** One message as the builder of the panel stores it. */
export const toMessage = (text: string, role = 'user', more: IDataObject = {}): IDataObject => ({
	role,
	text,
	...more,
});

/** Parameters of a text operation: its model and these messages. */
export const textParameters = (
	{ model }: { model: string },
	messages: IDataObject[],
	more: IDataObject = {},
): IDataObject => ({
	model: modelId(model),
	messages: { entry: messages },
	...more,
});

/** What was sent to the endpoint, oldest first. */
export const sentTo = (fixture: GatewayFixture, { path }: Endpoint): RecordedRequest[] =>
	fixture.sandbox.requests.filter((request) => request.method === 'POST' && request.path === path);

export const bodiesTo = (fixture: GatewayFixture, one: Endpoint): unknown[] =>
	sentTo(fixture, one).map(({ body }) => body);

/** The message of the refusal; nothing may have been sent. */
export async function refusalOf(
	fixture: GatewayFixture,
	style: string,
	more: IDataObject,
	messages: IDataObject[],
	items?: never[],
): Promise<string> {
	const one = endpoint(style as TextEndpointId);
	const run = await fixture.run(
		one.menu,
		{ ...textParameters(one, messages), ...more },
		items && { items },
	);
	expect(fixture.sandbox.requests).toEqual([]);
	expect(run.nodeError(NODE)?.description).toContain('Nothing was sent and nothing was billed.');
	return run.nodeError(NODE)?.message ?? '';
}
