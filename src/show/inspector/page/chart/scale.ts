/** Where the numbers of a chart lie on its pixels. Pure: the components only draw what is computed here. */

export interface ChartShape {
	readonly width: number;
	readonly height: number;
	/** How many requests lie side by side. */
	readonly count: number;
	/** The value at the top. */
	readonly max: number;
	/** One of several small charts beside each other: no labels on the right. */
	readonly isSmall: boolean;
	/** When each request was answered, ms since the epoch: then they lie by time, not side by side. */
	readonly times?: readonly number[] | undefined;
}

export interface ChartScale extends ChartShape {
	/** The pixels of the plot's edges. */
	readonly left: number;
	readonly right: number;
	readonly top: number;
	readonly floor: number;
	/** No room for labels on the right. */
	readonly isNarrow: boolean;
	/** Few requests have a band each; many share a curve. */
	readonly isBars: boolean;
	readonly bandWidth: number;
	readonly barWidth: number;
	readonly x: (at: number) => number;
	readonly y: (value: number) => number;
}

const NARROW_PIXELS = 600;
const MAX_BANDS = 60;
const [MIN_BAR_PIXELS, MAX_BAR_PIXELS] = [2, 26];
const BOTTOM_PIXELS = 20;

export function chartScale(shape: ChartShape): ChartScale {
	const { width, height, count, max, isSmall } = shape;
	const isNarrow = width < NARROW_PIXELS;
	const left = isSmall ? 42 : 48;
	const right = width - (isSmall || isNarrow ? 8 : 132);
	const top = isSmall ? 12 : 28;
	const bandWidth = (right - left) / Math.max(1, count);
	const times = shape.times ?? [];
	const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
	const isBars = to <= from && count <= MAX_BANDS;
	const x = (at: number) =>
		to > from
			? left + ((right - left) * ((times[at] ?? to) - from)) / (to - from)
			: isBars
				? left + bandWidth * (at + 0.5)
				: left + ((right - left) * at) / Math.max(1, count - 1);
	const y = (value: number) => top + (height - top - BOTTOM_PIXELS) * (1 - value / max);
	const barWidth = Math.max(MIN_BAR_PIXELS, Math.min(MAX_BAR_PIXELS, bandWidth * 0.74));
	return { ...shape, left, right, top, floor: y(0), isNarrow, isBars, bandWidth, barWidth, x, y };
}

/** A chart of nothing but zeros still needs a scale. */
const MIN_MAX = 1e-6;
const HEADROOM = 1.04;

export function maxOf(stack: readonly (readonly number[])[], lines: readonly (readonly (number | null)[])[]): number {
	const sums = stack.map((parts) => parts.reduce((sum, each) => sum + each, 0));
	const values = lines.flatMap((line) => line.flatMap((value) => value ?? []));
	return Math.max(MIN_MAX, ...sums, ...values) * HEADROOM;
}

/** Round values from 0 up to `max`, about `wanted` of them. */
export function axisTicks(max: number, wanted: number): number[] {
	if (max < 2 * MIN_MAX) return [0];
	const raw = max / wanted;
	const power = 10 ** Math.floor(Math.log10(raw));
	const step = ([1, 2, 2.5, 5, 10].find((each) => raw / power <= each) ?? 10) * power;
	return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, at) => at * step);
}

/** The requests whose numbers are written below the axis. */
export function axisRequests({ count, isSmall, isNarrow }: ChartScale): number[] {
	if (isSmall) return [1, count];
	const step = requestStep(count, isNarrow);
	return Array.from({ length: count }, (_, at) => at + 1).filter((each) => each === 1 || each % step === 0);
}

function requestStep(count: number, isNarrow: boolean): number {
	if (count > 200) return isNarrow ? Math.ceil(count / 300) * 100 : 50 * Math.ceil(count / 1000);
	if (count > 30) return 20;
	return isNarrow ? 6 : 2;
}

const MINUTE_MS = 60_000;
/** Minutes between two labels. */
const TIME_STEPS = [1, 5, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 10_080, 43_200];
const TIME_LABEL_PIXELS = 60;

