import type { IDataObject } from 'n8n-workflow';
import { resources } from '../../nodes/GenerationGateway/actions';
import { modelId, NODE, PHOTO, useGateway, type Menu } from '../support/gateway';

const gateway = useGateway();
const kite = { model: modelId('imgn-4.0'), prompt: 'a kite' };

/** What is asked, and the sentence that says why nothing was sent. */
type Refused = [what: string, menu: Menu, parameters: IDataObject, message: string];

/** By resource: a model that it does not take, why, and where the model belongs. */
const OTHER_KIND: Record<string, [id: string, problem: string, resource: string]> = {
	image: ['clipk-v3', 'is for videos, not images', 'Video'],
	video: ['gp-5-mini', 'is for text, not videos', 'Text'],
	task: ['text-embedding-3-small', 'is for embeddings, not images or videos', 'Embedding'],
	text: ['imgn-4.0', 'is for images, not text', 'Image'],
	audio: ['clipk-v3', 'is for videos, not speech', 'Video'],
	embedding: ['asr-1', 'is for speech, not embeddings', 'Audio'],
};

/** Every operation that has a model. */
const withModel = Object.entries(resources).flatMap(([resource, operations]) =>
	Object.keys(operations)
		.filter((name) => operations[name]!.operation.properties.some((one) => one.name === 'model'))
		.map((name): [Menu, string] => [`${resource}:${name}` as Menu, resource]),
);

