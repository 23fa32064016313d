import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { parseJson } from '../../nodes/gateway/json';
import { forgetAccounts } from '../../nodes/gateway/rateLimit/accounts';
import type { EngineOptions, EngineRun } from '../../scripts/engine';
import { packageWith } from '../../scripts/package';
import { gatewayNode, runNode, type RunOptions, type Menu } from './gateway';

type Answer = (
	response: ServerResponse,
	body: IDataObject,
	request: IncomingMessage,
) => void | Promise<void>;

/** A gateway that answers exactly what a test states, for responses that the sandbox does not send. */
export interface StubGateway {
	url: string;
	answer: Answer;
	/** Bodies of all requests, oldest first. */
	bodies: IDataObject[];
	/** The package with the credential of this gateway. */
	options: () => EngineOptions;
	run: (menu: Menu, parameters: IDataObject, options?: RunOptions) => Promise<EngineRun>;
}

export const json = (response: ServerResponse, value: unknown, status = 200): void =>
	void response
		.writeHead(status, { 'content-type': 'application/json' })
		.end(JSON.stringify(value));

/** A stub of the gateway for one test file; its answers are reset after each test. */
export function useStubGateway(): StubGateway {
	const stub = { bodies: [] as IDataObject[] } as StubGateway;
	const nothing: Answer = (response) => json(response, {});
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = parseJson(Buffer.concat(chunks).toString() || '{}') as IDataObject;
		stub.bodies.push(body);
		await stub.answer(response, body, request);
	});
	stub.options = () => packageWith(stub.url, 'stub-key');
	stub.run = async (menu, parameters, { items = [{}], node, engine } = {}) =>
		await runNode(gatewayNode(menu, parameters, node), items, {
			...stub.options(),
			...engine,
		});
	beforeAll(async () => {
		stub.answer = nothing;
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	afterEach(() => {
		stub.answer = nothing;
		stub.bodies.length = 0;
		forgetAccounts();
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((done) => server.close(done));
	});
	return stub;
}
