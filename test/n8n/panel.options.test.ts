import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { INodeParameters, INodeProperties, INodePropertyCollection } from 'n8n-workflow';
import { resources } from '../../nodes/GenerationGateway/actions';
import { LmChatGenerationGateway } from '../../nodes/LmChatGenerationGateway/LmChatGenerationGateway.node';
import { choose, description, openPanel, sampleInput, withDefaults } from '../support/editor';
import { findParameters } from '../support/optionParameters';
import { sourceFiles } from '../support/sourceFacts';

const chatModel = new LmChatGenerationGateway();
const ROOT = path.join(__dirname, '..', '..');

/** What the list of Options offers, with these options added. */
function listOffered(parameters: INodeParameters): INodeProperties[] {
	const { full, isShown } = openPanel(parameters);
	return description.properties
		.filter((property) => property.name === 'options' && isShown(property, full))
		.flatMap(({ options }) => options as INodeProperties[])
		.filter((option) => isShown(option, (full.options ?? {}) as INodeParameters));
}
const labelsOf = (parameters: INodeParameters) =>
	listOffered(parameters).map(({ displayName }) => displayName);

const waits = ['poll', 'suspend', 'none'];
const operations = Object.entries(resources).flatMap(([resource, all]) =>
	Object.keys(all).flatMap((operation) =>
		(operation === 'generate' || operation === 'submit' ? waits : [undefined]).map((wait) => ({
			resource,
			operation,
			...(wait !== undefined && { wait }),
		})),
	),
);

it.each(operations)('%j offers at most ten options at first, by their labels', (parameters) => {
	const labels = labelsOf(parameters);
	const hint = 'wrap the new one in offerLater() or offerWhen() of nodes/n8n/options.ts';
	expect(labels.length > 10 ? `${labels.length} are offered at first: ${hint}` : '').toBe('');
	expect(labels).toEqual([...labels].sort());
});

it.each(operations)('%j says so where more options appear once one is added', (parameters) => {
	const { full, isShown } = openPanel(parameters);
	const list = description.properties.find(
		(property) => property.name === 'options' && isShown(property, full),
	);
	const first = labelsOf(parameters).length;
	const later = labelsOf({ ...parameters, options: { simplify: true, includeInput: true } }).length;
	expect(list?.description).toBe(later > first ? 'More appear once one is added' : undefined);
});

const image = { resource: 'image', operation: 'generate' };
const chat = { resource: 'text', operation: 'chat' };

it('offers no length of an answer that begins with nothing', () => {
	const lengths = [description, chatModel.description]
		.flatMap(({ properties }) => properties)
		.flatMap(({ options = [], ...property }) => [property, ...(options as INodeProperties[])])
		.filter(({ displayName }) => /^(Maximum .*Tokens|Top K)$/.test(displayName));
	expect(lengths.length).toBeGreaterThan(4);
	for (const { default: shown } of lengths) expect(shown).toBeGreaterThanOrEqual(40);
});

it.each([
	[{ maximumCost: 1 }, 'Cost If Price Is Unknown'],
	[{ maximumRunCost: 1 }, 'Cost If Price Is Unknown'],
	[{ maximumDailyCost: 1 }, 'Cost If Price Is Unknown'],
	[{ maximumCost: 1, maximumRunCost: 1, maximumDailyCost: 1 }, 'Cost If Price Is Unknown'],
	[{ maximumCost: 1 }, 'Cost Limit per Day ($)'],
	[{ fallbackModels: 'imgn-4.0' }, 'Fallback Omits Unsupported Fields'],
	[{ callback_url: 'https://example.com/hook' }, 'Callback Events'],
	[{ ifAlreadyMade: 'key' }, 'Idempotency Key'],
	[{ output: 'files' }, 'Output Field Name'],
	[{ output: 'both' }, 'Mark as Made by AI'],
	[{ timeout: 60 }, 'Max Poll Interval (Seconds)'],
	[{ timeout: 60 }, 'Cancel Tasks on Stop'],
])('with %j there is %s, once', (options, label) => {
	expect(labelsOf(image)).not.toContain(label);
	expect(labelsOf({ ...image, options }).filter((other) => other === label)).toEqual([label]);
});

it.each([
	...[
		{ idempotencyKey: 'row-1' },
		{ idempotencyKey: '={{ $json.row }}' },
		{ download: 'clip' },
		{ download: '' },
		{ callback_url: 'https://example.com/hook', callback_events: ['failed'] },
		{ cancelOnStop: false },
		{ pollInterval: 3 },
		{ maximumCost: 1, unknownPrice: 'send' },
		{ dryRun: true, concurrency: 3, simplify: false, timeout: 5 },
	].map((options) => ({ ...image, options })),
	{ ...image, wait: 'none', options: { callbackExecution: true } },
	...[
		{ top_p: 0.5 },
		{ frequency_penalty: 1 },
		{ presence_penalty: 1 },
		{ n: 2 },
		{ maxSilence: 9 },
	].map((options) => ({ ...chat, options })),
	{ ...chat, outputFormat: 'json', options: { jsonSchema: '{ "type": "object" }' } },
])('%j of a workflow that was saved before keeps its options, each shown once', (parameters) => {
	expect(withDefaults(parameters as INodeParameters).options).toEqual(parameters.options);
	const names = listOffered(parameters as INodeParameters).map(({ name }) => name);
	for (const name of Object.keys(parameters.options))
		expect(names.filter((other) => other === name)).toEqual([name]);
});

