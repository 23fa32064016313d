import type { Clock } from '../context';

/** Milliseconds between two pieces that are handed on: less than a reader can see. */
const INTERVAL_MS = 10;

/**
 * Hands on a text while it is written: a piece at once when none went in the last 10 ms, and what comes
 * faster joined. Each piece is a line that n8n compresses and sends by itself, and in queue mode a
 * message through Redis, so a fast model would cost it a thousand of them a second.
 */
export class TextBatcher {
	private waiting = '';
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
		// A clock that was set back counts as time that has passed.
		if (passedMs >= INTERVAL_MS || passedMs < 0) return this.flush();
		this.cancelTimer = this.clock.after(INTERVAL_MS - passedMs, () => this.flush());
	}

	/** Hands on what waits; to be called at the end, however it comes. */
	flush(): void {
		this.cancelTimer?.();
		this.cancelTimer = undefined;
		if (!this.waiting) return;
		const text = this.waiting;
		this.waiting = '';
		this.sentAt = this.clock.now();
		this.onText(text);
	}
}
