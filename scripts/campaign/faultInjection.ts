import type { FaultKind, RecordedRequest, Sandbox, FaultInjection } from '../../sandbox';
import type { Chance } from './random';

interface Gust {
	kind: FaultKind;
	/** Out of all faults, relative to the other weights. */
	weight: number;
	bodyMs?: number;
	hangMs?: number;
}

/** All that passes: answers that ask to come again, broken connections and spoilt replies, before and after the work. */
const GUSTS: readonly Gust[] = [
	{ kind: { status: 429, retryAfter: '0.1' }, weight: 12 },
	{ kind: { status: 429 }, weight: 8 },
	{ kind: { status: 500 }, weight: 14 },
	{ kind: { status: 502 }, weight: 14 },
	{ kind: 'reset-before', weight: 12 },
	{ kind: 'reset-after', weight: 14 },
	{ kind: 'reset-midway', weight: 8 },
	{ kind: 'broken-json', weight: 9 },
	{ kind: 'slow-body', weight: 7, bodyMs: 300 },
	{ kind: 'hang', weight: 4, hangMs: 1_200 },
];

export interface Force {
	/** Share of the requests that are struck. */
	share: number;
	/** Share that gets no reply at all, until the node itself gives up the call after 30 to 80 s. */
	silence: number;
}

/** A refusal for good, in words that quote the key. The row is taken up again by another run. */
const indiscreet = (key: string): Gust => ({
	kind: { status: 403, message: `No seat left for Bearer ${key}`, code: key },
	weight: 1,
});

/**
 * The weather of a campaign. What strikes a request follows from the seed, the row that it is about and
 * how often that row was asked for in this way: the same row meets the same faults in the same order.
 */
export function createFaultInjection(
	sandbox: Sandbox,
	chance: Chance,
	key: string,
	{ share, silence }: Force,
): FaultInjection {
	const asked = new Map<string, number>();
	const gusts = [...GUSTS, indiscreet(key)];
	const total = gusts.reduce((sum, { weight }) => sum + weight, 0);
	return (request) => {
		const subject = `${request.method} ${subjectOf(request, sandbox)}`;
		const times = (asked.get(subject) ?? 0) + 1;
		asked.set(subject, times);
		const roll = chance.roll('storm', subject, times);
		if (roll() < silence) return { kind: 'hang' };
		if (roll() >= share) return undefined;
		let left = roll() * total;
		return gusts.find(({ weight }) => (left -= weight) < 0);
	};
}

/** The row that a request is about: its prompt, for a file with the number of the output. */
function subjectOf({ body, path }: RecordedRequest, sandbox: Sandbox): string {
	const [, id, output = ''] = /(task_[0-9a-f]+)(-\d+)?/.exec(path) ?? [];
	const asked = id ? sandbox.task(id)?.body : (body as { prompt?: unknown } | undefined);
	return `${String(asked?.prompt ?? path)}${output}`;
}
