import type { Clock } from '../context';

/** Between two pieces, in milliseconds. Nobody sees less. */
const INTERVAL_MS = 10;

/** Joins pieces of a text that come faster than every 10 ms: n8n compresses and sends each, in queue mode through Redis. */
export class TextBatcher {
	private waiting = '';
	hasSent = false;
	private sentAt = -Infinity;
	private cancelTimer: (() => void) | undefined;

	constructor(
		private readonly clock: Clock,
		private readonly onText: (text: string) => void,
	) {}

	add(text: string): void {
		this.waiting += text;
		if (this.cancelTimer) return;
		const passedMs = this.clock.now() - this.sentAt;
		if (passedMs >= INTERVAL_MS) return this.flush();
		this.cancelTimer = this.clock.after(INTERVAL_MS - passedMs, () => this.flush());
	}

	/** To be called at the end. */
	flush(): void {
		this.cancelTimer?.();
		this.cancelTimer = undefined;
		if (!this.waiting) return;
		const text = this.waiting;
		this.waiting = '';
		this.sentAt = this.clock.now();
		this.hasSent = true;
		this.onText(text);
	}
}
