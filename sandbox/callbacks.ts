import { setMaxListeners } from 'node:events';
import axios from 'axios';
import type { TaskStore } from './taskStore';
import type { CallbackMode, Settings } from './settings';
import type { Task } from './task';
import type { Timers } from './timers';
import type { TaskFormatter } from './taskFormatter';

/** `succeeded` is the same event as `completed` (section 6). */
const toEventName = (word: string): string => (word === 'succeeded' ? 'completed' : word);

function isWanted(task: Task): boolean {
	const { callback_events: events } = task.body;
	return (
		!Array.isArray(events) || events.some((event) => toEventName(String(event)) === task.outcome)
	);
}

/** One signal for any number of calls at once, without Node's warning about many listeners. */
function createAbortController(): AbortController {
	const controller = new AbortController();
	setMaxListeners(0, controller.signal);
	return controller;
}

/** Calls back at the end of tasks that asked for it: one timer per such task. */
export class Callbacks {
	private readonly scheduled = new Map<string, () => void>();
	private abortController = createAbortController();

	constructor(
		private readonly settings: Settings,
		private readonly taskStore: TaskStore,
		private readonly view: TaskFormatter,
		private readonly timers: Timers,
	) {
		taskStore.onEnded = (task) => this.send(task);
	}

	schedule(task: Task): void {
		if (typeof task.body.callback_url !== 'string') return;
		const remainingMs = task.endsAt - this.settings.now();
		if (this.getMode(task) === 'early') {
			this.timers.schedule(remainingMs / 2, () => {
				if (!this.taskStore.isOver(task)) void this.sendWithRetry(task);
			});
		}
		this.scheduled.set(
			task.id,
			this.timers.schedule(remainingMs + 1, () => void this.send(task)),
		);
	}

	/** Cancels scheduled callbacks and aborts those being sent. */
	cancelAll(): void {
		this.abortController.abort();
		this.abortController = createAbortController();
		for (const cancel of this.scheduled.values()) cancel();
		this.scheduled.clear();
	}

	/** Resolves when the callback was delivered, given up, or not requested. */
	private async send(task: Task): Promise<void> {
		const cancel = this.scheduled.get(task.id);
		if (cancel === undefined) return;
		cancel();
		this.scheduled.delete(task.id);
		const mode = this.getMode(task);
		if (mode === 'lost') return;
		await Promise.all(
			mode === 'doubled'
				? [this.sendWithRetry(task), this.sendWithRetry(task)]
				: [this.sendWithRetry(task)],
		);
	}

	private getMode(task: Task): CallbackMode {
		const { callbacks } = this.settings;
		return typeof callbacks === 'function' ? callbacks(task.body) : callbacks;
	}

	private async sendWithRetry(task: Task): Promise<void> {
		if (!isWanted(task)) return;
		const { attempts, delayMs } = this.settings.callbackRetry;
		const { signal } = this.abortController;
		for (let attempt = 1; attempt <= attempts; attempt++) {
			if ((await this.sendOnce(task, signal)) || signal.aborted) return;
			if (attempt < attempts) await this.timers.delay(delayMs * attempt);
			if (signal.aborted) return;
		}
	}

	private async sendOnce(task: Task, signal: AbortSignal): Promise<boolean> {
		const url = String(task.body.callback_url);
		const { callbackPayload, callbackRetry, now } = this.settings;
		task.callbacks += 1;
		try {
			const { status, data } = await axios.post(
				url,
				callbackPayload(this.view.toFinalObject(task)),
				{
					signal,
					timeout: callbackRetry.timeoutMs,
					maxRedirects: 0,
					validateStatus: () => true,
					proxy: false,
				},
			);
			const isDelivered = status >= 200 && status < 300;
			const refusal = isDelivered ? {} : { refusal: data as unknown };
			task.deliveries.push({ at: now(), url, status, ...refusal });
			return isDelivered;
		} catch {
			task.deliveries.push({ at: now(), url });
			return false;
		}
	}
}
