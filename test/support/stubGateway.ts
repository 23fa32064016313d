import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow, type EngineRun } from '../../scripts/engine';
import { packageWith } from '../../scripts/package';
import { gatewayNode, type Asked, type Menu } from './gateway';

type Answering = (
	response: ServerResponse,
	body: IDataObject,
	request: IncomingMessage,
) => void | Promise<void>;

/** A gateway that answers byte by byte what a test says: for shapes that the sandbox does not have. */
export interface Tiny {
	url: string;
	answer: Answering;
	/** Bodies of all requests, oldest first. */
	bodies: IDataObject[];
	run: (menu: Menu, parameters: IDataObject, asked?: Asked) => Promise<EngineRun>;
}

export const json = (response: ServerResponse, value: unknown, status = 200): void =>
	void response
		.writeHead(status, { 'content-type': 'application/json' })
		.end(JSON.stringify(value));

/** A tiny gateway for one test file; its answers are forgotten after each test. */
export function useTinyGateway(): Tiny {
	const tiny = { bodies: [] as IDataObject[] } as Tiny;
	const nothing: Answering = (response) => json(response, {});
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as IDataObject;
		tiny.bodies.push(body);
		await tiny.answer(response, body, request);
	});
	tiny.run = async (menu, parameters, { items = [{}], node, engine } = {}) =>
		await runWorkflow(linear(itemsNode(items), gatewayNode(menu, parameters, node)), {
			...packageWith(tiny.url, 'tiny-key'),
			...engine,
		});
	beforeAll(async () => {
		tiny.answer = nothing;
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		tiny.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	afterEach(() => {
		tiny.answer = nothing;
		tiny.bodies.length = 0;
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((done) => server.close(done));
	});
	return tiny;
}