const refused: Refused[] = [
	[
		'a model written in another way',
		'image:generate',
		{ model: modelId('Flx-2 pro'), prompt: 'a kite' },
		'Model Flx-2 pro is unknown. Did you mean flx-2-pro?',
	],
	...withModel.map(([menu, resource]): Refused => {
		const [id, problem, other] = OTHER_KIND[resource]!;
		return [
			`the model ${id} of another kind in ${menu}`,
			menu,
			{
				model: modelId(id),
				prompt: 'a kite',
				input: 'a kite',
				messages: { entry: [{ role: 'user', text: 'a kite' }] },
				max_tokens: 9,
				parameters: '{ "prompt": "a kite" }',
			},
			`Model ${id} ${problem}. Choose another one, or set Resource to ${other}`,
		];
	}),
	...['gp-5-mini', 'asr-1'].map((id): Refused => [
		`the fallback model ${id} of another kind`,
		'image:generate',
		{ ...kite, options: { fallbackModels: id } },
		`Fallback model ${id} is for ${id === 'asr-1' ? 'speech' : 'text'}, not images`,
	]),
	...[
		['"many"', 'must be a whole number, but is the text "many"'],
		['0', 'must be at least 1, but is 0'],
		['null', 'must be a whole number, but is null'],
	].map(([value, problem]): Refused => [
		`a Concurrency of ${value}`,
		'image:generate',
		{ ...kite, options: { concurrency: `={{ ${value} }}` } },
		`Concurrency ${problem}`,
	]),
	[
		'an Include Input Fields that is no switch',
		'task:get',
		{ taskId: 'task_1', options: { includeInput: '={{ "maybe" }}' } },
		'Include Input Fields must be true or false, but is the text "maybe"',
	],
	[
		'a Callback URL whose expression has no result',
		'image:generate',
		{ ...kite, options: { callback_url: '={{ $json.nope }}' } },
		'Callback URL is added, but has no value here. Correct its expression, or remove it',
	],
	...['{{ $json.nope }}', '{{ "" }}', '{{ null }}'].map((expression): Refused => [
		`an Idempotency Key without a value: ${expression}`,
		'image:generate',
		{ ...kite, options: { idempotencyKey: `=${expression}` } },
		'Idempotency Key is empty. Give it a value under Options, or remove it',
	]),
	[
		'an Idempotency Key that is no number',
		'image:generate',
		{ ...kite, options: { idempotencyKey: '={{ $json.nope * 1 }}' } },
		'Idempotency Key must be a text, but is NaN',
	],
	[
		'a prompt that is no number',
		'image:generate',
		{ ...kite, prompt: '={{ $json.nope * 1 }}' },
		'Prompt must be text, but is NaN',
	],
	[
		'JSON with a mistake in several lines',
		'text:chat',
		{
			model: modelId('gp-5'),
			messages: { entry: [{ role: 'user', text: 'a kite' }] },
			options: { extra_body: '{\n  "user": "x",\n}' },
		},
		'Extra Body must be a JSON object, but is "{ "user": "x", }"',
	],
	[
		'two links with a comma',
		'image:generate',
		{ ...kite, model: modelId('gp-4o-image'), image_urls: [`${PHOTO},${PHOTO}`] },
		`Image URLs has several links in one text, "${PHOTO},${PHOTO}". Give a list of them`,
	],
	[
		'several models',
		'text:chat',
		{ model: modelId('={{ ["gp-5", "gp-4.1"] }}') },
		'Model must be one ID, but is ["gp-5","gp-4.1"]',
	],
	...['image:generate', 'text:chat'].map((menu): Refused => [
		`an expression that n8n cannot evaluate, in ${menu}`,
		menu as Menu,
		{
			...kite,
			...(menu === 'text:chat' && { model: modelId('gp-5') }),
			system: "={{ $('Nope').item.json.x }}",
			prompt: "={{ $('Nope').item.json.x }}",
		},
		`${menu === 'text:chat' ? 'System Instructions' : 'Prompt'}: Referenced node doesn't exist (node "Nope")`,
	]),
	[
		'an expression with a mistake',
		'image:generate',
		{ ...kite, prompt: '={{ $json.a b }}' },
		'Prompt: invalid syntax',
	],
	[
		'one with a mistake among several options',
		'image:generate',
		{ ...kite, options: { timeout: '={{ $json.a b }}', maximumCost: '={{ 60 }}' } },
		'Options: the expression "{{ $json.a b }}" fails: invalid syntax',
	],
	[
		'one without its node among Additional Fields',
		'image:generate',
		{ ...kite, additionalFields: { n: "={{ $('Nope').item.json.n }}" } },
		`Additional Fields: the expression "{{ $('Nope').item.json.n }}" fails: Referenced node doesn't exist (node "Nope")`,
	],
	[
		'one with a mistake in Task ID',
		'task:get',
		{ taskId: '={{ $json.a b }}' },
		'Task ID: invalid syntax',
	],
	[
		'a task ID with half a character',
		'task:get',
		{ taskId: '={{ "task_\\ud83d" }}' },
		'Task ID must look like task_01h8, but is "task_\\ud83d"',
	],
	[
		'a model with half a character',
		'text:generateContent',
		{ model: modelId('={{ "gmn-\\ud83d" }}') },
		'Model must be one ID, but is "gmn-\ud83d"',
	],
	[
		'a model as an expression that n8n does not evaluate',
		'text:chat',
		{ model: modelId('{{ $json.model }}') },
		'Model must be one ID, but is "{{ $json.model }}"',
	],
	[
		'a date that is none',
		'image:generate',
		{ ...kite, prompt: '={{ "abc".toDateTime() }}' },
		'Prompt: cannot convert to Luxon DateTime',
	],
	[
		'a binary field that is an object',
		'audio:transcribe',
		{ model: modelId('asr-1'), binaryPropertyName: '={{ { a: 1 } }}' },
		'Input Data Field Name must be a text, but is {"a":1}',
	],
	[
		'two links in one text',
		'text:chat',
		{
			model: modelId('gp-5'),
			messages: { entry: [{ role: 'user', image_url: `${PHOTO}, ${PHOTO}` }] },
		},
		`Message 1 has several links in one text, "${PHOTO}, ${PHOTO}". Give a list of them`,
	],
	[
		'an asset with a list of links',
		'asset:create',
		{ assetModel: 'sdn-2.5', url: '={{ ["a", "b"] }}' },
		'Link must be a text, but is ["a","b"]',
	],
	[
		'a delisted model',
		'video:generate',
		{ model: modelId('srx-2-pro'), prompt: 'waves' },
		'Model srx-2-pro is delisted. Use another model',
	],
	[
		'a retired model',
		'task:submit',
		{ model: modelId('gx-imagine-1.0-video-rev'), parameters: '{"prompt":"waves"}' },
		'Model gx-imagine-1.0-video-rev is retired. Use gx-imagine-video-1.5-rev',
	],
	[
		'a model that an expression left empty',
		'task:submit',
		{ model: modelId('={{ $json.nope }}'), parameters: '{"prompt":"a kite"}' },
		'Model is empty. Choose one from the list or enter its ID',
	],
	[
		'a prompt that an expression left empty',
		'image:generate',
		{ ...kite, prompt: '={{ $json.nope }}' },
		'Prompt is empty',
	],
	[
		'a prompt of spaces',
		'task:submit',
		{ model: modelId('imgn-4.0'), parameters: { prompt: '  ' } },
		'Prompt is empty',
	],
	[
		'an object for a prompt',
		'image:generate',
		{ ...kite, prompt: '={{ { a: 1 } }}' },
		'Prompt must be text, but is {"a":1}',
	],
	[
		'a word for a number',
		'image:generate',
		{ ...kite, additionalFields: { n: 'five' } },
		'Number of Images must be a whole number, but is the text "five"',
	],
	[
		'half an image',
		'image:generate',
		{ ...kite, additionalFields: { n: '={{ 1.5 }}' } },
		'Number of Images must be a whole number, but is 1.5',
	],
	[
		'a word for a switch',
		'video:generate',
		{ model: modelId('clipk-v3'), prompt: 'waves', additionalFields: { audio: '={{ "yes" }}' } },
		'Audio must be true or false, but is the text "yes"',
	],
	[
		'an object among links',
		'image:generate',
		{ model: modelId('gp-4o-image'), prompt: 'a kite', image_urls: [PHOTO, '={{ { url: "x" } }}'] },
		`Image URLs must be a list of links, but is ["${PHOTO}",{"url":"x"}]`,
	],
	[
		'a file name for a link',
		'image:generate',
		{ model: modelId('gp-4o-image'), prompt: 'a kite', image_urls: ['photo.png'] },
		'Image URLs must be public links (http:// or https://) or names of binary fields, but one is "photo.png"',
	],
	[
		'a data URI',
		'image:generate',
		{ model: modelId('gp-4o-image'), prompt: 'a kite', image_urls: ['data:image/png;base64,AAAA'] },
		'Image URLs must be public links, but one is a data URI. Put the file into a binary field of the item and give the name of that field',
	],
	[
		'an asset where the model takes none',
		'video:generate',
		{
			model: modelId('clipk-v3'),
			prompt: 'waves',
			action: 'image2video',
			first_frame_image: 'asset://ast_1',
		},
		'First Frame Image does not take assets, but has "asset://ast_1". Give a public link',
	],
	[
		'"5" in a JSON body',
		'task:submit',
		{ model: modelId('clipk-v3'), parameters: '{"prompt":"waves","duration":"5"}' },
		'Duration must be a JSON number, but is the text "5"',
	],
	[
		'a number with a comma',
		'image:generate',
		{ ...kite, options: { maximumCost: '={{ "0,05" }}' } },
		'Cost Limit per Item ($) must be a number without a comma, but is the text "0,05"',
	],
	[
		'parameters that are not JSON',
		'task:submit',
		{ model: modelId('clipk-v3'), parameters: '={{ "prompt: waves" }}' },
		'Parameters must be a JSON object, e.g. { "prompt": "a red kite" }, but this is not JSON: Unexpected token \'p\', "prompt: waves" is not valid JSON',
	],
	[
		'a text of the item among the parameters',
		'task:submit',
		{ model: modelId('clipk-v3'), parameters: '={"prompt":\n{{ "a kite" }}}' },
		'Parameters must be a JSON object, e.g. { "prompt": "a red kite" }, but this is not JSON: Unexpected token \'a\', "{"prompt": a kite}" is not valid JSON. For a text of the item write {{ JSON.stringify($json.text) }}, without quotes around it',
	],
	[
		'a list of parameters',
		'task:submit',
		{ model: modelId('clipk-v3'), parameters: '[1]' },
		'Parameters must be a JSON object, e.g. { "prompt": "a red kite" }',
	],
	[
		'another model among the parameters',
		'task:submit',
		{ model: modelId('clipk-v3'), parameters: '{"model":"imgn-4.0","prompt":"waves"}' },
		'Parameters names the model "imgn-4.0", but Model is clipk-v3. Name it in Model only',
	],
	[
		'a field that the model does not take',
		'task:submit',
		{ model: modelId('flx-ctx-pro'), parameters: '{"prompt":"a kite","negative_prompt":"rain"}' },
		'flx-ctx-pro does not take Negative Prompt. Describe in Prompt what the image should show',
	],
	[
		'a task ID that an expression left empty',
		'task:get',
		{ taskId: '={{ $json.nope }}' },
		'Task ID is empty. Give the task_id that a submission returned',
	],
	[
		'an empty list of task IDs',
		'task:await',
		{ taskId: '={{ [] }}' },
		'Task ID is empty. Give the task_id that a submission returned',
	],
	[
		'a number for a task ID',
		'task:cancel',
		{ taskId: '={{ [7] }}' },
		'Task ID must look like task_01h8, but is 7',
	],
	[
		'a path for a task ID',
		'task:get',
		{ taskId: '../models' },
		'Task ID must look like task_01h8, but is "../models"',
	],
	[
		'a way up for a task ID',
		'task:get',
		{ taskId: '..' },
		'Task ID must look like task_01h8, but is ".."',
	],
	[
		'a callback that is no link',
		'image:generate',
		{ ...kite, options: { callback_url: 'hook' } },
		'Callback URL must be a public link (http:// or https://), but is "hook"',
	],
];

