import type { Machine } from './machine';

/** What a measure found, as it stands in docs/benchmarks.json: tables, what had to be reached, and what is drawn. */
export interface Result {
	name: string;
	title: string;
	/** What was done, for the reader of the page: one paragraph each. */
	description: string[];
	tables: Table[];
	targets: Target[];
	plots: Plot[];
}

/** docs/benchmarks.json: each measure with the machine it was taken on. */
export interface Records {
	measures: (Result & { taken: Machine })[];
}

export interface Table {
	columns: string[];
	rows: (string | number)[][];
}

/** A figure that had to be reached; exactly one bound is given. */
export interface Target {
	description: string;
	value: number;
	unit: string;
	most?: number;
	least?: number;
}

export type Plot = Bars | Lines;

interface PlotBase {
	/** The picture is docs/images/bench-<name>.svg. */
	name: string;
	title: string;
	/** What the value axis counts. */
	unit: string;
	isLogarithmic?: boolean;
}

/** One bar for each contender; a line where nobody can be better. */
export interface Bars extends PlotBase {
	kind: 'bars';
	bars: { label: string; value: number; isOurs?: boolean }[];
	limit?: { label: string; value: number };
}

export interface Lines extends PlotBase {
	kind: 'lines';
	across: string;
	isAcrossLogarithmic?: boolean;
	lines: { label: string; isOurs?: boolean; isLimit?: boolean; points: [number, number][] }[];
	/** Each value holds until the next one. */
	isStepped?: boolean;
}

export interface Measure {
	name: string;
	run(): Promise<Result>;
}

export const isReached = ({ value, most = Infinity, least = -Infinity }: Target): boolean =>
	value <= most && value >= least;

export function median(numbers: readonly number[]): number {
	const sorted = [...numbers].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const mean = (numbers: readonly number[]): number =>
	numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** A number as it is worth writing: three figures, or whole. */
export function round(value: number): number {
	if (!Number.isFinite(value) || value === 0) return value;
	return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
