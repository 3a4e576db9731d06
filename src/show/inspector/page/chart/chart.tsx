/** Curves and bars in real pixels, so that their text keeps its size. Drawn as SVG: it can be read, copied and printed. */
import type { JSX } from "preact";
import { useWidth } from "../use-width.ts";

export interface Line {
	readonly values: readonly (number | null)[];
	readonly colour: string;
	readonly dashed?: boolean;
	readonly filled?: boolean;
}

export interface ChartOptions {
	readonly title: string;
	readonly unit: string;
	readonly height: number;
	readonly lines: readonly Line[];
	/** Parts of each value, from below. */
	readonly stack?: readonly (readonly number[])[] | undefined;
	readonly colours?: readonly string[];
	readonly format: (value: number) => string;
	/** Between the request before and this one, from 0. */
	readonly seals?: readonly (readonly [at: number, why: string])[];
	readonly ceiling?: number | undefined;
	readonly ends?: readonly {
		readonly at: number;
		readonly text: string;
		readonly sub?: string;
		readonly colour: string;
	}[];
	readonly href?: ((at: number) => string) | undefined;
	readonly tip?: (at: number) => string;
	/** The same scale for several charts. */
	readonly most?: number;
	readonly small?: boolean;
}

const MAX_WIDTH = 1_700;
const LEAST = 1e-6;
/** Points beyond this share a pixel. */
const MAX_POINTS = 1_200;

export function Chart(options: ChartOptions): JSX.Element {
	const [box, width] = useWidth();
	return (
		<div ref={box} style={{ minHeight: `${options.height}px` }}>
			{width > 0 && <Drawing {...options} width={Math.min(MAX_WIDTH, width)} />}
		</div>
	);
}

function ticks(most: number, wanted: number): number[] {
	const raw = Math.max(most, 1e-9) / wanted;
	const power = 10 ** Math.floor(Math.log10(raw));
	const step = ([1, 2, 2.5, 5, 10].find((each) => raw / power <= each) ?? 10) * power;
	return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, at) => at * step);
}

