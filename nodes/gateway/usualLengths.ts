/** Milliseconds after which a window is likely to be over: limits are stated per second or minute. */
const USUAL_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000];
/** From here on the delays between two probes stay the same. */
const LONGEST_STEP_MS = 20_000;
/** A window is measured from here, and the way to the gateway takes its time. */
const MARGIN = 0.02;
const SHORTEST_MARGIN_MS = 10;
const LONGEST_MARGIN_MS = 300;
/** Two probes are so many times apart, at least. */
const STEP = 1.2;

const withMargin = (ms: number): number =>
	ms + Math.min(LONGEST_MARGIN_MS, SHORTEST_MARGIN_MS + ms * MARGIN);

/** The age at which a window of unknown length is worth the next probe, after one at this age. */
export const nextUsualLength = (age: number): number =>
	USUAL_MS.map(withMargin).find((ms) => ms > age * STEP) ?? age + LONGEST_STEP_MS;
