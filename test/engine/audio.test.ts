import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { file, itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { binaryDataService } from '../../scripts/engine/container';
import { gatewayNode, modelId, NODE, useGateway } from '../support/gateway';
import { until } from '../support/useSandbox';

const gateway = useGateway();
const asr = { model: modelId('asr-1') };
const TRANSCRIBE = '/v1/audio/transcriptions';
const sound = (content: Buffer | string, name: string, type: string, field = 'data') => ({
	json: {},
	binary: { [field]: file(content, name, type) },
});
const calls = () => gateway.sandbox.requests.filter(({ path }) => path.startsWith('/v1/audio/'));
const recording = [sound('speech', 'talk.mp3', 'audio/mpeg')];

describe('speech', () => {
	it('is transcribed, paired with its item', async () => {
		const run = await gateway.run('audio:transcribe', asr, { items: recording });

		expect(run.items(NODE)).toEqual([
			{ json: { text: 'Transcript of talk.mp3 (6 bytes).' }, pairedItem: { item: 0 } },
		]);
		const { headers, path } = calls()[0]!;
		expect([path, headers.authorization]).toEqual([TRANSCRIBE, 'Bearer sandbox-key']);
		expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
		expect(Number(headers['content-length'])).toBeGreaterThan(6);
	});

	it('is translated into English', async () => {
		const run = await gateway.run('audio:translate', asr, { items: recording });

		expect(run.json(NODE)).toEqual([{ text: 'English translation of talk.mp3 (6 bytes).' }]);
		expect(calls().map(({ path }) => path)).toEqual(['/v1/audio/translations']);
	});

	it.each(['mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'wav', 'webm', 'MP3'])(
		'is accepted by its extension: .%s',
		async (ending) => {
			const run = await gateway.run('audio:transcribe', asr, {
				items: [sound('speech', `a talk.${ending}`, 'application/octet-stream')],
			});

			expect(run.json(NODE)).toEqual([{ text: `Transcript of a talk.${ending} (6 bytes).` }]);
		},
	);

	it.each([
		['audio/mpeg', '', 'speech.mp3'],
		['audio/x-mp3', '', 'speech.mp3'],
		['audio/mpeg3', '', 'speech.mp3'],
		['audio/mpga', '', 'speech.mp3'],
		['audio/mp4', 'memo', 'memo.m4a'],
		['audio/x-m4a', 'memo.bin', 'memo.m4a'],
		['audio/wav', 'file.tmp', 'file.wav'],
		['audio/x-wav', '', 'speech.wav'],
		['audio/webm;codecs=opus', 'blob', 'blob.webm'],
		['video/mp4', 'clip', 'clip.mp4'],
		['Audio/MPEG', 'talk', 'talk.mp3'],
	])('gets a file name with the extension of its type: %s, %j', async (type, name, sent) => {
		const run = await gateway.run('audio:transcribe', asr, {
			items: [sound('speech', name, type)],
		});

		expect(run.json(NODE)).toEqual([{ text: `Transcript of ${sent} (6 bytes).` }]);
	});

	it('arrives whole, also when it is large', async () => {
		const bytes = 3 * 1024 * 1024 + 17;
		const run = await gateway.run('audio:transcribe', asr, {
			items: [sound(randomBytes(bytes), 'talk.wav', 'audio/wav')],
		});

		expect(run.json(NODE)).toEqual([{ text: `Transcript of talk.wav (${bytes} bytes).` }]);
	});

	it('arrives byte for byte, beside the fields of the form', async () => {
		const content = randomBytes(1_200_000);
		let form = Buffer.alloc(0);
		const server = createServer(async (request, response) => {
			const chunks: Buffer[] = [];
			for await (const chunk of request) chunks.push(chunk as Buffer);
			form = Buffer.concat(chunks);
			response
				.writeHead(200, { 'content-type': 'application/json' })
				.end('{"text":"Hello","language":"en"}');
		});
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const run = await gateway.run(
			'audio:transcribe',
			{
				...asr,
				options: {
					extra_body:
						'={{ { language: "en", temperature: 0, prompt: null, user: $json.nobody, "granularities[]": ["word", "segment"], stream: true, file: "x" } }}',
				},
			},
			{
				items: [sound(content, 'talk.wav', 'audio/wav')],
				engine: { credentials: { generationGatewayApi: { baseUrl, apiKey: 'k' } } },
			},
		);
		await new Promise((done) => server.close(done));

		expect(run.json(NODE)).toEqual([{ text: 'Hello', language: 'en' }]);
		expect(form.includes(content)).toBe(true);
		const text = form.toString('latin1');
		for (const [name, value] of [
			['model', 'asr-1'],
			['language', 'en'],
			['temperature', '0'],
		])
			expect(text).toMatch(new RegExp(`name="${name}"\r\n(.+\r\n)*\r\n${value}\r\n`));
		expect(text).toContain('name="file"; filename="talk.wav"');
		expect(text.match(/ name="[^"]+"/g)).toEqual(
			['language', 'temperature', 'granularities[]', 'granularities[]', 'model', 'file'].map(
				(name) => ` name="${name}"`,
			),
		);
	});

	it('is read from the item itself where n8n keeps files in memory', async () => {
		const run = await gateway.run('audio:transcribe', asr, {
			items: recording,
			engine: { binaryMode: 'default' },
		});

		expect(run.json(NODE)).toEqual([{ text: 'Transcript of talk.mp3 (6 bytes).' }]);
	});

	it('is sent whole where its base64 has line breaks, as of a Code node', async () => {
		const base64 = `${Buffer.alloc(300, 'x').toString('base64').replace(/.{76}/g, '$&\\n')}\\n`;
		const binary = `{ data: "${base64}", mimeType: "audio/mpeg", fileName: "talk.mp3" }`;
		const jsCode = `return [{ json: {}, binary: { data: ${binary} } }]`;
		const run = await runWorkflow(
			linear(
				itemsNode([{}]),
				{ type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } },
				gatewayNode('audio:transcribe', asr),
			),
			gateway.options(),
		);

		expect(run.json(NODE)).toEqual([{ text: 'Transcript of talk.mp3 (300 bytes).' }]);
	});

	it.each([-3, 3])(
		'fails at once where its file is %i bytes larger than n8n has said',
		async (difference) => {
			const service = await binaryDataService();
			const read = service.getMetadata.bind(service);
			const metadata = jest.spyOn(service, 'getMetadata').mockImplementation(async (id) => {
				const known = await read(id);
				return { ...known, fileSize: known.fileSize - difference };
			});
			const run = await gateway.run('audio:transcribe', asr, {
				items: recording,
				node: { onError: 'continueRegularOutput' },
			});
			metadata.mockRestore();
			// The sandbox has heard of the request before this one, and ends it: no later test meets it.
			await fetch(`${gateway.sandbox.url}/v1/models`);
			await until(() => calls().every(({ status }) => status !== undefined));

			expect(run.json(NODE)).toMatchObject([
				{
					error: 'n8n could not read talk.mp3 (it has changed while it was sent)',
					details: { code: 'file_unavailable', billed: 0 },
				},
			]);
		},
	);

	it('is sent again, and whole, after a 429', async () => {
		gateway.sandbox.faults.add({
			match: { path: TRANSCRIBE },
			times: 2,
			kind: { status: 429, retryAfter: '0' },
		});
		const bytes = 1_500_000;
		const run = await gateway.run('audio:transcribe', asr, {
			items: [sound(randomBytes(bytes), 'talk.wav', 'audio/wav')],
		});

		expect([run.nodeError(NODE)?.message, calls().map(({ status }) => status)]).toEqual([
			undefined,
			[429, 429, 200],
		]);
		expect(run.json(NODE)).toEqual([{ text: `Transcript of talk.wav (${bytes} bytes).` }]);
	});

	it('is not sent again after a broken connection, since it may be billed', async () => {
		gateway.sandbox.faults.add({ match: { path: TRANSCRIBE }, kind: 'reset-after' });
		const run = await gateway.run('audio:transcribe', asr, { items: recording });

		expect(run.nodeError(NODE)?.message).toContain('The gateway could not be reached');
		expect(calls()).toHaveLength(1);
	});

	it('of many items comes out in order', async () => {
		const items = Array.from({ length: 15 }, (_, row) =>
			sound('x'.repeat(row + 1), `${row}.mp3`, 'audio/mpeg'),
		);
		const run = await gateway.run('audio:transcribe', asr, { items });

		expect(run.json(NODE)).toEqual(
			items.map((_, row) => ({ text: `Transcript of ${row}.mp3 (${row + 1} bytes).` })),
		);
	});
});

describe('a file that cannot be sent', () => {
	const field = 'Input Data Field Name: ';

	it.each([
		[
			'of another format',
			[sound('x', 'talk.flac', 'audio/flac')],
			`${field}the file in "data" must be mp3, mp4, mpeg, mpga, m4a, wav or webm, but is talk.flac, audio/flac`,
		],
		[
			'without a type',
			[{ json: {}, binary: { data: { data: 'YQ==' } } }],
			`${field}the file in "data" must be mp3, mp4, mpeg, mpga, m4a, wav or webm, but is of an unknown type`,
		],
		['that is empty', [sound('', 'talk.mp3', 'audio/mpeg')], `${field}the file in "data" is empty`],
		[
			'under another name',
			[
				{
					json: {},
					binary: {
						voice: file('x', 'a.mp3', 'audio/mpeg'),
						cover: file('x', 'a.png', 'image/png'),
					},
				},
			],
			`${field}the item has no file in "data"; it has voice, cover`,
		],
		[
			'that is none',
			[{ a: 1 }],
			`${field}the item has no file in "data"; it carries no files. Put the node that gives the file before this one`,
		],
	])('%s is refused before it is', async (_name, items, words) => {
		const run = await gateway.run('audio:transcribe', asr, { items: items as never[] });

		expect(run.nodeError(NODE)).toMatchObject({
			message: words,
			description: 'Nothing was sent and nothing was billed.',
		});
		expect(calls()).toEqual([]);
	});

	it('lets the others go on', async () => {
		const items = [...recording, sound('x', 'talk.flac', 'audio/flac'), ...recording];
		const run = await gateway.run('audio:transcribe', asr, {
			items,
			node: { onError: 'continueRegularOutput' },
		});

		expect(
			run.items(NODE).map(({ json, pairedItem }) => [json.text ?? 'refused', pairedItem]),
		).toEqual([
			['Transcript of talk.mp3 (6 bytes).', { item: 0 }],
			['refused', { item: 1 }],
			['Transcript of talk.mp3 (6 bytes).', { item: 2 }],
		]);
	});
});

describe('a model', () => {
	it("that does not transcribe is refused with the gateway's message", async () => {
		const run = await gateway.run(
			'audio:transcribe',
			{ model: modelId('asr-9') },
			{ items: recording },
		);

		expect(run.nodeError(NODE)?.message).toContain(
			'The gateway refused the request (model): model must be asr-1.',
		);
	});
});
