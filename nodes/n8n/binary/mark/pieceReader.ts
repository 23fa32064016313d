/** Reads a stream of bytes in parts of a given length. It keeps only what was read ahead and not taken yet. */
export class PieceReader {
	private readonly pieces: AsyncIterator<Uint8Array>;
	private ahead: Buffer = Buffer.alloc(0);

	constructor(pieces: AsyncIterable<Uint8Array>) {
		this.pieces = pieces[Symbol.asyncIterator]();
	}

	/** The next bytes, which stay where they are; fewer at the end of the stream. */
	async peek(length: number): Promise<Buffer> {
		while (this.ahead.length < length && (await this.pull()));
		return this.ahead.subarray(0, length);
	}

	/** The next bytes as one; fewer at the end of the stream. */
	async read(length: number): Promise<Buffer> {
		const bytes = await this.peek(length);
		this.ahead = this.ahead.subarray(bytes.length);
		return bytes;
	}

	/** Passes on the next bytes in pieces as they come. Returns how many are missing where the stream ends earlier. */
	async *take(length: number): AsyncGenerator<Uint8Array, number> {
		let missing = length;
		while (missing > 0 && (this.ahead.length || (await this.pull()))) {
			const piece = await this.read(Math.min(missing, this.ahead.length));
			missing -= piece.length;
			if (piece.length) yield piece;
		}
		return missing;
	}

	/** Ends the stream where it was not read to its end. */
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
