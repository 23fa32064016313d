import { createHash } from 'node:crypto';
import type { Sandbox, Settings } from '../../sandbox';

/** Keys that occur nowhere else, so that one found anywhere is a leak. */
export interface Account {
	key: string;
	/** The key of somebody else's account. */
	otherKey: string;
	settings: Pick<Settings, 'accounts'>;
}

const createKey = (seed: number, whose: string) =>
	`gk-${createHash('sha256').update(`${whose} ${seed}`).digest('hex').slice(0, 32)}`;

export function createAccount(seed: number): Account {
	const [key, otherKey] = [createKey(seed, 'own'), createKey(seed, 'other')];
	return { key, otherKey, settings: { accounts: { [key]: 'main', [otherKey]: 'other' } } };
}

/** Searches for keys in everything that leaves the nodes. */
export class LeakDetector {
	readonly found: string[] = [];

	constructor(private readonly account: Account) {}

	/** Records `where` if a key occurs in a text, or in anything that can be written as JSON. */
	scan(where: string, content: unknown): void {
		const text =
			typeof content === 'string'
				? content
				: Buffer.isBuffer(content)
					? content.toString('latin1')
					: serialize(content);
		if ([this.account.key, this.account.otherKey].some((key) => text.includes(key)))
			this.found.push(where);
	}

	/** Adds what the sandbox recorded: keys sent to the file host, and keys in request bodies. */
	scanSandbox(sandbox: Sandbox): void {
		this.found.push(...sandbox.leaks.map((leak) => `sent to the result host: ${leak}`));
		for (const { body, method, path } of sandbox.requests)
			this.scan(`body of ${method} ${path}`, body);
	}
}

/** JSON with the text of errors, and without circular references. */
function serialize(content: unknown): string {
	const seen = new Set<object>();
	const json = JSON.stringify(content, (_name, value: unknown) => {
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return undefined;
		seen.add(value);
		return value instanceof Error
			? { ...value, message: value.message, stack: value.stack }
			: value;
	});
	return json ?? '';
}
