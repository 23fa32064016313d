import type { IDataObject } from 'n8n-workflow';
import { compareModels } from '../../nodes/catalog/drift';
import { listKnownModels, listServedModels } from '../../nodes/catalog/modelList';
import { listModelChoices } from '../../nodes/n8n/modelLocator';
import { resources } from '../../nodes/GenerationGateway/actions';
import codex from '../../nodes/GenerationGateway/GenerationGateway.node.json';
import { mergeLive } from '../../nodes/n8n/liveModels';
import { searchList } from '../../scripts/engine';
import { typeOf } from '../../scripts/package';
import { useGateway } from '../support/gateway';

const gateway = useGateway();
let credentials = 0;
const NODE = { type: typeOf('generationGateway') };

/** The list of a panel as the editor gets it; each test has a credential of its own, since answers are kept by credential. */
async function listed(parameters: IDataObject, filter = '', hasCredential = true) {
	const id = String((credentials += 1));
	const credential = hasCredential && {
		credentials: { generationGatewayApi: { id, name: 'Test' } },
	};
	const { results } = await searchList(
		{ ...NODE, ...credential, parameters: { operation: 'generate', ...parameters } as never },
		'searchModels',
		{ filter },
		gateway.options(),
	);
	return results.map(({ name }) => name);
}

it.each(
	Object.entries(resources).flatMap(([resource, operations]) =>
		Object.entries(operations).flatMap(
			([
				operation,
				{
					operation: { properties },
				},
			]) => {
				const model = properties.find(({ name }) => name === 'model')?.default as { value: string };
				return model?.value ? [[resource, operation, model.value] as const] : [];
			},
		),
	),
)(
	'has the default of %s > %s, %s: DEFAULTS in nodes/n8n/modelLocator.ts',
	(resource, operation, id) => {
		expect(listModelChoices(resource, operation).map((choice) => choice.id)).toContain(id);
	},
);

it('belongs to families that the search of n8n finds', () => {
	const families = [...new Set(listServedModels().map(({ id }) => id.split('-')[0]!))];
	expect(
		families
			.filter((name) => !codex.alias.includes(name))
			.map((name) => `${name}: not among alias in GenerationGateway.node.json`),
	).toEqual([]);
});

const live = (...ids: string[]) => ids.map((id) => ({ id, type: 'image', raw: id }));
const idsOf = (choices: { id: string }[]) => choices.map(({ id }) => id);

describe('the list of models', () => {
	it('is there before a credential is: the default first, then by family, each with what it can', async () => {
		const images = await listed({ resource: 'image' }, '', false);

		expect(images[0]).toBe(
			'gmn-2.5-flash-image-preview · last known $0.0133 per image · text, images',
		);
		expect(images.slice(1).map((name) => name.split(' ')[0])).toEqual(
			idsOf(listServedModels('image')).filter((id) => id !== 'gmn-2.5-flash-image-preview'),
		);
		expect(images).toContain('flx-2-pro · price not stated · text, images · max 4 MP');
		expect(await listed({ resource: 'video' }, '', false)).toContain(
			'clipk-v3 · last known 5 s at 720p: $0.36 · text, images · max 15 s, 4K, sound',
		);
		expect(gateway.sandbox.requests).toEqual([]);
	});

	it.each([
		['picture 4k edit', 'image', 'gmn-3-pro-image-preview'],
		['Sound 1080p', 'video', 'clipk-v2.6'],
		['audio', 'video', 'clipk-v2.6'],
		['continue', 'video', 'pxv-v6'],
	])('is searched by words: %s', async (filter, resource, id) => {
		const names = await listed({ resource }, filter, false);
		expect(names.some((name) => name.startsWith(`${id} · `))).toBe(true);
		expect(names.length).toBeLessThan(listModelChoices(resource, 'generate').length);
	});

	it('is that of the tables where the gateway offers all of it', async () => {
		const ofTables = await listed({ resource: 'image' }, '', false);
		expect(await listed({ resource: 'image' })).toEqual(
			ofTables.map((name) =>
				name.includes('not stated')
					? expect.stringMatching(/ · listed (from|at) [\d.]+ · text/)
					: name.replace('last known ', ''),
			),
		);
		expect(gateway.sandbox.requests.map(({ path }) => path)).toEqual(['/v1/models']);
	});

	it('is that of the tables where the gateway fails, after one try', async () => {
		gateway.sandbox.faults.add({ match: { method: 'GET' }, times: 9, kind: { status: 503 } });

		expect(await listed({ resource: 'image' })).toEqual(
			await listed({ resource: 'image' }, '', false),
		);
		expect(gateway.sandbox.requests).toHaveLength(1);
	});
});

