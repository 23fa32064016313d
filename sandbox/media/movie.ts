import { frame, parameters, sequence } from './h264';
import { paint } from './picture';

const box = (type: string, ...parts: Buffer[]): Buffer => {
	const body = Buffer.concat(parts);
	const head = Buffer.alloc(8);
	head.writeUInt32BE(body.length + 8, 0);
	head.write(type, 4, 'latin1');
	return Buffer.concat([head, body]);
};

const u8 = (...numbers: number[]): Buffer => Buffer.from(numbers);
const text = (value: string): Buffer => Buffer.from(value, 'latin1');

function u16(...numbers: number[]): Buffer {
	const out = Buffer.alloc(numbers.length * 2);
	numbers.forEach((value, i) => out.writeUInt16BE(value, i * 2));
	return out;
}

function u32(...numbers: number[]): Buffer {
	const out = Buffer.alloc(numbers.length * 4);
	numbers.forEach((value, i) => out.writeUInt32BE(value >>> 0, i * 4));
	return out;
}

const identity = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

interface Track {
	width: number;
	height: number;
	seconds: number;
	frames: Buffer[];
}

function sampleEntry({ width, height }: Track): Buffer {
	const sps = sequence(width, height);
	const pps = parameters();
	const config = box(
		'avcC',
		u8(1, sps[1] as number, sps[2] as number, sps[3] as number, 0xff, 0xe1),
		u16(sps.length),
		sps,
		u8(1),
		u16(pps.length),
		pps,
	);
	return box(
		'avc1',
		u32(0),
		u16(0, 1),
		u32(0, 0, 0, 0),
		u16(width, height),
		u32(0x480000, 0x480000, 0),
		u16(1),
		Buffer.alloc(32),
		u16(24, 0xffff),
		config,
	);
}

function moov(track: Track, dataAt: number): Buffer {
	const { width, height, seconds, frames } = track;
	const length = seconds * 1000;
	const samples = box(
		'stbl',
		box('stsd', u32(0, 1), sampleEntry(track)),
		box('stts', u32(0, 1, frames.length, Math.round(length / frames.length))),
		box('stsc', u32(0, 1, 1, frames.length, 1)),
		box('stsz', u32(0, 0, frames.length, ...frames.map((frame) => frame.length))),
		box('stco', u32(0, 1, dataAt)),
	);
	const media = box(
		'minf',
		box('vmhd', u32(1), u16(0, 0, 0, 0)),
		box('dinf', box('dref', u32(0, 1), box('url ', u32(1)))),
		samples,
	);
	return box(
		'moov',
		box(
			'mvhd',
			u32(0, 0, 0, 1000, length, 0x10000),
			u16(0x100, 0),
			u32(0, 0),
			identity,
			Buffer.alloc(24),
			u32(2),
		),
		box(
			'trak',
			box(
				'tkhd',
				u32(3, 0, 0, 1, 0, length, 0, 0),
				u16(0, 0, 0, 0),
				identity,
				u32(width << 16, height << 16),
			),
			box(
				'mdia',
				box('mdhd', u32(0, 0, 0, 1000, length), u16(0x55c4, 0)),
				box('hdlr', u32(0, 0), text('vide'), u32(0, 0, 0), text('sandbox\0')),
				media,
			),
		),
	);
}

/** A short H.264 film of the picture that belongs to this text. */
export function createMovie(title: string, width: number, height: number, seconds: number): Buffer {
	const count = 6;
	const frames = Array.from({ length: count }, (_, i) => {
		const unit = frame(paint(title, width, height, i / count), i);
		return Buffer.concat([u32(unit.length), unit]);
	});
	const track = { width, height, seconds, frames };
	const ftyp = box('ftyp', text('isom'), u32(0x200), text('isomiso2avc1mp41'));
	const dataAt = ftyp.length + moov(track, 0).length + 8;
	return Buffer.concat([ftyp, moov(track, dataAt), box('mdat', ...frames)]);
}
