import { createHash } from 'node:crypto';
import type { Sandbox, Settings } from '../../sandbox';

/** Keys that occur nowhere else, so that finding one anywhere is finding a leak. */
export interface Account {
	key: string;
	/** The key of somebody else's account. */
	otherKey: string;
	settings: Pick<Settings, 'accounts'>;
}

const keyOf = (seed: number, whose: string) =>
	`gk-${createHash('sha256').update(`${whose} ${seed}`).digest('hex').slice(0, 32)}`;

export function accountBy(seed: number): Account {
	const [key, otherKey] = [keyOf(seed, 'own'), keyOf(seed, 'other')];
	return { key, otherKey, settings: { accounts: { [key]: 'main', [otherKey]: 'other' } } };
}

/** Looks for keys in whatever leaves the nodes. */
export class LeakWatch {
	readonly found: string[] = [];

	constructor(private readonly account: Account) {}

	/** Notes where a key stands in a text, or in anything that can be written as JSON. */
	look(where: string, content: unknown): void {
		const text =
			typeof content === 'string'
				? content
				: Buffer.isBuffer(content)
					? content.toString('latin1')
					: written(content);
		if ([this.account.key, this.account.otherKey].some((key) => text.includes(key)))
			this.found.push(where);
	}

	/** Takes over what the sandbox saw: keys sent to the host of the results, and keys in what it was asked to call or make. */
	lookAt(sandbox: Sandbox): void {
		this.found.push(...sandbox.leaks.map((leak) => `sent to the result host: ${leak}`));
		for (const { body, method, path } of sandbox.requests)
			this.look(`body of ${method} ${path}`, body);
	}
}

/** Also what JSON leaves out: the text of errors, and what stands twice in itself. */
function written(content: unknown): string {
	const seen = new Set<object>();
	const told = JSON.stringify(content, (_name, value: unknown) => {
		if (typeof value !== 'object' || value === null) return value;
		if (seen.has(value)) return undefined;
		seen.add(value);
		return value instanceof Error
			? { ...value, message: value.message, stack: value.stack }
			: value;
	});
	return told ?? '';
}
