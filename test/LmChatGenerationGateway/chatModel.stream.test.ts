import { createModel, DRAW, hello, type Answer } from '../support/gatewayChatModel';
import { catchError } from '../support/gatewayClient';
import { createBody, ok } from '../support/virtualGateway';

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (part: object, finish_reason: string | null = null) =>
	event({ choices: [{ index: 0, delta: part, finish_reason }] });
const stream = (...steps: Parameters<typeof createBody>[1]): Answer => {
	return (clock) => ({
		status: 200,
		headers: { 'content-type': 'text/event-stream' },
		body: createBody(clock, steps).stream,
	});
};

async function collect(answers: Answer[], options = {}) {
	const { model, clock } = createModel('gp-5', answers, options);
	const chunks: unknown[] = [];
	const reading = (async () => {
		for await (const chunk of model.withTools([DRAW]).stream(hello)) chunks.push(chunk);
	})();
	const error = await clock.run(
		reading.then(
			() => undefined,
			(thrown: unknown) => thrown,
		),
	);
	return { chunks, error };
}

it('gives its words as they come, then its calls, then its end', async () => {
	const draw = { index: 0, id: 'a', function: { name: 'draw', arguments: '{"prompt":"x"}' } };
	const { chunks, error } = await collect([
		stream(
			delta({ content: 'Let me ' }),
			2_000,
			delta({ content: 'draw.' }),
			delta({ tool_calls: [draw] }),
			delta({}, 'tool_calls'),
			'data: [DONE]\n\n',
			'stall',
		),
	]);

	expect(error).toBeUndefined();
	expect(chunks).toEqual([
		{ type: 'text-delta', delta: 'Let me ' },
		{ type: 'text-delta', delta: 'draw.' },
		{ type: 'tool-call-delta', id: 'a', name: 'draw', argumentsDelta: '{"prompt":"x"}' },
		{ type: 'finish', finishReason: 'tool-calls', usage: undefined },
	]);
});

it('ends with what is wrong when it falls silent, after the words that came', async () => {
	const { chunks, error } = await collect([stream(delta({ content: 'Half' }), 'stall')], {
		timeout: 3,
	});

	expect(chunks).toEqual([{ type: 'text-delta', delta: 'Half' }]);
	expect(error).toMatchObject({ code: 'text_interrupted' });
});

const endless = (bodies: ReturnType<typeof createBody>[]): Answer => {
	const event = `data: ${JSON.stringify({ choices: [{ delta: { content: 'word ' } }] })}\n\n`;
	return (time) => {
		bodies.push(createBody(time, Array.from({ length: 1_000 }, () => [100, event]).flat()));
		return ok(bodies.at(-1)!.stream, { 'content-type': 'text/event-stream' });
	};
};

it('ends the answer when its reader stops early, so that no more is billed', async () => {
	const bodies: ReturnType<typeof createBody>[] = [];
	const { model, clock } = createModel('gp-5', [endless(bodies)]);
	const startedAt = clock.now();
	const reading = async () => {
		let count = 0;
		for await (const chunk of model.stream(hello)) if (chunk && (count += 1) === 3) return;
	};
	await clock.run(reading());

	expect(bodies[0]!.isDestroyed()).toBe(true);
	expect(clock.now() - startedAt).toBe(300);
});

it.each(['signal', 'abortSignal'])('ends the answer when its %s is aborted', async (name) => {
	const bodies: ReturnType<typeof createBody>[] = [];
	const { model, clock } = createModel('gp-5', [endless(bodies)]);
	const caller = new AbortController();
	clock.after(300, () => caller.abort());
	const reading = async () => {
		for await (const chunk of model.stream(hello, { [name]: caller.signal }))
			expect(chunk.type).toBe('text-delta');
	};

	expect(await clock.run(catchError(reading()))).toMatchObject({ code: 'stopped' });
	expect(bodies[0]!.isDestroyed()).toBe(true);
});
