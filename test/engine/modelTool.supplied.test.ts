import type { INodeProperties, INodePropertyOptions, ISupplyDataFunctions } from 'n8n-workflow';
import { GenerationGatewayModelTool } from '../../nodes/GenerationGatewayModelTool/GenerationGatewayModelTool.node';
import { properties } from '../../nodes/GenerationGatewayModelTool/properties';
import { modelId } from '../support/gateway';
import { TOOL, useModelTool, type SuppliedTool } from '../support/useModelTool';

const { gateway, withTool } = useModelTool();

describe('the parameters of the tool', () => {
	it.each([
		['model', modelId("={{ $fromAI('Model') }}")],
		['options', { maximumRunCost: "={{ $fromAI('Limit', '', 'number') }}" }],
		['options', { maximumRunCost: "={{ $fromAi('Limit', '', 'number') }}" }],
		['options', { maximumCost: '={{ $json.budget }}' }],
		['model', modelId('={{ $json.model }}')],
		['fixedFields', '={{ { n: $input.item.json.n } }}'],
	])('are not left to the agent: %s', async (name, value) => {
		const run = await withTool({ [name]: value }, async () => ({}));

		const { cause } = run.error as unknown as { cause?: { message?: string } };
		const texts = [run.error?.message, run.error?.description, cause?.message];
		expect(texts.join('\n')).toMatch(
			/The agent must not fill (Model|Options|Fixed Fields) of this tool/,
		);
	});

	it('may name fields in plain words', async () => {
		const run = await withTool({ toolDescription: 'Needs $json, says the user' }, async () => ({
			isSupplied: true,
		}));

		expect(run.status).toBe('success');
	});
});

it('keeps the editor from saying that an agent fills none of the fields', () => {
	const defaults = properties.map(({ default: value }) => value);

	expect(JSON.stringify(defaults)).toContain('$fromAI');
});

describe('an option that cannot be read', () => {
	it('is named, and nothing is sent', async () => {
		const run = await withTool({ options: { ifAlreadyMade: 'maybe' } }, async (tool) => ({
			answer: await tool.invoke({ prompt: 'a kite' }),
		}));

		const { cause } = run.error as unknown as { cause?: { message?: string } };
		const texts = [run.error?.message, run.error?.description, cause?.message];
		expect(texts.join('\n')).toContain(
			'If Already Made must be make (Make Again), key (Match by Key) or reuse (Use It), but is "maybe"',
		);
		expect(gateway.posts()).toEqual([]);
	});
});

it('offers no choice that needs an option which the tool lacks', () => {
	const options = properties.find(({ name }) => name === 'options')!.options as INodeProperties[];
	const choices = options.flatMap((option) => option.options ?? []) as INodePropertyOptions[];

	expect(choices.map(({ name }) => name)).toEqual(expect.arrayContaining(['Make Again', 'Use It']));
	expect(JSON.stringify(options)).not.toContain('Idempotency Key');
});

describe('what an agent sees of the model tool', () => {
	it('is its name, its price and its rules, and the fields of the model', async () => {
		let seen: SuppliedTool | undefined;
		await withTool({ model: modelId('clipk-v2.6') }, async (tool) => {
			seen = tool;
			return {};
		});

		expect(seen).toMatchObject({
			name: 'Draw_Cover',
			description: expect.stringMatching(
				/^Makes a video with the model clipk-v2\.6\. From [\d.]+ USD per second\..*Rules: /s,
			),
			metadata: { sourceNodeName: TOOL },
		});
		expect(Object.keys(seen!.schema.shape)).toEqual(
			expect.arrayContaining(['action', 'prompt', 'duration', 'resolution']),
		);
		expect(Object.keys(seen!.schema.shape)).not.toContain('maximumCost');
	});

	it('names its node, though n8n does not: 2.20 finds the tool behind a review by it', async () => {
		const { supplyData } = GenerationGatewayModelTool.prototype;
		let seen: object | undefined;
		const supplying = jest.spyOn(GenerationGatewayModelTool.prototype, 'supplyData');
		supplying.mockImplementation(async function (this: ISupplyDataFunctions, index) {
			const supplied = await supplyData.call(this, index);
			seen = { ...(supplied.response as SuppliedTool).metadata };
			return supplied;
		});
		await withTool({}, async () => ({}));
		supplying.mockRestore();

		expect(seen).toEqual({ sourceNodeName: TOOL });
	});

	it.each([
		['poll', 'Gives links to the results, the task ID and the cost.'],
		['none', 'Gives the task ID at once, before there are links and a cost.'],
	])('says what it gives with Wait %s', async (wait, gives) => {
		let seen: SuppliedTool | undefined;
		await withTool({ wait }, async (tool) => {
			seen = tool;
			return {};
		});

		expect(seen!.description).toContain(gives);
	});

	it.each([
		['{ "aspect_ratio": "wide" }', /Fixed Fields: Aspect Ratio must be/],
		['{ "audio": true }', /Fixed Fields: imgn-4\.0 does not take Audio/],
		['not JSON', /Fixed Fields must be a JSON object/],
	])('is nothing while the fixed fields are wrong: %s', async (fixedFields, message) => {
		const run = await withTool({ fixedFields }, async () => ({}));

		const { cause } = run.error as unknown as { cause?: { message?: string } };
		const texts = [run.error?.message, run.error?.description, cause?.message];
		expect(texts.join('\n')).toMatch(message);
	});
});
