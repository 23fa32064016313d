import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Clock } from '../gateway/context';

/** Milliseconds for which a credential that was read is used; what is changed meanwhile counts after that. */
const KEPT_MS = 60_000;

/**
 * Reads a credential once a minute in the place of each time: n8n reads it from its database, decrypts it
 * and evaluates its fields anew at every call, which at thousands of polls is most of what they cost. Each
 * caller gets a copy. What could not be read is tried again.
 */
export function keepCredential(
	clock: Pick<Clock, 'now'>,
	read: () => Promise<ICredentialDataDecryptedObject>,
): () => Promise<ICredentialDataDecryptedObject> {
	let kept: Promise<ICredentialDataDecryptedObject> | undefined;
	let readAt = 0;
	return async () => {
		// A clock that was set back counts as time that has passed.
		if (!kept || Math.abs(clock.now() - readAt) >= KEPT_MS) {
			const reading = read();
			kept = reading;
			readAt = clock.now();
			reading.catch(() => {
				if (kept === reading) kept = undefined;
			});
		}
		return { ...(await kept) };
	};
}
