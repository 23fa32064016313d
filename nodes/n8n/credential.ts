import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';
import { GatewayError } from '../gateway/errors';
import { systemClock } from './systemClock';

export const CREDENTIAL = 'generationGatewayApi';

export type CredentialReader = Pick<IExecuteFunctions, 'getCredentials'>;

/** n8n cannot evaluate an expression, e.g. one of the credential. */
export const isExpressionError = (error: unknown): boolean =>
	/^Expression\w*Error$/.test((error as Partial<Error>).name ?? '');

/** n8n refuses the credential. Otherwise its database is away. */
const isRefusal = ({ message }: Error): boolean => /credential/i.test(message);

/** Whether a copy stays valid. An expression may need an item. */
const isCopyValid = (error: Error): boolean => isExpressionError(error) || !isRefusal(error);

/** A change counts after this time. */
const KEPT_MS = 5_000;

/** Keeps a credential for a moment: reading it at every call would be most of the cost of thousands of polls. */
export class CredentialCache {
	private static readonly ofNodes = new WeakMap<CredentialReader, CredentialCache>();

	/** The cache of a run. */
	static of(node: CredentialReader): CredentialCache {
		const cache = CredentialCache.ofNodes.get(node) ?? new CredentialCache();
		cache.attach(node);
		return cache;
	}

	private kept: Promise<ICredentialDataDecryptedObject> | undefined;
	private readAt = 0;
	private isStale = false;

	/** `keptMs`: a suspension makes it longer. */
	constructor(public keptMs = KEPT_MS) {}

	/** Makes it the cache of this run as well. */
	attach(node: CredentialReader): void {
		CredentialCache.ofNodes.set(node, this);
	}

	/** It may have been replaced. It is still needed to search responses for the key. */
	markStale(): void {
		this.isStale = true;
	}

	/** Before a request: a stale credential is read again. */
	renew(): void {
		if (this.isStale) this.expire();
	}

	/** It is read again. */
	expire(): void {
		this.readAt = -Infinity;
		this.isStale = false;
	}

	forget(): void {
		this.kept = undefined;
		this.isStale = false;
	}

	/** A copy for each caller. `keeps`: the errors after which the credential that was read before is used. */
	async read(node: CredentialReader, keeps = isCopyValid): Promise<ICredentialDataDecryptedObject> {
		if (!this.kept || systemClock.now() - this.readAt >= this.keptMs) {
			const { kept } = this;
			const reading = node.getCredentials(CREDENTIAL).catch((error: Error) => {
				if (kept && keeps(error)) return kept;
				throw error;
			});
			this.kept = reading;
			this.readAt = systemClock.now();
			reading.catch(() => {
				if (this.kept === reading) this.kept = undefined;
			});
		}
		return { ...(await this.kept) };
	}
}

/** Rejects with a GatewayError. */
export async function readCredential(
	node: CredentialReader,
): Promise<ICredentialDataDecryptedObject> {
	return await CredentialCache.of(node)
		.read(node)
		.catch((error: Error) => {
			throw toCredentialError(error);
		});
}

const NO_CREDENTIAL =
	'Choose a credential under Credential, or create one from Base URL and API Key of your gateway.';
const OTHER_KEY =
	'Start all processes of n8n with the same N8N_ENCRYPTION_KEY. If the key of this credential is lost, enter its API Key again.';

function toCredentialError(error: Error): GatewayError {
	const { message } = error;
	if (isExpressionError(error))
		return new GatewayError('invalid_credential', `Credential: ${message}`, { cause: error });
	if (isRefusal(error))
		return new GatewayError('invalid_credential', message, {
			hint: /decrypted/i.test(message) ? OTHER_KEY : NO_CREDENTIAL,
			cause: error,
		});
	const reason = message.slice(0, 200);
	return new GatewayError('connection_failed', `n8n could not read the credential (${reason})`, {
		hint: 'Run again when n8n reaches its database.',
		details: { billed: 0 },
		cause: error,
	});
}

/** The API key. Empty where it cannot be read. */
export async function getSecret(node: CredentialReader): Promise<string> {
	const { apiKey } = await readCredential(node).catch(() => ({ apiKey: '' }));
	return String(apiKey ?? '').trim();
}
