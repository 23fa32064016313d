import axios from 'axios';
import type { Address } from './workflows/flow';
import { IMAGE_MODEL } from './workflows/ours';

/** How long a request that names no time waits: a second, and up to as much again. */
const DELAY_MS = 1_000;
/** The longest time a row may wait, as for ours. */
const LONGEST_WAIT_MS = 20 * 60_000;

const sleep = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Submits a task for each prompt as a plain client outside n8n would: additive increase, multiplicative
 * decrease, and each refused request again when its Retry-After is over.
 */
export async function submitByAimd({ url, key }: Address, prompts: string[]): Promise<void> {
	let [window, active] = [20, 0];
	const waiting: (() => void)[] = [];
	const startNext = () => {
		while (active < Math.floor(window) && waiting.length) {
			active += 1;
			waiting.shift()!();
		}
	};
	const submit = async (prompt: string): Promise<void> => {
		await new Promise<void>((resolve) => {
			waiting.push(resolve);
			startNext();
		});
		const { status, headers } = await axios.post(
			`${url}/v1/tasks`,
			{ model: IMAGE_MODEL, prompt },
			{ headers: { authorization: `Bearer ${key}` }, validateStatus: () => true },
		);
		active -= 1;
		const isRefused = status === 429;
		window = isRefused ? Math.max(1, window / 2) : window + 1;
		startNext();
		if (!isRefused) return;
		const requestedMs = Number(headers['retry-after'] ?? 0) * 1_000;
		if (requestedMs > LONGEST_WAIT_MS) throw new Error('It is told to wait for too long');
		await sleep(requestedMs || DELAY_MS * (1 + Math.random()));
		await submit(prompt);
	};
	await Promise.allSettled(prompts.map(submit));
}
