import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const hash = (value: unknown): string =>
	createHash('sha256').update(JSON.stringify(value)).digest('hex');

/**
 * What earlier starts have brought into n8n's data, by a fingerprint each: what a user has changed in
 * the editor since is not overwritten, and a start with nothing new skips n8n's slow command line.
 */
export class Imported {
	private constructor(
		private readonly file: string,
		private readonly known: Record<string, string>,
	) {}

	/** @param userFolder the record lies beside n8n's database and goes with it */
	static async read(userFolder: string): Promise<Imported> {
		const file = path.join(userFolder, '.n8n', 'generation-gateway.json');
		const known = await readFile(file, 'utf8').then(
			(text) => JSON.parse(text) as Record<string, string>,
			() => ({}),
		);
		return new Imported(file, known);
	}

	has(name: string): boolean {
		return name in this.known;
	}

	/** Whether it is there as it is now. */
	isSame(name: string, value: unknown): boolean {
		return this.known[name] === hash(value);
	}

	/** Notes what was brought in. */
	async note(items: Record<string, unknown>): Promise<void> {
		for (const [name, value] of Object.entries(items)) this.known[name] = hash(value);
		await mkdir(path.dirname(this.file), { recursive: true });
		await writeFile(this.file, JSON.stringify(this.known), { mode: 0o600 });
	}
}