describe('a list that is held against what the gateway offers', () => {
	const choices = listModelChoices('image', 'generate');
	const all = live(...idsOf(choices));

	it('marks what is new, and what is not offered any more', () => {
		const [, ...rest] = all;
		const merged = mergeLive(choices, [...rest, ...live('kite-9')], 'image');

		expect(merged.at(-2)).toMatchObject({ id: 'kite-9', abilities: 'new at the gateway' });
		expect(merged.at(-1)).toMatchObject({
			id: choices[0]!.id,
			abilities: 'not offered by your gateway now',
		});
		expect(merged).toHaveLength(choices.length + 1);
	});

	it('takes no models of another kind for new, nor those of other lists', () => {
		const others = [
			{ id: 'film-1', type: 'video', raw: 'film-1' },
			{ id: 'gp-5', raw: 'gp-5' },
		];

		expect(idsOf(mergeLive(choices, [...all, ...others], 'image'))).toEqual(idsOf(choices));
		expect(idsOf(mergeLive(choices, [...all, ...others], undefined))).toContain('film-1');
	});

	it.each([
		['image', 'generate', 'image'],
		['video', 'generate', 'video'],
		['task', 'submit', undefined],
		['text', 'message', 'text'],
		['embedding', 'create', 'embedding'],
	])('marks under %s > %s what the report says is missing', (resource, operation, kind) => {
		const ofTables = listModelChoices(resource, operation);
		const lastId = ofTables.at(-1)!.id;
		const listed = listKnownModels().filter(({ id }) => id !== lastId);
		const { missingModels } = compareModels(listed);
		const merged = mergeLive(
			ofTables,
			listed.map(({ id }) => ({ id, raw: id })),
			kind,
		);

		const marked = merged.filter(
			({ abilities }) => abilities === 'not offered by your gateway now',
		);
		expect(idsOf(missingModels)).toEqual([lastId]);
		expect(idsOf(marked)).toEqual([lastId]);
	});

	it('keeps the text models where a gateway lists none of them', () => {
		const chats = listModelChoices('text', 'chat');
		const others = [...all, { id: 'gp-9', type: 'text', raw: 'gp-9' }];
		expect(mergeLive(chats, others, 'text')).toEqual(chats);
		expect(idsOf(mergeLive(chats, [...others, { id: 'gp-5', raw: 'gp-5' }], 'text'))).toContain(
			'gp-9',
		);
	});

	it('does not offer a name that n8n would evaluate', () => {
		const merged = idsOf(
			mergeLive(choices, [...all, ...live('={{ $env.HOME }}', 'kite-9')], 'image'),
		);
		expect(merged).toContain('kite-9');
		expect(merged.filter((id) => id.startsWith('='))).toEqual([]);
	});

	it('concludes nothing from a list that has none of its models', () => {
		for (const offered of [live('kite-9'), undefined]) {
			const merged = mergeLive(choices, offered, 'image');
			expect(idsOf(merged)).toEqual(idsOf(choices));
			expect(merged[0]?.price).toBe('last known $0.0133 per image');
		}
	});
});
