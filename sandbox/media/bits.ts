/** Writes bits into bytes: most significant first (H.264) or least significant first (WebP). */
export class Bits {
	private readonly bytes: number[] = [];
	private current = 0;
	private filled = 0;

	constructor(private readonly order: 'msb' | 'lsb') {}

	put(value: number, width: number): this {
		for (let i = 0; i < width; i++) {
			const bit = this.order === 'msb' ? (value >>> (width - 1 - i)) & 1 : (value >>> i) & 1;
			this.current |= this.order === 'msb' ? bit << (7 - this.filled) : bit << this.filled;
			this.filled += 1;
			if (this.filled === 8) this.flush();
		}
		return this;
	}

	/** Unsigned Exp-Golomb. */
	golomb(value: number): this {
		const width = 31 - Math.clz32(value + 1);
		return this.put(0, width).put(value + 1, width + 1);
	}

	align(): this {
		if (this.filled > 0) this.flush();
		return this;
	}

	byte(value: number): void {
		this.bytes.push(value);
	}

	toBuffer(): Buffer {
		this.align();
		return Buffer.from(this.bytes);
	}

	private flush(): void {
		this.bytes.push(this.current);
		this.current = 0;
		this.filled = 0;
	}
}
