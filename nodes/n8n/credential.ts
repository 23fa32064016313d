import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';
import { systemClock } from './systemClock';

export const CREDENTIAL = 'generationGatewayApi';

/** Any node of n8n that has the credential. */
export type CredentialReader = Pick<IExecuteFunctions, 'getCredentials'>;

/** Milliseconds for which a credential that was read is used; what is changed meanwhile counts after that. */
const KEPT_MS = 5_000;

/**
 * Keeps a credential for a moment: n8n reads it from its database, decrypts it and evaluates its fields
 * anew at every call, which at thousands of polls is most of what they cost. What could not be read is
 * not kept.
 */
export class CredentialCache {
	private static readonly ofNodes = new WeakMap<CredentialReader, CredentialCache>();

	/** The cache of a run, for all that it does. */
	static of(node: CredentialReader): CredentialCache {
		const cache = CredentialCache.ofNodes.get(node) ?? new CredentialCache();
		cache.attach(node);
		return cache;
	}

	private kept: Promise<ICredentialDataDecryptedObject> | undefined;
	private readAt = 0;
	private isStale = false;

	constructor(private readonly keptMs = KEPT_MS) {}

	/** Makes it the cache of this run as well. */
	attach(node: CredentialReader): void {
		CredentialCache.ofNodes.set(node, this);
	}

	/** A copy that is kept for so many milliseconds in all. */
	withTtl(keptMs: number): CredentialCache {
		const cache = new CredentialCache(keptMs);
		Object.assign(cache, { kept: this.kept, readAt: this.readAt, isStale: this.isStale });
		return cache;
	}

	/** It may have been replaced. What was said about it still has to be searched for its key. */
	markStale(): void {
		this.isStale = true;
	}

	/** Before a request: what is stale is read anew for it. */
	renew(): void {
		if (this.isStale) this.forget();
	}

	/** Nobody needs it any more, or it has to be read anew. */
	forget(): void {
		this.kept = undefined;
		this.isStale = false;
	}

	/** The credential that is kept, or as the node reads it now; a copy for each caller. */
	async read(node: CredentialReader): Promise<ICredentialDataDecryptedObject> {
		// A clock that was set back counts as time that has passed.
		if (!this.kept || Math.abs(systemClock.now() - this.readAt) >= this.keptMs) {
			const reading = node.getCredentials(CREDENTIAL);
			this.kept = reading;
			this.readAt = systemClock.now();
			reading.catch(() => {
				if (this.kept === reading) this.kept = undefined;
			});
		}
		return { ...(await this.kept) };
	}
}

/** The credential of a node, which a run reads every few seconds at most. */
export const readCredential = async (
	node: CredentialReader,
): Promise<ICredentialDataDecryptedObject> => await CredentialCache.of(node).read(node);
