import type { CallKind } from './calls';
import type { Fault, FaultGroup } from './faults';

/**
 * How an item ends: `done`, a code of docs/errors.md, `pending` (the last known state of the task, when
 * the time of a wait is up) or, for a callback, `nothing` (answered 200, and no run) and `again` (each
 * answer asks the sender to come again, and no run).
 */
export type End = string;

export interface Outcome {
	/** The fault strikes once, and the gateway is well before and after it. */
	once: End;
	/** The fault strikes every time. */
	always: End;
	/** Minutes it may take where the fault strikes once, if that is less than otherwise. */
	onceMinutes?: number;
}

const BY_STATUS: Record<string, string> = {
	400: 'bad_request',
	401: 'invalid_api_key',
	403: 'forbidden',
	404: 'not_found',
};

/** An end by the name of the fault, where its group has several. */
type Column = Outcome | ((fault: Fault) => Outcome);

const same = (end: End): Outcome => ({ once: end, always: end });
const passes = (end: End): Outcome => ({ once: 'done', always: end });
const codeOf = ({ name }: Fault) => BY_STATUS[name] ?? 'bad_request';
const refused: Column = (fault) => same(codeOf(fault));
const DONE = same('done');
/** A request that is told to wait for longer than it may is not sent again. */
const tooMany =
	(end: End): Column =>
	({ name }) =>
		name.endsWith('an absurd Retry-After') ? same(end) : passes(end);
/** A body that breaks off in the middle, or that ends too early and cannot be read. */
const byBreak =
	(broken: Outcome, cut: Outcome): Column =>
	({ name }) =>
		name === 'truncated' ? broken : cut;

/** A request that may be sent again: reads, and submissions because of their idempotency key. */
const REPEATED: Record<FaultGroup, Column> = {
	refusal: refused,
	'no balance': same('insufficient_balance'),
	unclear: passes('unknown_outcome'),
	'too many': tooMany('rate_limited'),
	'server error': passes('gateway_error'),
	connection: passes('connection_failed'),
	silence: passes('timeout'),
	'silent at the end': passes('timeout'),
	truncated: byBreak(passes('connection_failed'), passes('unreadable_response')),
	slow: DONE,
	dripping: passes('timeout'),
	unreadable: passes('unreadable_response'),
	'says error': passes('unreadable_response'),
	oversized: DONE,
	mislabelled: DONE,
	redirect: same('redirected'),
};

/** A request that might be billed or done twice: sent again only where nobody received it, or the gateway said that it did nothing. */
const ONCE: Record<FaultGroup, Column> = {
	refusal: refused,
	'no balance': same('insufficient_balance'),
	unclear: same('unknown_outcome'),
	'too many': tooMany('rate_limited'),
	'server error': same('gateway_error'),
	connection: ({ name }) => (name === 'refused' ? passes : same)('connection_failed'),
	silence: same('timeout'),
	'silent at the end': same('timeout'),
	truncated: byBreak(same('connection_failed'), same('unreadable_response')),
	slow: DONE,
	dripping: same('timeout'),
	unreadable: same('unreadable_response'),
	'says error': same('unreadable_response'),
	oversized: DONE,
	mislabelled: DONE,
	redirect: same('redirected'),
};

/** The same for every group of faults. */
const every = (outcome: Outcome): Record<FaultGroup, Column> =>
	Object.fromEntries(Object.keys(REPEATED).map((group) => [group, outcome])) as never;

/** Within a wait nothing but a refusal that persists ends it, and a key that is not accepted; a poll takes 20 s at most. */
const WITHIN_WAIT: Record<FaultGroup, Column> = {
	...every(passes('pending')),
	'too many': tooMany('pending'),
	refusal: (fault) => (fault.name === '401' ? same : passes)(codeOf(fault)),
	slow: DONE,
	oversized: DONE,
	mislabelled: DONE,
	redirect: passes('redirected'),
};

/** Whatever a success says, another request tells: the task is fetched, and the asset is not found any more. */
const CONFIRMED: Record<FaultGroup, Column> = {
	...REPEATED,
	truncated: byBreak(passes('connection_failed'), DONE),
	unreadable: DONE,
	'says error': DONE,
};

const ANSWER = { ...ONCE, 'says error': same('text_refused') };

/** The state of an ended task within a callback: what cannot be confirmed now is confirmed later. */
const WITHIN_CALLBACK: Record<FaultGroup, Column> = {
	...every(passes('again')),
	oversized: DONE,
	mislabelled: DONE,
};

const OUTCOMES: Record<CallKind, Record<FaultGroup, Column>> = {
	submit: REPEATED,
	read: REPEATED,
	// Polls make up for it.
	wait: every(DONE),
	poll: WITHIN_WAIT,
	// The next poll of an asset is another request.
	review: { ...WITHIN_WAIT, 'too many': passes('pending') },
	// Of a task whose state was never told there is nothing to go on with.
	'first poll': {
		...REPEATED,
		'too many': passes('rate_limited'),
		'no balance': passes('insufficient_balance'),
	},
	cancel: CONFIRMED,
	write: ONCE,
	delete: {
		...CONFIRMED,
		// A page says nothing of the asset, whatever its status.
		unreadable: ({ name }) => (name === 'a web page' ? passes('not_found') : DONE),
	},
	answer: ANSWER,
	stream: {
		...ANSWER,
		silence: ({ name }) => same(name === 'silence in the body' ? 'text_interrupted' : 'timeout'),
		// The end marker has come, so the answer is whole.
		'silent at the end': { ...DONE, onceMinutes: 0.1 },
		dripping: DONE,
		truncated: same('text_interrupted'),
	},
	// A small answer that drips is there before the limit of a large file.
	upload: { ...ONCE, dripping: DONE },
	download: {
		...REPEATED,
		refusal: ({ name }) =>
			same(['401', '403', '404', '410'].includes(name) ? 'link_expired' : 'download_failed'),
		'no balance': same('download_failed'),
		unclear: passes('download_failed'),
		'too many': passes('download_failed'),
		'server error': passes('download_failed'),
		connection: passes('download_failed'),
		silence: { ...passes('download_failed'), onceMinutes: 1.5 },
		'silent at the end': { ...passes('download_failed'), onceMinutes: 1.5 },
		// A file that comes at a few bytes a second.
		dripping: passes('download_failed'),
		truncated: byBreak(passes('download_failed'), DONE),
		unreadable: passes('download_failed'),
		'says error': passes('download_failed'),
		// The file host points to a place that does not have the file.
		redirect: same('link_expired'),
	},
	callback: WITHIN_CALLBACK,
	resume: { ...every(passes('pending')), oversized: DONE, mislabelled: DONE },
};

/** What is expected of a call under a fault. */
export function expectedOutcome(kind: CallKind, fault: Fault): Outcome {
	const column = OUTCOMES[kind][fault.group];
	return typeof column === 'function' ? column(fault) : column;
}

/**
 * Minutes within which a call ends, whatever happens to it: its tries with their limits on silence, and the
 * delays between. A request without a deadline of its own waits 20 minutes for a gateway that refuses it.
 */
export const LONGEST_MINUTES: Record<CallKind, number> = {
	submit: 21,
	wait: 12,
	read: 21,
	poll: 30,
	review: 30,
	'first poll': 30,
	cancel: 31,
	write: 21,
	delete: 21,
	answer: 21,
	stream: 55,
	upload: 60,
	download: 60,
	callback: 1,
	resume: 26 * 60,
};