describe('invalid input', () => {
	it.each(refused)('sends nothing for %s', async (_what, menu, parameters, message) => {
		const run = await gateway.run(menu, parameters);

		expect(run.error?.message).toBe(message);
		expect(run.nodeError(NODE)).toMatchObject({
			description: expect.stringMatching(/(^| )Nothing was sent and nothing was billed\.$/),
			context: { itemIndex: 0 },
		});
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it.each<[string, Menu, IDataObject, string]>([
		['a prompt', 'image:generate', { ...kite, prompt: '={{ $json.promt }}' }, '{{ $json.promt }}'],
		[
			'a model',
			'task:submit',
			{ model: modelId('={{ $json.modle }}'), parameters: '{ "prompt": "a kite" }' },
			'{{ $json.modle }}',
		],
		[
			'a message',
			'text:chat',
			{ messages: { entry: [{ role: 'user', text: '={{ $json.qestion }}' }] } },
			'{{ $json.qestion }}',
		],
		...Object.entries({
			maximumCost: '{{ $json.limt }}',
			dryRun: '{{ $json.chek }}',
			idempotencyKey: '{{ $json.kye }}',
		}).map(([option, expression]): [string, Menu, IDataObject, string] => [
			`the option ${option}`,
			'image:generate',
			{ ...kite, options: { [option]: `=${expression}` } },
			expression,
		]),
	])('quotes the expression that leaves %s empty', async (_what, menu, parameters, expression) => {
		const run = await gateway.run(menu, parameters);

		expect(run.nodeError(NODE)?.description).toBe(
			`The expression "${expression}" gives no value for this item. Nothing was sent and nothing was billed.`,
		);
	});

	it('quotes no expression that gives a value', async () => {
		const run = await gateway.run('image:generate', { ...kite, prompt: '={{ { a: 1 } }}' });

		expect(run.nodeError(NODE)?.description).toBe('Nothing was sent and nothing was billed.');
	});

	it.each<[string, IDataObject, string]>([
		['model', { model: modelId(''), prompt: 'a kite' }, 'Model'],
		['prompt', { ...kite, prompt: '' }, 'Prompt'],
	])('lets n8n itself refuse an empty %s', async (_name, parameters, label) => {
		const run = await gateway.run('image:generate', parameters);

		expect(run.error?.message).toContain(`Parameter "${label}" is required`);
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it('takes the same model twice', async () => {
		await gateway.run('task:submit', {
			model: modelId('clipk-v3'),
			parameters: { model: 'clipk-v3', prompt: 'waves' },
		});

		expect(gateway.bodies()).toEqual([{ model: 'clipk-v3', prompt: 'waves' }]);
	});

	it('converts text of a panel to the type of the field', async () => {
		await gateway.run('video:generate', {
			model: modelId('clipk-v3'),
			prompt: '={{ 5 }}',
			duration: ' 5 ',
			resolution: '4K',
			additionalFields: { audio: ' true ', watermark: 'false' },
		});

		expect(gateway.bodies()).toEqual([
			{
				model: 'clipk-v3',
				prompt: '5',
				duration: 5,
				resolution: '4K',
				audio: true,
				watermark: false,
			},
		]);
	});
});

it('names an operation that the menu does not have, e.g. of an imported workflow', async () => {
	const run = await gateway.run('image:paint' as 'image:generate', {});

	expect(run.nodeError(NODE)).toMatchObject({
		message: 'The menu has no operation "paint" for "image"',
		description: 'Choose Resource and Operation again.',
	});
	expect(gateway.sandbox.requests).toEqual([]);
});
