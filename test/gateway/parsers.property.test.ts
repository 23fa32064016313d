import fc from 'fast-check';
import { readAsset, readAssets } from '../../nodes/gateway/assets/schema';
import { parseBaseUrl } from '../../nodes/gateway/baseUrl';
import { findTaskIds } from '../../nodes/gateway/callbacks/taskIds';
import { readEmbeddings } from '../../nodes/gateway/embeddings/schema';
import { readErrorBody } from '../../nodes/gateway/errorBody';
import { isObject } from '../../nodes/gateway/json';
import { readModels } from '../../nodes/gateway/models/schema';
import { isMetadataAddress, isPrivateAddress } from '../../nodes/gateway/privateAddress';
import { redact } from '../../nodes/gateway/redact';
import { retryAfterOf } from '../../nodes/gateway/retry';
import { encodeKey, keyOfModel } from '../../nodes/gateway/tasks/idempotencyKeys';
import { hasEnded, readCharge, readTask, toIsoTime } from '../../nodes/gateway/tasks/schema';
import { textAdapters } from '../../nodes/gateway/text';
import { SseReader, createDataDetector, type SseEvent } from '../../nodes/gateway/text/sse';
import { toFileName } from '../../nodes/n8n/outsideNames';

/** For more: `RUNS=10000 npx jest test/gateway/parsers.property`. */
fc.configureGlobal({ numRuns: Number(process.env.RUNS ?? 200) });

/** Names that mean something to one of the parsers, so that random replies come near to real ones. */
const NAMES = [
	...['task_id', 'id', 'status', 'progress', 'result', 'data', 'images', 'videos', 'url', 'urls'],
	...['cost', 'pre_consumed_cost', 'error', 'message', 'code', 'created_at', 'choices', 'delta'],
	...['content', 'parts', 'candidates', 'output', 'usage', 'embedding', 'index', 'object', 'type'],
	...[
		'finish_reason',
		'tool_calls',
		'function',
		'arguments',
		'__proto__',
		'constructor',
		'name',
		'toString',
		'valueOf',
	],
];
const texts = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.constantFrom(
		'completed',
		'failed',
		'task_1',
		'text',
		'{"a":1}',
		'[',
		'1e999',
		'-1',
		'NaN',
		'toString',
		'constructor',
		'__proto__',
	),
);
const name = fc.oneof(fc.constantFrom(...NAMES), texts);
const { reply } = fc.letrec<{ reply: unknown }>((tie) => ({
	reply: fc.oneof(
		{ depthSize: 'medium', withCrossShrink: true },
		texts,
		fc.double(),
		fc.integer(),
		fc.constantFrom(null, true, false),
		fc.array(tie('reply'), { maxLength: 4 }),
		fc.dictionary(name, tie('reply'), { maxKeys: 6, noNullPrototype: true }),
	),
}));
const isFiniteOrMissing = (value: number | undefined) =>
	value === undefined || Number.isFinite(value);
/** Cuts a text where the numbers say. */
const cut = (text: string, places: readonly number[]): string[] => {
	const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
	return [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end));
};
const places = fc.array(fc.nat(), { maxLength: 8 });

describe('whatever the gateway answers', () => {
	it('is a task with numbers and links, or none', () => {
		fc.assert(
			fc.property(reply, (raw) => {
				const task = readTask(raw);
				if (!task) return;
				expect(task.taskId).not.toBe('');
				expect(typeof task.status).toBe('string');
				expect(['string', 'undefined']).toContain(typeof task.reason);
				expect(task.progress).toBeGreaterThanOrEqual(0);
				expect(task.progress).toBeLessThanOrEqual(100);
				expect(task.urls.every((url) => typeof url === 'string')).toBe(true);
				expect([task.cost, task.held, readCharge(task)].every(isFiniteOrMissing)).toBe(true);
				expect(typeof hasEnded(task)).toBe('boolean');
				expect(task.raw).toBe(raw);
			}),
		);
	});

	const answers = Object.entries(textAdapters).map(
		([operation, { parseResponse, findFailure }]) =>
			[
				`the answer of ${operation}`,
				(raw: unknown) => isObject(raw) && [parseResponse(raw), findFailure(raw)],
			] as const,
	);
	it.each<readonly [string, (raw: unknown) => unknown]>([
		['an asset', readAsset],
		['a list of assets', readAssets],
		['a list of models', readModels],
		['embeddings', readEmbeddings],
		['an error', readErrorBody],
		['a callback', findTaskIds],
		['a time', toIsoTime],
		...answers,
	])('is read as %s without an error', (_name, read) => {
		fc.assert(fc.property(reply, (raw) => void read(raw)));
	});

	it('names no task that is not in the callback', () => {
		fc.assert(
			fc.property(reply, (payload) => {
				const text = JSON.stringify(payload) ?? '';
				return findTaskIds(payload).every((id) => text.includes(id));
			}),
		);
	});

	const streams = Object.entries(textAdapters).flatMap(([operation, { createStreamParser }]) =>
		createStreamParser ? [[operation, createStreamParser] as const] : [],
	);
	it.each(streams)(
		'is an event that the stream of %s takes, and the text is what it gave piece by piece',
		(_name, createStreamParser) => {
			fc.assert(
				fc.property(fc.array(reply, { maxLength: 6 }), (events) => {
					const parser = createStreamParser();
					const given = events.map((data) => parser.push({ data: JSON.stringify(data) ?? '' }));
					expect(given.every((text) => typeof text === 'string')).toBe(true);
					expect(parser.result().texts[0] ?? '').toBe(given.join(''));
				}),
			);
		},
	);
});

