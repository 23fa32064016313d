/** Reads a stream in parts of a given length. Keeps only what was read ahead. */
export class PieceReader {
	private readonly pieces: AsyncIterator<Uint8Array>;
	private ahead: Buffer = Buffer.alloc(0);

	constructor(pieces: AsyncIterable<Uint8Array>) {
		this.pieces = pieces[Symbol.asyncIterator]();
	}

	/** Looks at the next bytes. Fewer at the end. */
	async peek(length: number): Promise<Buffer> {
		while (this.ahead.length < length && (await this.pull()));
		return this.ahead.subarray(0, length);
	}

	/** Takes the next bytes. Fewer at the end. */
	async read(length: number): Promise<Buffer> {
		const bytes = await this.peek(length);
		this.ahead = this.ahead.subarray(bytes.length);
		return bytes;
	}

	/** Passes on the next bytes as they come. Returns how many are missing at the end. */
	async *take(length: number): AsyncGenerator<Uint8Array, number> {
		let missing = length;
		while (missing > 0 && (this.ahead.length || (await this.pull()))) {
			const piece = await this.read(Math.min(missing, this.ahead.length));
			missing -= piece.length;
			if (piece.length) yield piece;
		}
		return missing;
	}

	/** Passes on all that is left. */
	async *rest(): AsyncGenerator<Uint8Array> {
		try {
			yield* this.take(Infinity);
		} finally {
			await this.close();
		}
	}

	async close(): Promise<void> {
		await this.pieces.return?.();
	}

	private async pull(): Promise<boolean> {
		const { done, value } = await this.pieces.next();
		if (done) return false;
		const piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
		this.ahead = this.ahead.length ? Buffer.concat([this.ahead, piece]) : piece;
		return true;
	}
}
