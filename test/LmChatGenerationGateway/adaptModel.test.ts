import { adaptModel } from '../../nodes/LmChatGenerationGateway/adaptModel';

describe('a model behind the SDK of n8n', () => {
	class Human {
		constructor(readonly content: unknown) {}
	}

	function supply() {
		const seen: Human[] = [];
		const note = (messages: Human[]) => void seen.push(...messages);
		const create = (): object => ({
			_generate: note,
			_streamResponseChunks: note,
			bindTools: create,
		});
		return {
			seen,
			model: adaptModel(create() as never) as Record<string, (...given: unknown[]) => unknown>,
		};
	}
	const message = new Human([
		{ type: 'text', text: 'What is it?' },
		{ type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
		{ type: 'image_url', image_url: 'https://example.com/a.png' },
		{ type: 'image_url', image_url: { url: 'https://example.com/b.png', detail: 'low' } },
	]);
	const kept = [
		{ type: 'text', text: 'What is it?' },
		{ type: 'image', mimeType: 'image/png', data: 'data:image/png;base64,QUJD' },
		{ type: 'image', url: 'https://example.com/a.png' },
		{ type: 'image', url: 'https://example.com/b.png', metadata: { detail: 'low' } },
	];

	it('gives pictures the form that the SDK knows, also after tools were bound to the model', () => {
		const { seen, model } = supply();
		model._generate!([message]);
		(model.bindTools!([]) as Record<string, (...given: unknown[]) => unknown>)
			._streamResponseChunks!([message]);

		expect(seen.map(({ content }) => content)).toEqual([kept, kept]);
		expect(seen[0]).toBeInstanceOf(Human);
		expect((message.content as unknown[])[1]).toMatchObject({ type: 'image_url' });
	});

	it('leaves other messages, and models of another form, as they are', () => {
		const { seen, model } = supply();
		const plain = new Human('hello');
		model._generate!([plain]);

		expect(seen).toEqual([plain]);
		expect(adaptModel('no model')).toBe('no model');
	});

	it('counts tokens, of text only and without a download, also after tools were bound', async () => {
		const { model } = supply();
		const bound = model.bindTools!([]) as typeof model;

		expect(await model.getNumTokens!('a red kite')).toBe(3);
		expect(await bound.getNumTokens!(message.content)).toBe(3);
		expect(await bound.getNumTokens!('')).toBe(0);
		expect(await bound.getNumTokens!(['a red', null, { text: ' kite' }])).toBe(3);
	});
});