describe('a stream', () => {
	const field = fc.oneof(
		fc.tuple(fc.constantFrom('data', 'event', 'id', 'retry'), texts).map((pair) => pair.join(': ')),
		texts.map((text) => `:${text}`),
		texts,
		fc.constant(''),
	);
	const stream = fc
		.array(fc.tuple(field, fc.constantFrom('\n', '\r', '\r\n')))
		.map((lines) => lines.map((line) => line.join('')).join(''));
	const readAll = (pieces: readonly string[]): SseEvent[] => {
		const reader = new SseReader();
		return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.push('\n\n')];
	};

	it('has the same events wherever its chunks end', () => {
		fc.assert(
			fc.property(stream, places, (text, ends) => {
				expect(readAll(cut(text, ends))).toEqual(readAll([text]));
			}),
		);
	});

	it('carries data whenever it has an event with data, wherever its chunks end', () => {
		fc.assert(
			fc.property(stream, places, (text, ends) => {
				const detect = createDataDetector();
				const hasData = cut(text, ends).map((piece) => detect(Buffer.from(piece)));
				const events = readAll([text]).filter(({ data }) => data.trim());
				if (events.length) expect(hasData).toContain(true);
			}),
		);
	});

	it('of comments only carries none', () => {
		const comment = fc.string({ unit: 'grapheme-ascii' }).map((text) => `:${text}`);
		fc.assert(
			fc.property(fc.array(comment), places, (comments, ends) => {
				const detect = createDataDetector();
				const text = comments.map((line) => `${line}\n\n`).join('');
				return cut(text, ends).every((piece) => !detect(Buffer.from(piece)));
			}),
		);
	});
});

describe('headers, names and links', () => {
	it('Retry-After is a time from now on, or nothing', () => {
		fc.assert(
			fc.property(
				fc.oneof(texts, fc.array(texts), fc.double().map(String)),
				fc.nat(),
				(header, now) => {
					const ms = retryAfterOf({ 'retry-after': header }, now);
					return ms === undefined || ms >= 0;
				},
			),
		);
	});

	it('two keys that differ are two keys on the wire, in letters that a header may have', () => {
		const key = fc.string({ unit: 'binary', minLength: 1 });
		fc.assert(
			fc.property(key, key, texts, (one, other, model) => {
				expect(encodeKey(one) === encodeKey(other)).toBe(one === other);
				expect(encodeKey(one)).toMatch(/^[\x20-\x7e]*$/);
				expect(keyOfModel(one, model)).not.toBe(encodeKey(other));
			}),
		);
	});

	it('a name of the gateway becomes no path, no control character and no expression', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (text) => {
				const file = toFileName(text);
				expect(file).toMatch(/^[^/\\\0-\x1f={}$]+$/);
				expect(file).not.toContain('..');
				expect(file.length).toBeLessThanOrEqual(100);
			}),
		);
		// Not cut within a character.
		expect(toFileName(`${'a'.repeat(99)}𝒜b`)).toBe('a'.repeat(99));
	});

	it('an address is one that requests can be made of, or a problem in words', () => {
		fc.assert(
			fc.property(fc.oneof(texts, fc.webUrl()), (given) => {
				const address = parseBaseUrl(given);
				if ('problem' in address) expect(address.problem).toContain('Base URL');
				else expect(URL.canParse(`${address.href}/v1/tasks`)).toBe(true);
			}),
		);
	});

	it('every address for machines is private, however it is written', () => {
		const byte = fc.nat(255);
		fc.assert(
			fc.property(byte, byte, (third, fourth) => {
				const number = ((169 * 256 + 254) * 256 + third) * 256 + fourth;
				const forms = [
					`169.254.${third}.${fourth}`,
					`${number}`,
					`0x${number.toString(16)}`,
					`[::ffff:169.254.${third}.${fourth}]`,
				];
				for (const form of forms) {
					const link = `http://${form}/`;
					expect([form, isPrivateAddress(link), isMetadataAddress(link)]).toEqual([
						form,
						true,
						true,
					]);
				}
			}),
		);
	});
});

describe('the key', () => {
	const letters = fc.string({
		unit: fc.constantFrom(...'abcXYZ019-_.~+/=%"\\ü产'),
		minLength: 8,
		maxLength: 40,
	});
	const encodings: Record<string, (secret: string, before: string) => string> = {
		'as it is': (secret, before) => before + secret,
		'in a link': (secret, before) => encodeURIComponent(before + secret),
		'in JSON': (secret, before) => JSON.stringify({ [before + secret]: secret }),
		'in JSON in JSON': (secret, before) => JSON.stringify(JSON.stringify(before + secret)),
		'in base64': (secret, before) => Buffer.from(before + secret).toString('base64'),
		'in base64 for links': (secret, before) => Buffer.from(before + secret).toString('base64url'),
	};

	it.each(Object.entries(encodings))('%s is replaced wherever it stands', (_name, encode) => {
		fc.assert(
			fc.property(
				letters,
				fc.string({ unit: 'grapheme-ascii', maxLength: 5 }),
				(secret, before) => {
					const text = encode(secret, before);
					const value = { [text]: [text, { deep: `${text} and ${text}` }], number: 1 };
					const redacted = JSON.stringify(redact(value, secret));
					expect(redacted).toContain('[API key]');
					expect(redacted).not.toContain(JSON.stringify(text).slice(1, -1));
				},
			),
		);
	});
});
