import type { IDataObject } from 'n8n-workflow';
import { itemsNode, linear, runWorkflow } from '../../scripts/engine';
import { typeOf } from '../../scripts/package';
import { gatewayNode, modelId, NODE, useGateway, type Menu } from '../support/gateway';

const gateway = useGateway();

const CLIP = { model: modelId('clipk-v3'), prompt: 'a kite' };
const CHAT = { model: modelId('gp-5-mini'), messages: { entry: [{ role: 'user', text: 'Hi' }] } };
/** What takes the value of an expression that a request may lack. */
const PLACES: [label: string, Menu, (value: string) => IDataObject][] = [
	['Duration', 'video:generate', (duration) => ({ ...CLIP, duration })],
	['Resolution', 'video:generate', (resolution) => ({ ...CLIP, resolution })],
	['Watermark', 'video:generate', (watermark) => ({ ...CLIP, additionalFields: { watermark } })],
	['Maximum Tokens', 'text:chat', (max_tokens) => ({ ...CHAT, options: { max_tokens } })],
	['Temperature', 'text:chat', (temperature) => ({ ...CHAT, options: { temperature } })],
	[
		'JSON Schema',
		'text:chat',
		(jsonSchema) => ({ ...CHAT, outputFormat: 'json', options: { jsonSchema } }),
	],
	['Extra Body', 'text:chat', (extraBody) => ({ ...CHAT, options: { extra_body: extraBody } })],
	[
		'Fallback Models',
		'video:generate',
		(fallbackModels) => ({ ...CLIP, options: { fallbackModels } }),
	],
	['System Instructions', 'text:chat', (system) => ({ ...CHAT, system })],
];

describe.each(PLACES)('%s', (label, menu, withValue) => {
	it('that no field of the item gives is left out, and the output says so', async () => {
		const run = await gateway.run(menu, withValue('={{ $json.misspelled }}'), {
			items: [{ json: { row: 1 } }, { json: { row: 2 } }],
		});

		expect(run.status).toBe('success');
		expect(run.hints(NODE).map(({ message }) => message)).toContainEqual(
			expect.stringContaining(`${label} is left out, because its expression finds nothing.`),
		);
	});

	it.each(['null', "''"])('may be %s where a row does without', async (value) => {
		const run = await gateway.run(menu, withValue(`={{ ${value} }}`));

		const sent = gateway.sandbox.requests.filter(({ method }) => method === 'POST');
		expect(run.hints(NODE).filter(({ message }) => message.includes('left out'))).toEqual([]);
		expect([run.error?.message, sent.length > 0]).toEqual([undefined, true]);
	});
});

it('is in the advice of Check Price Only', async () => {
	const run = await gateway.run('video:generate', {
		...CLIP,
		duration: '={{ $json.second }}',
		options: { dryRun: true },
	});

	expect(run.json(NODE)).toMatchObject([
		{
			advice: [
				expect.stringMatching(/^Duration is left out, because its expression finds nothing/),
			],
		},
	]);
});

it('says nothing to an agent, which may leave out what it likes', async () => {
	const run = await gateway.run(
		'video:generate',
		{ ...CLIP, duration: '={{ undefined }}' },
		{ node: { type: `${typeOf('generationGateway')}Tool` } },
	);

	expect(run.hints(NODE).filter(({ message }) => message.includes('left out'))).toEqual([]);
});

it.each([
	['leads nowhere near', 'Later', 'Invalid expression (node "Later")'],
	['has several matching items', 'Items', 'Multiple matches found (node "Items")'],
])('names the node of an expression that %s', async (_, name, reason) => {
	const prompt = `={{ $('${name}').item.json.n }}`;
	const node = gatewayNode('image:generate', { model: modelId('imgn-4.0'), prompt });
	const many = itemsNode([{ n: 1 }, { n: 2 }]);
	const aggregate = {
		type: 'n8n-nodes-base.aggregate',
		typeVersion: 1,
		parameters: { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'n' }] } },
	};
	const workflow = linear(many, aggregate, node, {
		type: 'n8n-nodes-base.limit',
		typeVersion: 1,
		name: 'Later',
	});
	const run = await runWorkflow(workflow, gateway.options());

	expect(run.nodeError(NODE)).toMatchObject({
		message: `Prompt: ${reason}`,
		description: expect.stringContaining('Write .first() in place of .item'),
	});
	expect(gateway.sandbox.requests).toEqual([]);
});
