import { adaptModel } from '../../nodes/LmChatGenerationGateway/adaptModel';

describe('a model behind the SDK of n8n', () => {
	class Human {
		constructor(readonly content: unknown) {}
	}

	interface Answer {
		content: unknown;
		text: string;
		tool_calls?: { args: unknown }[];
	}

	interface Adapted {
		_generate(messages: Human[], options?: object): Promise<{ generations: { message: Answer }[] }>;
		_streamResponseChunks(messages: Human[], options?: object): AsyncIterable<{ message: Answer }>;
		bindTools(tools: object[], options?: object): Adapted;
		withStructuredOutput(schema: object, config?: object): (answer: Answer) => unknown;
		getNumTokens(content: unknown): Promise<number>;
		toJSON(): object;
	}

	const SETTINGS = { model: 'gp-5', temperature: 0.5 };
	const create = (text: string): Answer => ({ content: [{ type: 'text', text }], text });

	function supply() {
		const seen: Human[] = [];
		const given: unknown[] = [];
		const bound: unknown[] = [];
		const piped: Adapted[] = [];
		const note = (messages: Human[], options: unknown) => {
			seen.push(...messages);
			given.push(options);
		};
		const createModel = () => ({
			_generate: async (messages: Human[], options: unknown) => {
				note(messages, options);
				return { generations: [{ message: create('a kite') }] };
			},
			async *_streamResponseChunks(messages: Human[], options: unknown) {
				note(messages, options);
				yield { message: create('a ') };
				yield { message: { content: '', text: '' } };
			},
			bindTools: (tools: object[]) => {
				bound.push(...tools);
				return createModel();
			},
			pipe(this: Adapted, next: unknown) {
				piped.push(this);
				return next;
			},
		});
		const model = adaptModel(createModel() as never, SETTINGS) as Adapted;
		return { seen, given, bound, piped, model };
	}
	const readAll = async (chunks: AsyncIterable<{ message: Answer }>) => {
		const contents: unknown[] = [];
		for await (const { message } of chunks) contents.push(message.content);
		return contents;
	};
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

	it('gives pictures the form that the SDK knows, also after tools were bound to the model', async () => {
		const { seen, model } = supply();
		await model._generate([message]);
		await readAll(model.bindTools([])._streamResponseChunks([message]));

		expect(seen.map(({ content }) => content)).toEqual([kept, kept]);
		expect(seen[0]).toBeInstanceOf(Human);
		expect((message.content as unknown[])[1]).toMatchObject({ type: 'image_url' });
	});

	it('keeps the type of a file', async () => {
		const { seen, model } = supply();
		const file = { type: 'file', mime_type: 'application/pdf', data: 'JVBERg==' };
		await model._generate([new Human([file])]);

		expect(seen).toEqual([new Human([{ ...file, mimeType: 'application/pdf' }])]);
	});

	it('leaves other messages, and models of another form, as they are', async () => {
		const { seen, model } = supply();
		const plain = new Human('hello');
		await model._generate([plain]);

		expect(seen).toEqual([plain]);
		expect(adaptModel('no model', {})).toBe('no model');
	});

	it('answers in text, also in pieces and after tools were bound', async () => {
		const { model } = supply();
		for (const each of [model, model.bindTools([])]) {
			const { generations } = await each._generate([]);
			expect(generations.map(({ message: { content } }) => content)).toEqual(['a kite']);
			expect(await readAll(each._streamResponseChunks([]))).toEqual(['a ', '']);
		}
	});

	it('hands on that a tool must be called, also where an agent gives its tools once more', async () => {
		const { given, model } = supply();
		const forced = model.bindTools([], { tool_choice: 'any' }).bindTools([]);
		await forced._generate([], { stop: ['END'] });
		await readAll(forced._streamResponseChunks([]));
		await model._generate([]);

		const isForced = { tool_choice: 'any' };
		expect(given).toEqual([{ ...isForced, stop: ['END'] }, isForced, {}]);
	});

	it('answers with a schema: by the arguments of a tool that it must call, or by JSON in the text', async () => {
		const { bound, given, piped, model } = supply();
		const schema = { type: 'object' };
		const read = model.withStructuredOutput(schema, { name: 'rate' });
		const called = { ...create(''), tool_calls: [{ args: { score: 4 } }] };

		expect(bound).toEqual([expect.objectContaining({ name: 'rate', schema })]);
		await piped[0]!._generate([]);
		expect(given).toEqual([{ tool_choice: 'any' }]);
		expect(read(called)).toEqual({ score: 4 });
		expect(read(create('It is {"score": 3}'))).toEqual({ score: 3 });
		expect(() => read(create('three'))).toThrow('The answer is not JSON');
		const readBoth = model.withStructuredOutput(schema, { includeRaw: true });
		expect(readBoth(called)).toEqual({ raw: called, parsed: { score: 4 } });
	});

	it("names itself and its options in n8n's log, without what else it holds", () => {
		const { model } = supply();

		expect(model.toJSON()).toMatchObject({ type: 'constructor', kwargs: SETTINGS });
		expect(model.bindTools([]).toJSON()).toEqual(model.toJSON());
	});

	it('counts tokens, of text only and without a download, also after tools were bound', async () => {
		const { model } = supply();
		const bound = model.bindTools([]);

		expect(await model.getNumTokens('a red kite')).toBe(3);
		expect(await bound.getNumTokens(message.content)).toBe(3);
		expect(await bound.getNumTokens('')).toBe(0);
		expect(await bound.getNumTokens(['a red', null, { text: ' kite' }])).toBe(3);
	});
});