const fillOptions = (parameters: INodeParameters): INodeParameters => ({
	...parameters,
	options: Object.fromEntries(
		listOffered(parameters).map((option) => [option.name, sampleInput(option)]),
	),
});

/** Every operation with Options, by the collection. */
const collections = Object.entries(resources).flatMap(([resource, all]) =>
	Object.entries(all).flatMap(([name, { operation }]) =>
		operation.properties
			.filter((property) => property.name === 'options')
			.map((collection) => ({ resource, operation: name, collection })),
	),
);

/** Every change of one parameter between two operations that share their collection. */
const switches = collections.flatMap(({ collection, ...from }) =>
	collections.flatMap(({ collection: other, resource, operation }) => {
		const isSameResource = resource === from.resource;
		const isOneChange = isSameResource !== (operation === from.operation);
		if (other !== collection || !isOneChange) return [];
		return [{ from, to: isSameResource ? { operation } : { resource } }];
	}),
);

it('keeps the options of pictures, videos, texts and speech', () => {
	const kept = new Set(switches.map(({ from }) => from.resource));
	expect([...kept].sort()).toEqual(['audio', 'image', 'text', 'video']);
});

it.each(switches)('after $from, $to keeps the options that it offers as well', ({ from, to }) => {
	// Some options are offered once another one is added.
	const before = withDefaults(fillOptions(fillOptions(from)));
	const kept = listOffered({ ...before, ...to }).map(({ name }) => name);
	const expected = Object.entries(before.options as INodeParameters).filter(([name]) =>
		kept.includes(name),
	);
	expect(expected.map(([name]) => name)).toContain('maximumCost');
	expect(choose(before, to).options).toEqual(Object.fromEntries(expected));
});

it('shows AI builders, whose types know no paths, no property of another operation', () => {
	for (const property of description.properties) {
		const { show = {} } = property.displayOptions ?? {};
		for (const [resource, all] of Object.entries(resources))
			for (const operation of Object.keys(all)) {
				const isListed = (names: unknown[] | undefined, name: string) =>
					!names || names.includes(name);
				const byTypes = isListed(show.resource, resource) && isListed(show.operation, operation);
				const byEditor =
					isListed(show['/resource'], resource) && isListed(show['/operation'], operation);
				if (byTypes)
					expect({ property, resource, operation, byEditor }).toMatchObject({ byEditor: true });
			}
	}
});

const textOperations = Object.keys(resources.text!);
const messages = { entry: [{ role: 'user', text: 'Name a kite' }] };

it.each(textOperations)('keeps the messages of %s, whatever is chosen next', (operation) => {
	const before = withDefaults({ resource: 'text', operation, messages });
	for (const other of textOperations)
		expect(choose(before, { operation: other }).messages).toMatchObject(messages);
	const withRole = { entry: [{ role: 'assistant', text: 'Kestrel' }] };
	const other = choose({ ...before, messages: withRole }, { operation: 'generateContent' });
	expect(other.messages).toMatchObject(withRole);
	const asJson = { ...before, ...choose(before, { messagesFrom: 'json' }) };
	expect(choose(asJson, { messagesFrom: 'fields' }).messages).toMatchObject(messages);
});

it.each(textOperations)('asks for a message of %s from its role to its files', (operation) => {
	const { full, isShown } = openPanel({ resource: 'text', operation });
	const [form] = description.properties.find(({ name }) => name === 'messages')!
		.options as INodePropertyCollection[];
	const shown = form!.values.filter((field) => isShown(field, {})).map(({ name }) => name);
	expect(full.messages).toMatchObject({ entry: [{ role: 'user', text: '' }] });
	expect(shown.slice(0, 3)).toEqual(['role', 'text', 'binaryFields']);
	expect(new Set(shown).size).toBe(shown.length);
});

it('offers no option that nothing reads', () => {
	const code = sourceFiles('nodes')
		.map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
		.join('\n');
	const isRead = (name: string) =>
		new RegExp(`(option|optionAlone|parameter)\\(${name}\\b`, 'i').test(code);
	const unread = findParameters()
		.filter(({ name }) => !isRead(name))
		.map(({ file, name }) => `${name} of ${file} is read nowhere in nodes/`);
	expect(unread).toEqual([]);
});