/** The times that are named below a time axis: of a day, and the day itself at midnight. Local, by minutes east of UTC. */
export function clockTicks(
	[from, to]: readonly [number, number],
	pixels: number,
	east: number,
): { readonly at: number; readonly label: string }[] {
	const fits = (minutes: number) => ((to - from) / (minutes * MINUTE_MS)) * TIME_LABEL_PIXELS <= pixels;
	const step = (TIME_STEPS.find(fits) ?? Math.ceil((to - from) / MINUTE_MS)) * MINUTE_MS;
	const shift = east * MINUTE_MS;
	const first = Math.ceil((from + shift) / step) * step;
	return Array.from({ length: Math.max(0, Math.floor((to + shift - first) / step) + 1) }, (_, n) => {
		const local = first + n * step;
		const name = new Date(local).toISOString();
		return { at: local - shift, label: local % DAY_MS === 0 ? name.slice(5, 10) : name.slice(11, 16) };
	});
}

/** The request nearest to a pixel. */
export function requestAt(pixel: number, { count, x }: Pick<ChartScale, "count" | "x">): number {
	let best = 0;
	for (let at = 1; at < count; at++) if (Math.abs(x(at) - pixel) < Math.abs(x(best) - pixel)) best = at;
	return best;
}

/** Points beyond this share a pixel. */
const MAX_POINTS = 1_200;

/**
 * An SVG path through the values, with a gap where one is missing. `isStepped`: each value holds until the next one, as a sum
 * does in a pause.
 */
export function linePath(values: readonly (number | null)[], { x, y }: ChartScale, isStepped = false): string {
	const step = Math.max(1, Math.floor(values.length / MAX_POINTS));
	let path = "";
	let pen = "M";
	for (const [at, value] of values.entries()) {
		if (at % step !== 0) continue;
		const across = isStepped && pen === "L" && value !== null ? `H${x(at).toFixed(1)}` : "";
		path += value === null ? "" : `${across}${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
		pen = value === null ? "M" : "L";
	}
	return path;
}

export interface EndLabel {
	/** The value that the label names. */
	readonly at: number;
	readonly text: string;
	readonly sub?: string;
	readonly colour: string;
}

const [LABEL_PIXELS, TWO_LINE_LABEL_PIXELS] = [15, 29];

/** Moves labels down until none covers another, and all of them up if the last one falls below the axis. */
export function spreadLabels(labels: readonly EndLabel[], { y, floor }: ChartScale): (EndLabel & { y: number })[] {
	const placed = labels.map((label) => ({ ...label, y: y(label.at) })).sort((one, other) => one.y - other.y);
	let free = Number.NEGATIVE_INFINITY;
	for (const label of placed) {
		label.y = Math.max(label.y, free);
		free = label.y + (label.sub ? TWO_LINE_LABEL_PIXELS : LABEL_PIXELS);
	}
	const last = placed.at(-1);
	const excess = last ? Math.max(0, last.y + (last.sub ? 16 : 4) - (floor + 2)) : 0;
	return placed.map((label) => ({ ...label, y: label.y - excess }));
}

const DAY_MS = 86_400_000;
const [DAY_LABEL_PIXELS, MONTH_LABEL_PIXELS] = [54, 64];

/** Days since the epoch of `2026-11-15`. */
export function dayNumber(day: string): number {
	return Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS) || 0;
}

/** Days, or the first days of months, that are named below a time axis from one day to another. */
export function timeTicks(
	first: number,
	last: number,
	pixels: number,
): { readonly at: number; readonly label: string }[] {
	const nameOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
	const days = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
	const every = <Item>(items: readonly Item[], room: number) => {
		const step = Math.max(1, Math.ceil(items.length / Math.max(1, Math.floor(pixels / room))));
		return items.filter((_, at) => at % step === 0);
	};
	const months = days.filter((day) => nameOf(day).endsWith("-01"));
	if (months.length > 2) return every(months, MONTH_LABEL_PIXELS).map((at) => ({ at, label: nameOf(at).slice(0, 7) }));
	return every(days, DAY_LABEL_PIXELS).map((at) => ({ at, label: nameOf(at).slice(5) }));
}
