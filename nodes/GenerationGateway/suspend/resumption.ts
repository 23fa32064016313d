import { createHash } from 'crypto';
import { systemClock } from '../../n8n/systemClock';

/** While n8n mends what a crash has left, it may refuse to resume an execution. It is done within this time. */
const MENDING_MS = 60_000;

/** Tells the tasks of two suspensions apart. */
const keyOf = (taskIds: readonly string[]) =>
	createHash('sha256').update(taskIds.join()).digest('base64');

/** Sees to it that the suspension with the same tasks is resumed only once. */
export class Resumption {
	/** Of the tasks. Empty: the execution is not resumed. */
	private key = '';
	/**
	 * `making`: the items are made. `taken`: n8n has them, and may keep them in a queue for hours while it says
	 * that the execution waits. `confirmed`: n8n says that it has gone on.
	 */
	private state: 'making' | 'taken' | 'confirmed' = 'making';
	private takenAt = Infinity;
	/** n8n certainly keeps a resume for these tasks: this process has suspended the execution, or resumes it again. */
	private keptKey = '';

	/** The items are being made, or n8n has them and has not said yet that the execution has gone on. */
	get isPending(): boolean {
		return this.key !== '' && this.state !== 'confirmed';
	}

	/** This process suspends the execution with these tasks. */
	suspend(taskIds: readonly string[]): void {
		this.keptKey = keyOf(taskIds);
		this.forget();
	}

	/** The answer to a call for tasks that are resumed: their items are made, which may fail, or n8n has them. */
	answerEarly(taskIds: readonly string[]): 'again' | 'received' | undefined {
		const key = keyOf(taskIds);
		if (this.key !== key) return undefined;
		if (this.state === 'making') return 'again';
		const mayBeRefused = this.state === 'taken' && key !== this.keptKey;
		const isOver = systemClock.now() - this.takenAt >= MENDING_MS;
		return mayBeRefused && isOver ? undefined : 'received';
	}

	/** The items are being made. */
	start(taskIds: readonly string[]): void {
		const key = keyOf(taskIds);
		if (this.key === key) this.keptKey = key;
		this.key = key;
		this.state = 'making';
	}

	/** Nothing is resumed: the items could not be made, or the execution is suspended anew. */
	forget(): void {
		this.key = '';
	}

	/** n8n has the items. */
	succeed(): void {
		this.state = 'taken';
		this.takenAt = systemClock.now();
	}

	/** n8n says that the execution has gone on. */
	confirm(): void {
		this.state = 'confirmed';
	}
}
