import { createRandom } from '../random';

/** Pixels as RGBA, row by row. */
export interface Picture {
	width: number;
	height: number;
	data: Buffer;
}

type Colour = [number, number, number];

function createColour(hue: number, saturation: number, lightness: number): Colour {
	const channel = (offset: number): number => {
		const k = (offset + hue / 30) % 12;
		const chroma = saturation * Math.min(lightness, 1 - lightness);
		return Math.round(255 * (lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};
	return [channel(0), channel(8), channel(4)];
}

const mix = (from: Colour, to: Colour, share: number): Colour => [
	from[0] + (to[0] - from[0]) * share,
	from[1] + (to[1] - from[1]) * share,
	from[2] + (to[2] - from[2]) * share,
];

/** Width and height with the wanted ratio ("16:9"), the longer side given; both even. */
export function sizeOf(
	ratio: unknown,
	longest: number,
	fallback: string,
): { width: number; height: number } {
	const parse = (text: unknown): number | undefined => {
		const parts = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(String(text));
		return parts ? Number(parts[1]) / Number(parts[2]) : undefined;
	};
	const wanted = parse(ratio) ?? parse(fallback) ?? 1;
	const even = (side: number): number => Math.max(16, Math.round(side / 2) * 2);
	return wanted >= 1
		? { width: longest, height: even(longest / wanted) }
		: { width: even(longest * wanted), height: longest };
}

/**
 * A landscape that belongs to this text and nothing else: sky, sun and hills.
 * `moment` from 0 to 1 moves the sun and lets the hills drift.
 */
export function paint(text: string, width: number, height: number, moment = 0): Picture {
	const random = createRandom(text);
	const hue = random() * 360;
	const turn = 20 + random() * 60;
	const zenith = createColour(hue, 0.55, 0.28 + random() * 0.2);
	const horizon = createColour((hue + turn) % 360, 0.75, 0.68);
	const sun = {
		x: (0.15 + random() * 0.7) * width,
		y: (0.15 + random() * 0.3) * height,
		r: (0.06 + random() * 0.1) * Math.min(width, height),
	};
	const glow = createColour((hue + turn * 2) % 360, 0.9, 0.85);
	const layers = Array.from({ length: 4 }, (_, depth) => ({
		base: 0.5 + depth * 0.12 + random() * 0.05,
		waves: [1.5 + random() * 3, 5 + random() * 6] as const,
		phase: random() * 6.28,
		tone: createColour((hue + 150 + depth * 12) % 360, 0.35, 0.5 - depth * 0.11),
	}));
	const rise = sun.y + moment * 0.25 * height;
	const crests = layers.map(({ base, waves, phase }, depth) =>
		Float64Array.from({ length: width }, (_, x) => {
			const at = x / width + moment * 0.05 * (depth + 1);
			const wave =
				0.06 * Math.sin(at * waves[0] * 3 + phase) + 0.02 * Math.sin(at * waves[1] * 3 + phase * 2);
			return (base + wave) * height;
		}),
	);
	const hill = (x: number, y: number): Colour | undefined => {
		for (let depth = layers.length - 1; depth >= 0; depth--) {
			if (y >= (crests[depth]?.[x] ?? height)) return layers[depth]?.tone;
		}
		return undefined;
	};
	const data = Buffer.alloc(width * height * 4, 255);
	for (let y = 0, at = 0; y < height; y++) {
		const sky = mix(zenith, horizon, Math.min(1, y / (height * 0.7)));
		for (let x = 0; x < width; x++, at += 4) {
			const shade = hill(x, y) ?? sky;
			const far = shade === sky ? Math.sqrt((x - sun.x) ** 2 + (y - rise) ** 2) / sun.r : Infinity;
			const light = far < 1 ? 1 : Math.max(0, 0.6 - (far - 1) * 0.25);
			for (let channel = 0; channel < 3; channel++) {
				const base = shade[channel] as number;
				data[at + channel] = light === 0 ? base : base + ((glow[channel] as number) - base) * light;
			}
		}
	}
	return { width, height, data };
}
