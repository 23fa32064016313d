import { dice, hash } from '../chance';

/** Pixels as RGBA, row by row. */
export interface Picture {
  width: number;
  height: number;
  data: Buffer;
}

type Colour = [number, number, number];

function colour(hue: number, saturation: number, lightness: number): Colour {
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
export function sizeOf(ratio: unknown, longest: number, fallback: string): { width: number; height: number } {
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
  const roll = dice(hash(text));
  const hue = roll() * 360;
  const turn = 20 + roll() * 60;
  const zenith = colour(hue, 0.55, 0.28 + roll() * 0.2);
  const horizon = colour((hue + turn) % 360, 0.75, 0.68);
  const sun = { x: (0.15 + roll() * 0.7) * width, y: (0.15 + roll() * 0.3) * height, r: (0.06 + roll() * 0.1) * Math.min(width, height) };
  const glow = colour((hue + turn * 2) % 360, 0.9, 0.85);
  const layers = Array.from({ length: 4 }, (_, depth) => ({
    base: 0.5 + depth * 0.12 + roll() * 0.05,
    waves: [1.5 + roll() * 3, 5 + roll() * 6] as const,
    phase: roll() * 6.28,
    tone: colour((hue + 150 + depth * 12) % 360, 0.35, 0.5 - depth * 0.11),
  }));
  const rise = (sun.y + moment * 0.25 * height);
  const data = Buffer.alloc(width * height * 4);
  for (let x = 0; x < width; x++) {
    const crests = layers.map(({ base, waves, phase }, depth) => {
      const at = x / width + moment * 0.05 * (depth + 1);
      return (base + 0.06 * Math.sin(at * waves[0] * 3 + phase) + 0.02 * Math.sin(at * waves[1] * 3 + phase * 2)) * height;
    });
    for (let y = 0; y < height; y++) {
      let shade = mix(zenith, horizon, Math.min(1, y / (height * 0.7)));
      const far = Math.hypot(x - sun.x, y - rise) / sun.r;
      shade = mix(shade, glow, far < 1 ? 1 : Math.max(0, 0.6 - (far - 1) * 0.25));
      for (let depth = 0; depth < layers.length; depth++) {
        if (y >= (crests[depth] as number)) shade = (layers[depth] as (typeof layers)[0]).tone;
      }
      const at = (y * width + x) * 4;
      data[at] = shade[0];
      data[at + 1] = shade[1];
      data[at + 2] = shade[2];
      data[at + 3] = 255;
    }
  }
  return { width, height, data };
}
