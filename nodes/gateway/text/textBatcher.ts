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
		if (passedMs >= INTERVAL_MS) return this.send();
		this.cancelTimer = this.clock.after(INTERVAL_MS - passedMs, () => this.send());
	}

	/** To be called at the end. */
	flush(): void {
		this.send(true);
	}

	private send(isLast = false): void {
		this.cancelTimer?.();
		this.cancelTimer = undefined;
		// The other half of the character is still to come.
		const isHalf = !isLast && /[\ud800-\udbff]$/.test(this.waiting);
		const text = isHalf ? this.waiting.slice(0, -1) : this.waiting;
		if (!text) return;
		this.waiting = this.waiting.slice(text.length);
		this.sentAt = this.clock.now();
		this.hasSent = true;
		this.onText(text);
	}
}
