import * as echarts from 'echarts';
import { round, type Bars, type Lines, type Plot } from './result';

const WIDTH = 760;
/** For the lines of ours, where there are several. */
const OURS = ['#5b3df5', '#1f9e89', '#2f7fe0', '#a06be0'];
const OTHERS = ['#f08c2e', '#c2407e', '#8a5a2b', '#c9a400'];
const LIMIT = '#7a7f8c';
const FONT = 'system-ui, -apple-system, Segoe UI, sans-serif';
/** Width of a letter at most: the text is drawn with a font of the reader's machine, so it cannot be measured here. */
const LETTER = 7;
const LEGEND_LINE = 19;

/** The plot as SVG, on white so that it can be read on any page. */
export function drawPlot(plot: Plot): string {
	const height =
		plot.kind === 'bars' ? 130 + plot.bars.length * 44 : 370 + plot.lines.length * LEGEND_LINE;
	const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
	chart.setOption({
		animation: false,
		backgroundColor: '#ffffff',
		textStyle: { fontFamily: FONT, color: '#24292f' },
		title: {
			text: plot.title,
			left: 16,
			top: 12,
			textStyle: { fontSize: 15, fontWeight: 600, color: '#24292f' },
		},
		...(plot.kind === 'bars' ? createBars(plot) : createLines(plot)),
	});
	const svg = chart.renderToSVGString();
	chart.dispose();
	return `${svg.trim()}\n`;
}

const axis = ({ unit, isLogarithmic }: Plot) => ({
	type: isLogarithmic ? 'log' : 'value',
	name: isLogarithmic ? `${unit} (logarithmic)` : unit,
	nameLocation: 'middle',
	nameGap: 30,
	nameTextStyle: { color: '#57606a' },
	axisLabel: { color: '#57606a' },
	splitLine: { lineStyle: { color: '#e6e8eb' } },
});

function createBars(plot: Bars): object {
	const rows = [...plot.bars].reverse();
	return {
		grid: {
			left: 24 + LETTER * Math.max(...rows.map(({ label }) => label.length)),
			right: 72,
			top: plot.limit ? 66 : 48,
			bottom: 52,
		},
		xAxis: {
			...axis(plot),
			...(plot.isLogarithmic && {
				min: floorOf([...rows.map(({ value }) => value), plot.limit?.value ?? Infinity]),
			}),
		},
		yAxis: {
			type: 'category',
			data: rows.map(({ label }) => label),
			axisTick: { show: false },
			axisLabel: { color: '#24292f', fontSize: 12 },
		},
		series: [
			{
				type: 'bar',
				barWidth: 22,
				data: rows.map(({ value, isOurs }) => ({
					value,
					itemStyle: { color: isOurs ? OURS[0] : OTHERS[0], borderRadius: [0, 3, 3, 0] },
				})),
				label: { show: true, position: 'right', color: '#24292f', fontSize: 12 },
				...(plot.limit && {
					markLine: {
						symbol: 'none',
						silent: true,
						lineStyle: { color: LIMIT, type: 'dashed', width: 1.5 },
						label: {
							formatter: `${plot.limit.label}: ${round(plot.limit.value)}`,
							position: 'end',
							color: '#57606a',
						},
						data: [{ xAxis: plot.limit.value }],
					},
				}),
			},
		],
	};
}

/** The power of ten below the smallest value, so that the smallest bar can still be seen. */
const floorOf = (points: number[]): number =>
	10 ** Math.floor(Math.log10(Math.min(...points.filter((value) => value > 0)) * 0.7));

function createLines(plot: Lines): object {
	let [legend, other] = [0, 0];
	return {
		legend: {
			top: 42,
			left: 12,
			orient: 'vertical',
			itemGap: 5,
			itemWidth: 22,
			textStyle: { color: '#24292f' },
			icon: 'roundRect',
			itemHeight: 4,
		},
		grid: { left: 70, right: 36, top: 62 + plot.lines.length * LEGEND_LINE, bottom: 52 },
		xAxis: {
			...axis({ ...plot, unit: plot.across, isLogarithmic: plot.isAcrossLogarithmic }),
			splitLine: { show: false },
		},
		yAxis: { ...axis({ ...plot, unit: plot.unit }), nameGap: 44 },
		series: plot.lines.map(({ label, isOurs, isLimit, points }) => {
			const color = isLimit
				? LIMIT
				: isOurs
					? OURS[legend++ % OURS.length]
					: OTHERS[other++ % OTHERS.length];
			return {
				type: 'line',
				name: label,
				data: points,
				...(plot.isStepped && { step: 'end' }),
				symbolSize: isLimit || plot.isStepped ? 0 : 6,
				itemStyle: { color },
				lineStyle: { color, width: 2, ...(isLimit && { type: 'dashed' }) },
			};
		}),
	};
}
