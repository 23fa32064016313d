/** What a client sees of an answer: pieces of the body, delays in milliseconds, silence for good, a broken connection. */
export type Step = Uint8Array | number | 'stall' | 'break';

/** One way in which an exchange goes wrong. */
export interface Fault {
	name: string;
	group: FaultGroup;
	/** The connection breaks or stays silent; `isWorked` tells whether the request was carried out before. */
	connection?: { error?: string; isWorked: boolean };
	/** The request is not carried out, and answered so. */
	refusal?: { status: number; headers?: Record<string, string> };
	/** The request is carried out, and its answer arrives so. */
	body?: (bytes: Uint8Array) => Step[];
	/** The request is carried out, and its answer has this content type, or none. */
	label?: { type?: string };
	/** The request is carried out, and another answer arrives instead of its own. */
	replacement?: { type: string; text: string };
}

/** Faults after which the same is expected. */
export type FaultGroup =
	| 'refusal'
	| 'no balance'
	| 'unclear'
	| 'too many'
	| 'server error'
	| 'connection'
	| 'silence'
	| 'truncated'
	| 'slow'
	/** So slow that the whole would take an hour, though it is never silent for long. */
	| 'dripping'
	| 'unreadable'
	| 'says error'
	| 'oversized'
	/** A whole answer with another content type than its own. */
	| 'mislabelled'
	| 'silent at the end'
	| 'redirect';

const status = (group: FaultGroup, code: number, headers = {}, more = ''): Fault => ({
	name: `${code}${more}`,
	group,
	refusal: { status: code, headers },
});

const half = (bytes: Uint8Array) => bytes.subarray(0, Math.ceil(bytes.length / 2));
const PIECES = 10;
/** Fifteen seconds in all: less than any limit on a whole response. */
const SLOW_MS = 1_500;
const OVERSIZED = 3_000_000;

function* slowly(bytes: Uint8Array, pieces: number, ms: number): Generator<Step> {
	const size = Math.max(1, Math.ceil(bytes.length / pieces));
	for (let at = 0; at < bytes.length; at += size) {
		yield ms;
		yield bytes.subarray(at, at + size);
	}
}

export const FAULTS: readonly Fault[] = [
	...[400, 401, 403, 404, 405, 410, 413, 415, 422, 451].map((code) => status('refusal', code)),
	status('no balance', 402),
	...[408, 409, 425].map((code) => status('unclear', code)),
	status('too many', 429),
	status('too many', 429, { 'retry-after': '30' }, ' with Retry-After'),
	status('too many', 429, { 'retry-after': '86400' }, ' with an absurd Retry-After'),
	...[500, 501, 502, 503, 504, 520, 522, 524, 529].map((code) => status('server error', code)),
	{ name: 'refused', group: 'connection', connection: { error: 'ECONNREFUSED', isWorked: false } },
	{
		name: 'reset before the work',
		group: 'connection',
		connection: { error: 'ECONNRESET', isWorked: false },
	},
	{
		name: 'reset after the work',
		group: 'connection',
		connection: { error: 'ECONNRESET', isWorked: true },
	},
	{
		name: 'silence before the work',
		group: 'silence',
		connection: { isWorked: false },
	},
	{ name: 'silence before the headers', group: 'silence', connection: { isWorked: true } },
	{ name: 'silence after the headers', group: 'silence', body: () => ['stall'] },
	{
		name: 'silence in the body',
		group: 'silence',
		body: (bytes) => [half(bytes), 'stall'],
	},
	{
		name: 'silence after the last byte',
		group: 'silent at the end',
		body: (bytes) => [bytes, 'stall'],
	},
	{ name: 'truncated', group: 'truncated', body: (bytes) => [half(bytes), 'break'] },
	{ name: 'cut short', group: 'truncated', body: (bytes) => [half(bytes)] },
	{ name: 'slow', group: 'slow', body: (bytes) => [...slowly(bytes, PIECES, SLOW_MS)] },
	{ name: 'dripping', group: 'dripping', body: (bytes) => [...slowly(bytes, 300, 10_000)] },
	{
		name: 'a web page',
		group: 'unreadable',
		replacement: { type: 'text/html', text: '<html><body>Welcome</body></html>' },
	},
	{
		name: 'malformed',
		group: 'unreadable',
		replacement: { type: 'application/json', text: '{"id": "task_' },
	},
	{ name: 'empty', group: 'unreadable', body: () => [] },
	{
		name: 'says error',
		group: 'says error',
		replacement: {
			type: 'application/json',
			text: '{"error":{"message":"The upstream is away.","code":"upstream"}}',
		},
	},
	{
		name: 'oversized',
		group: 'oversized',
		body: (bytes) => [bytes, new Uint8Array(OVERSIZED).fill(10)],
	},
	...[301, 302, 303, 307, 308].map((code) =>
		status('redirect', code, { location: 'https://elsewhere.example.com/v1' }),
	),
	...['text/plain', 'text/html', 'text/event-stream', 'application/json', undefined].map(
		(type): Fault => ({
			name: `labelled ${type ?? 'not at all'}`,
			group: 'mislabelled',
			label: { type },
		}),
	),
];
