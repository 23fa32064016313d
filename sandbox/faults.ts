import { dice } from './random';
import type { RecordedRequest } from './recorder';

/**
 * A status is answered instead of the work. `reset-before` breaks the connection before it, all
 * others after it: `reset-after` and `hang` without a reply, `reset-midway` within it, `broken-json`
 * with its beginning only (a stream too), `slow-body` piece by piece.
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
	| 'slow-body';

export interface FaultPlan {
	/** A string is the whole path, without the query. Without a path, only `/v1/...` is struck, not files. */
	match?: { method?: string; path?: RegExp | string };
	/** How often it strikes; default once. */
	times?: number;
	/** Chance that it strikes a matching request; a miss does not use up `times`. */
	probability?: number;
	/** Milliseconds a `slow-body` takes in all; default 500. */
	bodyMs?: number;
	/** Milliseconds after which a `hang` breaks the connection, as a proxy would; never unless given. */
	hangMs?: number;
	kind: FaultKind;
}

export interface Fault {
	kind: FaultKind;
	name: string;
	bodyMs: number;
	hangMs?: number;
}

/** What strikes a request, told from the request alone; undefined when nothing does. */
export type Weather = (
	request: RecordedRequest,
) => Pick<FaultPlan, 'kind' | 'bodyMs' | 'hangMs'> | undefined;

const faultOf = ({
	kind,
	bodyMs = 500,
	hangMs,
}: Pick<FaultPlan, 'kind' | 'bodyMs' | 'hangMs'>): Fault => ({
	kind,
	bodyMs,
	hangMs,
	name: typeof kind === 'string' ? kind : String(kind.status),
});

interface Armed extends FaultPlan {
	left: number;
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
	private armed: Armed[] = [];
	private roll: () => number;
	/** Asked where no plan strikes. It can strike the same requests whatever their order, which dice cannot. */
	weather?: Weather;

	constructor(seed: number) {
		this.roll = dice(seed);
	}

	add(plan: FaultPlan): void {
		this.armed.push({ ...plan, left: plan.times ?? 1 });
	}

	clear(): void {
		this.armed = [];
		this.weather = undefined;
	}

	/** Starts the dice of probabilities again. */
	reseed(seed: number): void {
		this.roll = dice(seed);
	}

	/** The fault that strikes this request, if any; it is used up by asking. */
	strike(request: RecordedRequest): Fault | undefined {
		for (const plan of this.armed) {
			if (plan.left < 1 || !matches(plan, request.method, request.path)) continue;
			if (plan.probability !== undefined && this.roll() >= plan.probability) continue;
			plan.left -= 1;
			return faultOf(plan);
		}
		const struck = this.weather?.(request);
		return struck && faultOf(struck);
	}
}
