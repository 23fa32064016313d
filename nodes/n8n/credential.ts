import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Clock } from '../gateway/context';

/** Milliseconds for which a credential that was read is used; what is changed meanwhile counts after that. */
const KEPT_MS = 5_000;

/**
 * Keeps a credential for a moment: n8n reads it from its database, decrypts it and evaluates its fields
 * anew at every call, which at thousands of polls is most of what they cost. What could not be read is
 * not kept.
 */
export class CredentialCache {
	private kept: Promise<ICredentialDataDecryptedObject> | undefined;
	private readAt = 0;

	constructor(
		private readonly clock: Pick<Clock, 'now'>,
		private readonly keptMs = KEPT_MS,
	) {}

	/** What is kept now, to be kept for so many milliseconds in all. */
	keptFor(keptMs: number): CredentialCache {
		const cache = new CredentialCache(this.clock, keptMs);
		[cache.kept, cache.readAt] = [this.kept, this.readAt];
		return cache;
	}

	/** It is read anew for the next request: it may have been changed. */
	forget(): void {
		this.kept = undefined;
	}

	/** The credential that is kept, or as it is read now; a copy for each caller. */
	async get(
		read: () => Promise<ICredentialDataDecryptedObject>,
	): Promise<ICredentialDataDecryptedObject> {
		// A clock that was set back counts as time that has passed.
		if (!this.kept || Math.abs(this.clock.now() - this.readAt) >= this.keptMs) {
			const reading = read();
			this.kept = reading;
			this.readAt = this.clock.now();
			reading.catch(() => {
				if (this.kept === reading) this.kept = undefined;
			});
		}
		return { ...(await this.kept) };
	}
}
