import type { FaultKind, RecordedRequest, Sandbox, FaultInjection } from '../../sandbox';
import type { SeededRandom } from './random';
import { STOPPED } from './taskOutcomes';

interface WeightedFault {
	kind: FaultKind;
	/** Out of all faults, relative to the other weights. */
	weight: number;
	bodyMs?: number;
	hangMs?: number;
}

/** Temporary faults: retryable statuses, broken connections and damaged replies, before and after the request is processed. */
const FAULTS: readonly WeightedFault[] = [
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
	{ kind: 'silent-body', weight: 4, hangMs: 1_200 },
	{ kind: 'silent-midway', weight: 4, hangMs: 1_200 },
];

export interface FaultRates {
	/** Share of the requests that meet a fault. */
	faultShare: number;
	/** Share of the requests that get no reply, or headers only, until the node gives up after 20 to 80 s. */
	silentShare: number;
}

/** A final refusal whose message quotes the key. Another run retries the row. */
const createKeyLeakFault = (key: string): WeightedFault => ({
	kind: { status: 403, message: `No seat left for Bearer ${key}`, code: key },
	weight: 1,
});

/**
 * The faults of a campaign. The fault of a request depends on the seed, the row that it is about and how many
 * requests of this kind that row had before: the same row meets the same faults in the same order.
 */
export function createFaultInjection(
	sandbox: Sandbox,
	random: SeededRandom,
	key: string,
	{ faultShare, silentShare }: FaultRates,
): FaultInjection {
	const requestCounts = new Map<string, number>();
	const refusal = createKeyLeakFault(key);
	const faults = [...FAULTS, refusal];
	const total = faults.reduce((sum, { weight }) => sum + weight, 0);
	return (request) => {
		const subject = `${request.method} ${getSubject(request, sandbox)}`;
		const times = (requestCounts.get(subject) ?? 0) + 1;
		requestCounts.set(subject, times);
		const next = random.sequence('fault', subject, times);
		if (next() < silentShare) return { kind: next() < 0.5 ? 'hang' : 'silent-body' };
		if (next() >= faultShare) return undefined;
		let remaining = next() * total;
		const fault = faults.find(({ weight }) => (remaining -= weight) < 0);
		// A cancel that is refused for good leaves its task running.
		return fault === refusal && subject.includes(STOPPED) ? undefined : fault;
	};
}

/** The row that a request is about: its prompt, for a file with the number of the output. */
function getSubject({ body, path }: RecordedRequest, sandbox: Sandbox): string {
	const [, id, output = ''] = /(task_[0-9a-f]+)(-\d+)?/.exec(path) ?? [];
	const taskBody = id ? sandbox.task(id)?.body : (body as { prompt?: unknown } | undefined);
	return `${String(taskBody?.prompt ?? path)}${output}`;
}