function Drawing({
	width,
	height,
	title,
	unit,
	lines,
	stack,
	colours = [],
	format,
	seals = [],
	ceiling,
	ends = [],
	href,
	tip,
	most: given,
	small = false,
}: ChartOptions & { width: number }): JSX.Element {
	const narrow = width < 600;
	const n = Math.max(lines[0]?.values.length ?? 0, stack?.length ?? 0);
	const [left, right, top, bottom] = [small ? 42 : 48, small || narrow ? 8 : 132, small ? 12 : 28, 20];
	const sums = stack?.map((parts) => parts.reduce((sum, each) => sum + each, 0)) ?? [];
	const most =
		given ?? Math.max(LEAST, ...sums, ...lines.flatMap(({ values }) => values.flatMap((value) => value ?? []))) * 1.04;
	// Nothing but zeros has no scale.
	const isFlat = most < 2 * LEAST;
	const inner = width - left - right;
	const band = inner / Math.max(1, n);
	const isBars = n <= 60;
	const x = (at: number) => (isBars ? left + band * (at + 0.5) : left + (inner * at) / Math.max(1, n - 1));
	const y = (value: number) => top + (height - top - bottom) * (1 - value / most);
	const floor = y(0);
	const path = (values: readonly (number | null)[]) => {
		const step = Math.max(1, Math.floor(values.length / MAX_POINTS));
		let out = "";
		let pen = "M";
		for (let at = 0; at < values.length; at += step) {
			const value = values[at];
			if (value === null || value === undefined) {
				pen = "M";
				continue;
			}
			out += `${pen}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
			pen = "L";
		}
		return out;
	};
	const barWidth = Math.max(2, Math.min(26, band * 0.74));
	const stacked = stack && n > 400 ? undefined : stack;
	const sealX = (at: number) => (isBars ? x(at) - band / 2 : x(at));
	const pushed = [...ends].map((end) => ({ ...end, y: y(end.at) })).sort((one, other) => one.y - other.y);
	for (let at = 1; at < pushed.length; at++) {
		const need = pushed[at - 1]!.sub ? 29 : 15;
		if (pushed[at]!.y - pushed[at - 1]!.y < need) pushed[at]!.y = pushed[at - 1]!.y + need;
	}
	const last = pushed.at(-1);
	const over = last ? Math.max(0, last.y + (last.sub ? 16 : 4) - (floor + 2)) : 0;
	const step =
		n > 200 ? (narrow || small ? Math.ceil(n / 300) * 100 : 50 * Math.ceil(n / 1000)) : n > 30 ? 20 : narrow ? 6 : 2;
	const marks = small
		? [1, n]
		: Array.from({ length: n }, (_, at) => at + 1).filter((each) => each === 1 || each % step === 0);
	return (
		<svg
			width={width}
			height={height}
			viewBox={`0 0 ${width} ${height}`}
			role={href ? "group" : "img"}
			aria-label={title}
		>
			{(isFlat ? [0] : ticks(most, small ? 2 : height > 160 ? 4 : 3)).map((value) => (
				<g key={value}>
					<line class="grid" x1={left} x2={width - right} y1={y(value)} y2={y(value)} />
					<text x={left - 6} y={y(value) + 4} text-anchor="end">
						{format(value)}
					</text>
				</g>
			))}
			{stacked?.map((parts, at) => {
				let base = 0;
				return parts.map((value, part) => {
					const from = base;
					base += value;
					return (
						value > 0 && (
							<rect
								key={`${at} ${part}`}
								x={x(at) - barWidth / 2}
								y={y(base)}
								width={barWidth}
								height={Math.max(0, y(from) - y(base))}
								fill={colours[part]}
							/>
						)
					);
				});
			})}
			{lines.map(({ values, colour, dashed, filled }, at) => (
				<g key={at}>
					{filled && (
						<path
							d={`${path(values)}L${x(values.length - 1)} ${floor}L${x(0)} ${floor}Z`}
							fill={colour}
							opacity=".13"
						/>
					)}
					<path
						d={path(values)}
						fill="none"
						stroke={colour}
						stroke-width={dashed ? 1.5 : 1.75}
						stroke-dasharray={dashed ? "4 3" : undefined}
						stroke-linejoin="round"
					/>
				</g>
			))}
			{ceiling !== undefined && ceiling <= most && !small && (
				<g>
					<line
						x1={left}
						x2={width - right}
						y1={y(ceiling)}
						y2={y(ceiling)}
						stroke="var(--ink)"
						stroke-dasharray="1 3"
					/>
					<text x={width - right - 4} y={y(ceiling) - 4} text-anchor="end">
						ceiling {format(ceiling)}
					</text>
				</g>
			)}
			{seals.map(([at, why], index) => {
				const place = sealX(at);
				const next = seals[index + 1];
				const room = (next ? sealX(next[0]) : width - right) - place;
				return (
					<g key={at}>
						{!small && <line x1={place} x2={place} y1={top - 10} y2={floor} stroke="var(--ink)" opacity=".5" />}
						<path d={`M${place - 4} ${small ? 1 : top - 16}h8l-4 6z`} fill="var(--ink)" />
						{!small && why !== "" && room > 40 + why.length * 6 && (
							<text x={place + 6} y={top - 9}>
								seal, {why}
							</text>
						)}
					</g>
				);
			})}
			{!small &&
				!narrow &&
				pushed.map(({ text, sub, colour, y: at }) => (
					<g key={text}>
						<text x={width - right + 8} y={at - over + 4} style={{ fill: colour, fontWeight: 600 }}>
							{text}
						</text>
						{sub !== undefined && sub !== "" && (
							<text x={width - right + 8} y={at - over + 18}>
								{sub}
							</text>
						)}
					</g>
				))}
			<line class="axis" x1={left} x2={width - right} y1={floor} y2={floor} />
			{marks.map((each) => (
				<text
					key={each}
					x={small ? (each === 1 ? left : width - right) : x(each - 1)}
					y={floor + 15}
					text-anchor={small ? (each === 1 ? "start" : "end") : "middle"}
				>
					{each}
				</text>
			))}
			{!small && !narrow && (
				<text x={width - right + 8} y={floor + 15}>
					request
				</text>
			)}
			<text x="0" y="11" class="s">
				{unit}
			</text>
			{href &&
				isBars &&
				Array.from({ length: n }, (_, at) => (
					<a key={at} href={href(at)} aria-label={`request ${at + 1}${tip ? `: ${tip(at)}` : ""}`}>
						<rect x={x(at) - band / 2} y={top} width={band} height={Math.max(0, floor - top)} fill="transparent">
							<title>
								request {at + 1}
								{tip ? `: ${tip(at)}` : ""}
							</title>
						</rect>
					</a>
				))}
		</svg>
	);
}

/** Columns for days. */
export function Days({
	days,
	format,
}: {
	days: readonly { readonly name: string; readonly dollars: number }[];
	format: (value: number) => string;
}): JSX.Element {
	const [box, width] = useWidth();
	const shown = days.slice(-Math.max(7, Math.floor(width / 16)));
	const most = Math.max(1e-6, ...shown.map(({ dollars }) => dollars)) * 1.05;
	const [left, height, top, bottom] = [48, 110, 12, 18];
	const band = (width - left - 8) / Math.max(1, shown.length);
	const y = (value: number) => top + (height - top - bottom) * (1 - value / most);
	return (
		<div ref={box} style={{ minHeight: `${height}px` }}>
			{width > 0 && (
				<svg width={width} height={height} role="img" aria-label={`Cost by day, ${shown.length} days`}>
					{ticks(most, 2).map((value) => (
						<g key={value}>
							<line class="grid" x1={left} x2={width - 8} y1={y(value)} y2={y(value)} />
							<text x={left - 6} y={y(value) + 4} text-anchor="end">
								{format(value)}
							</text>
						</g>
					))}
					{shown.map(({ name, dollars }, at) => (
						<rect
							key={name}
							x={left + band * at + band * 0.15}
							y={y(dollars)}
							width={Math.max(1, Math.min(28, band * 0.7))}
							height={Math.max(0.5, y(0) - y(dollars))}
							fill="var(--ink-2)"
						>
							<title>
								{name}: {format(dollars)}
							</title>
						</rect>
					))}
					<line class="axis" x1={left} x2={width - 8} y1={y(0)} y2={y(0)} />
					{shown.length > 0 && (
						<text x={left} y={height - 4}>
							{shown[0]!.name}
						</text>
					)}
					{shown.length > 1 && band * shown.length > 150 && (
						<text x={width - 8} y={height - 4} text-anchor="end">
							{shown.at(-1)!.name}
						</text>
					)}
				</svg>
			)}
		</div>
	);
}
