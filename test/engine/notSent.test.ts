import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { file, itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { packageWith } from '../../scripts/package';
import { onFastClock } from '../support/fastClock';
import { gatewayNode, modelId, NODE, PHOTO, type Menu } from '../support/gateway';
import { json } from '../support/stubGateway';

const messages = { entry: [{ role: 'user', text: 'Hi' }] };
const WRITES: [Menu, IDataObject][] = [
	['text:chat', { messages }],
	['text:chat', { messages, options: { stream: true } }],
	['audio:transcribe', { model: modelId('asr-1') }],
	['embedding:create', { input: 'a kite' }],
	['asset:create', { assetModel: 'sdn-2.0', assetType: 'image', url: PHOTO, name: 'Face' }],
];
const SUBMISSION: [Menu, IDataObject] = ['image:generate', { prompt: 'a kite' }];
const audio = [{ json: {}, binary: { data: file('speech', 'talk.mp3', 'audio/mpeg') } }];

async function run(url: string, [menu, parameters]: [Menu, IDataObject]): Promise<IDataObject> {
	const node = gatewayNode(menu, parameters, { onError: 'continueRegularOutput' });
	const ended = await runWorkflow(linear(itemsNode(audio), node), packageWith(url, 'stub-key'));
	return ended.json(NODE)[0] as IDataObject;
}

const listen = async (server: Server, port = 0): Promise<number> => {
	await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
	return (server.address() as AddressInfo).port;
};
const close = async (server: Server) => await new Promise((done) => server.close(done));

/** A port at which nobody listens. */
async function freePort(): Promise<number> {
	const server = createServer();
	const port = await listen(server);
	await close(server);
	return port;
}

const NOT_SENT = { code: 'connection_failed', billed: 0, retry: true };

describe('a request that was never sent is told as unbilled and not carried out', () => {
	it.each([...WRITES, SUBMISSION])(
		'where nobody listens: %s',
		onFastClock(async (menu: Menu, parameters: IDataObject) => {
			const { error, details } = await run(`http://127.0.0.1:${await freePort()}`, [
				menu,
				parameters,
			]);

			expect(error).toContain('ECONNREFUSED');
			expect(details).toEqual(NOT_SENT);
		}),
	);

	it(
		'where no host has the name',
		onFastClock(async () => {
			const { error, details } = await run('http://gateway.invalid', WRITES[0]!);

			expect(error).toMatch(/ENOTFOUND|EAI_AGAIN/);
			expect(details).toEqual(NOT_SENT);
		}),
	);

	it(
		'where the proxy of n8n refuses the connection',
		onFastClock(async () => {
			const proxy = `127.0.0.1:${await freePort()}`;
			process.env.HTTP_PROXY = `http://${proxy}`;
			try {
				const { error, details } = await run('http://gateway.invalid', WRITES[0]!);

				expect(error).toContain(`ECONNREFUSED ${proxy}`);
				expect(details).toEqual(NOT_SENT);
			} finally {
				delete process.env.HTTP_PROXY;
			}
		}),
	);
});

it.each(WRITES)('is sent once the gateway listens, and once only: %s', async (menu, parameters) => {
	const port = await freePort();
	const paths: (string | undefined)[] = [];
	const refuse: RequestListener = ({ url }, response) => {
		paths.push(url);
		json(response, { error: { message: 'Enough' } }, 400);
	};
	const server = createServer(refuse);
	const running = run(`http://127.0.0.1:${port}`, [menu, parameters]);
	await new Promise((done) => void setTimeout(done, 100));
	await listen(server, port);
	const { error } = await running;
	server.closeAllConnections();
	await close(server);

	expect(error).toContain('Enough');
	expect(paths).toHaveLength(1);
});

it('may have been carried out where the connection breaks behind it', async () => {
	const server = createServer((request) => void request.socket.destroy());
	const url = `http://127.0.0.1:${await listen(server)}`;
	const { details, message } = await run(url, WRITES[0]!);
	await close(server);

	expect(details).toEqual({ code: 'connection_failed', retry: true, may_have_executed: true });
	expect(message).toMatch(/ Not known whether it was carried out and billed\.$/);
});
