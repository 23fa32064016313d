import { createRandom } from './random';
import type { RecordedRequest } from './recorder';

/**
 * A status is answered instead of the work. `reset-before` breaks the connection before it, all
 * others after it: `reset-after` and `hang` without a reply, `reset-midway` within it, `broken-json`
 * with its beginning only (a stream too), `slow-body` piece by piece. `silent-body` sends the headers and
 * nothing more, `silent-midway` the beginning of the body and nothing more.
 */
export type FaultKind =
	| {
			status: number;
			retryAfter?: string;
			code?: string | number;
			message?: string;
			headers?: Record<string, string>;
	  }
	| 'reset-before'
	| 'reset-after'
	| 'reset-midway'
	| 'hang'
	| 'broken-json'
	| 'slow-body'
	| 'silent-body'
	| 'silent-midway';

export interface FaultPlan {
	/** A string is the whole path, without the query. Without a path, only `/v1/...` is affected, not files. */
	match?: { method?: string; path?: RegExp | string };
	/** How many requests it affects; default 1. */
	times?: number;
	/** Probability (0 to 1) that a matching request is affected; a request that is spared does not count towards `times`. */
	probability?: number;
	/** Milliseconds a `slow-body` takes in all; default 500. */
	bodyMs?: number;
	/** Milliseconds after which a silent connection is broken, as a proxy would; never unless given. */
	hangMs?: number;
	kind: FaultKind;
}

export interface Fault {
	kind: FaultKind;
	name: string;
	bodyMs: number;
	hangMs?: number;
}

/** Chooses the fault of a request from the request alone; undefined for none. */
export type FaultInjection = (
	request: RecordedRequest,
) => Pick<FaultPlan, 'kind' | 'bodyMs' | 'hangMs'> | undefined;

const createFault = ({
	kind,
	bodyMs = 500,
	hangMs,
}: Pick<FaultPlan, 'kind' | 'bodyMs' | 'hangMs'>): Fault => ({
	kind,
	bodyMs,
	hangMs,
	name: typeof kind === 'string' ? kind : String(kind.status),
});

interface ActivePlan extends FaultPlan {
	remaining: number;
}

function matches(plan: FaultPlan, method: string, path: string): boolean {
	const { match = {} } = plan;
	if (match.method !== undefined && match.method.toUpperCase() !== method) return false;
	if (match.path === undefined) return path.startsWith('/v1/');
	if (typeof match.path === 'string') return match.path === path;
	match.path.lastIndex = 0;
	return match.path.test(path);
}

/** What goes wrong on purpose. Plans are tried in the order in which they were added. */
export class Faults {
	private plans: ActivePlan[] = [];
	private random: () => number;
	/** Called when no plan matches. Unlike `probability`, it can affect the same requests in whatever order they arrive. */
	injection?: FaultInjection;

	constructor(seed: number) {
		this.random = createRandom(seed);
	}

	add(plan: FaultPlan): void {
		this.plans.push({ ...plan, remaining: plan.times ?? 1 });
	}

	clear(): void {
		this.plans = [];
		this.injection = undefined;
	}

	/** Restarts the random numbers behind `probability`. */
	reseed(seed: number): void {
		this.random = createRandom(seed);
	}

	/** The fault for this request, if any. Each call counts towards the plan's `times`. */
	takeFault(request: RecordedRequest): Fault | undefined {
		for (const plan of this.plans) {
			if (plan.remaining < 1 || !matches(plan, request.method, request.path)) continue;
			if (plan.probability !== undefined && this.random() >= plan.probability) continue;
			plan.remaining -= 1;
			return createFault(plan);
		}
		const injected = this.injection?.(request);
		return injected && createFault(injected);
	}
}
