import { setMaxListeners } from 'node:events';
import axios from 'axios';
import type { Ledger } from './taskStore';
import type { CallbackMode, Settings } from './settings';
import type { Task } from './task';
import type { Timers } from './timers';
import type { TaskView } from './view';

/** `succeeded` is the same event as `completed` (section 6). */
const eventName = (word: string): string => (word === 'succeeded' ? 'completed' : word);

function wants(task: Task): boolean {
	const { callback_events: events } = task.body;
	return (
		!Array.isArray(events) || events.some((event) => eventName(String(event)) === task.outcome)
	);
}

/** Any number of calls at once end with one signal. */
function newKnocking(): AbortController {
	const controller = new AbortController();
	setMaxListeners(0, controller.signal);
	return controller;
}

/** Calls back at the end of tasks that asked for it: one timer per such task. */
export class Callbacks {
	private readonly planned = new Map<string, () => void>();
	private knocking = newKnocking();

	constructor(
		private readonly settings: Settings,
		private readonly ledger: Ledger,
		private readonly view: TaskView,
		private readonly timers: Timers,
	) {
		ledger.ended = (task) => this.ring(task);
	}

	plan(task: Task): void {
		if (typeof task.body.callback_url !== 'string') return;
		const left = task.endsAt - this.settings.now();
		if (this.modeOf(task) === 'early') {
			this.timers.after(left / 2, () => {
				if (!this.ledger.isOver(task)) void this.deliver(task);
			});
		}
		this.planned.set(
			task.id,
			this.timers.after(left + 1, () => void this.ring(task)),
		);
	}

	/** Drops what is planned and breaks off what is under way. */
	forget(): void {
		this.knocking.abort();
		this.knocking = newKnocking();
		for (const cancel of this.planned.values()) cancel();
		this.planned.clear();
	}

	/** Resolves when the callback was delivered, given up, or not wanted. */
	private async ring(task: Task): Promise<void> {
		const cancel = this.planned.get(task.id);
		if (cancel === undefined) return;
		cancel();
		this.planned.delete(task.id);
		const mode = this.modeOf(task);
		if (mode === 'lost') return;
		await Promise.all(
			mode === 'doubled' ? [this.deliver(task), this.deliver(task)] : [this.deliver(task)],
		);
	}

	private modeOf(task: Task): CallbackMode {
		const { callbacks } = this.settings;
		return typeof callbacks === 'function' ? callbacks(task.body) : callbacks;
	}

	private async deliver(task: Task): Promise<void> {
		if (!wants(task)) return;
		const { attempts, delayMs } = this.settings.callbackRetry;
		const { signal } = this.knocking;
		for (let attempt = 1; attempt <= attempts; attempt++) {
			if ((await this.knock(task, signal)) || signal.aborted) return;
			if (attempt < attempts) await this.timers.pause(delayMs * attempt);
			if (signal.aborted) return;
		}
	}

	private async knock(task: Task, signal: AbortSignal): Promise<boolean> {
		const url = String(task.body.callback_url);
		const { callbackPayload, callbackRetry, now } = this.settings;
		task.callbacks += 1;
		try {
			const { status } = await axios.post(url, callbackPayload(this.view.terminal(task)), {
				signal,
				timeout: callbackRetry.timeoutMs,
				maxRedirects: 0,
				validateStatus: () => true,
				proxy: false,
			});
			task.deliveries.push({ at: now(), url, status });
			return status >= 200 && status < 300;
		} catch {
			task.deliveries.push({ at: now(), url });
			return false;
		}
	}
}
