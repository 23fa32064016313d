import { sleep } from 'n8n-workflow';

/** Milliseconds without a refusal after which more is tried again. */
const QUIET_MS = 5_000;
const GROWTH = 1.25;

/**
 * Lets at most `most` pieces of work run at once, the others in order of arrival; and fewer where the other
 * side takes fewer. Work that was refused takes its place away with it, so after the first wave of refusals
 * just those places remain whose work was accepted; one refusal alone takes no more than half of the places.
 * Quiet time gives places back.
 * n8n 1.x has no such library that a community package could reach, see docs/decisions.
 */
export function createLimiter<Done>(
	most: number,
	isRefused: (done: Done) => boolean = () => false,
): <D extends Done>(work: () => Promise<D>) => Promise<D> {
	const waiting: (() => void)[] = [];
	let running = 0;
	let places = most;
	let changedAt = 0;
	let isWatching = false;

	function setPlaces(count: number): void {
		places = Math.min(most, Math.max(1, count));
		changedAt = Date.now();
	}

	function begin(): void {
		if (places < most && Date.now() - changedAt > QUIET_MS) setPlaces(Math.ceil(places * GROWTH));
		while (running < places && waiting.length) {
			running += 1;
			waiting.shift()!();
		}
		if (waiting.length && places < most) void watch();
	}

	/** Long work holds its place, so quiet time must be noticed while nothing begins or ends. */
	async function watch(): Promise<void> {
		if (isWatching) return;
		isWatching = true;
		await sleep(QUIET_MS + 1);
		isWatching = false;
		begin();
	}

	return async (work) => {
		await new Promise<void>((go) => {
			waiting.push(go);
			begin();
		});
		let done;
		try {
			done = await work();
		} finally {
			running -= 1;
			if (done !== undefined && isRefused(done))
				setPlaces(Math.min(places, Math.max(running, Math.ceil(places / 2))));
			begin();
		}
		return done;
	};
}
