/** Curves and bars over the requests of a session, as SVG in real pixels: its text keeps its size and can be copied. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useWidth } from "../use-width.ts";
import {
	axisRequests,
	type ChartScale,
	chartScale,
	clockTicks,
	type EndLabel,
	linePath,
	maxOf,
	requestAt,
	spreadLabels,
} from "./scale.ts";
import { ValueAxis } from "./value-axis.tsx";

export interface ChartLine {
	readonly values: readonly (number | null)[];
	readonly colour: string;
	readonly isDashed?: boolean;
	readonly isFilled?: boolean;
	/** Each value holds until the next one. */
	readonly isStepped?: boolean;
}

/** A seal between the request before and this one, counted from 0. */
export type SealMark = readonly [at: number, why: string];

/** A request that paid again, or a compaction before it, counted from 0. */
export interface RequestMark {
	readonly at: number;
	readonly kind: "miss" | "compaction";
	readonly title: string;
}

export interface ChartOptions {
	readonly title: string;
	readonly unit: string;
	readonly height: number;
	readonly lines: readonly ChartLine[];
	/** The parts of each value, from the bottom up. */
	readonly stack?: readonly (readonly number[])[] | undefined;
	readonly colours?: readonly string[];
	readonly format: (value: number) => string;
	readonly seals?: readonly SealMark[];
	readonly marks?: readonly RequestMark[];
	readonly ceiling?: number | undefined;
	/** Named beside the dotted line. */
	readonly ceilingName?: string;
	readonly ends?: readonly EndLabel[];
	readonly href?: ((at: number) => string) | undefined;
	readonly tip?: (at: number) => string;
	/** Gives several charts the same scale. */
	readonly max?: number;
	readonly isSmall?: boolean;
	/** Draws the requests by time. */
	readonly times?: readonly number[] | undefined;
}

const MAX_WIDTH = 1_700;
/** With more requests, bars would be thinner than a pixel. */
const MAX_STACKED_REQUESTS = 400;

export function Chart(options: ChartOptions): JSX.Element {
	const [box, width] = useWidth();
	return (
		<div ref={box} style={{ minHeight: `${options.height}px` }}>
			{width > 0 && <Drawing {...options} width={Math.min(MAX_WIDTH, width)} />}
		</div>
	);
}

function Drawing(options: ChartOptions & { width: number }): JSX.Element {
	const { width, height, title, unit, lines, stack = [], colours = [], format, ends = [], href, tip } = options;
	const { seals = [], marks = [], ceiling, ceilingName = "ceiling", isSmall = false } = options;
	const count = Math.max(lines[0]?.values.length ?? 0, stack.length);
	const max =
		options.max ??
		maxOf(
			stack,
			lines.map(({ values }) => values),
		);
	const scale = chartScale({ width, height, count, max, isSmall, times: options.times });
	const hasLabels = !isSmall && !scale.isNarrow;
	return (
		<svg
			width={width}
			height={height}
			viewBox={`0 0 ${width} ${height}`}
			role={href ? "group" : "img"}
			aria-label={title}
		>
			<Grid scale={scale} format={format} />
			{count <= MAX_STACKED_REQUESTS && <Bars stack={stack} colours={colours} scale={scale} />}
			{lines.map((line, at) => (
				<Curve key={at} line={line} scale={scale} />
			))}
			{ceiling !== undefined && ceiling <= max && !isSmall && (
				<Ceiling at={ceiling} text={`${ceilingName} ${format(ceiling)}`} scale={scale} />
			)}
			<Seals seals={seals} scale={scale} />
			{href && !scale.isBars && <Pointer href={href} tip={tip} scale={scale} />}
			<Marks marks={marks} href={href} scale={scale} />
			{hasLabels && <EndLabels ends={ends} scale={scale} />}
			{options.times ? <TimeAxis scale={scale} times={options.times} width={width} /> : <RequestAxis scale={scale} />}
			{hasLabels && (
				<text x={scale.right + 8} y={scale.floor + 15}>
					{options.times ? "time" : "request"}
				</text>
			)}
			<text x="0" y="11" class="s">
				{unit}
			</text>
			{href && scale.isBars && <RequestLinks href={href} tip={tip} scale={scale} />}
		</svg>
	);
}

interface Scaled {
	readonly scale: ChartScale;
}

function Grid({ scale, format }: Scaled & Pick<ChartOptions, "format">): JSX.Element {
	const { left, right, y, height, max, isSmall } = scale;
	const ticks = isSmall ? 2 : height > 160 ? 4 : 3;
	return <ValueAxis max={max} ticks={ticks} left={left} right={right} y={y} format={format} />;
}

function Bars({
	stack,
	colours,
	scale,
}: Scaled & { stack: readonly (readonly number[])[]; colours: readonly string[] }): JSX.Element {
	return (
		<>
			{stack.map((parts, at) => (
				<Bar key={at} at={at} parts={parts} colours={colours} scale={scale} />
			))}
		</>
	);
}

function Bar({
	at,
	parts,
	colours,
	scale: { x, y, barWidth },
}: Scaled & { at: number; parts: readonly number[]; colours: readonly string[] }): JSX.Element {
	let base = 0;
	return (
		<>
			{parts.map((value, part) => {
				const bottom = y(base);
				base += value;
				const top = y(base);
				return (
					value > 0 && (
						<rect
							key={part}
							x={x(at) - barWidth / 2}
							y={top}
							width={barWidth}
							height={Math.max(0, bottom - top)}
							fill={colours[part]}
						/>
					)
				);
			})}
		</>
	);
}

function Curve({ line, scale }: Scaled & { line: ChartLine }): JSX.Element {
	const { values, colour, isDashed, isFilled, isStepped } = line;
	const { x, floor } = scale;
	const path = linePath(values, scale, isStepped);
	return (
		<g>
			{isFilled && (
				<path d={`${path}L${x(values.length - 1)} ${floor}L${x(0)} ${floor}Z`} fill={colour} opacity=".13" />
			)}
			<path
				d={path}
				fill="none"
				stroke={colour}
				stroke-width={isDashed ? 1.5 : 1.75}
				stroke-dasharray={isDashed ? "4 3" : undefined}
				stroke-linejoin="round"
			/>
		</g>
	);
}

function Ceiling({ at, text, scale }: Scaled & { at: number; text: string }): JSX.Element {
	const { left, right, y } = scale;
	return (
		<g>
			<line x1={left} x2={right} y1={y(at)} y2={y(at)} stroke="var(--ink)" stroke-dasharray="1 3" />
			<text x={right - 4} y={y(at) - 4} text-anchor="end">
				{text}
			</text>
		</g>
	);
}

function Seals({ seals, scale }: Scaled & { seals: readonly SealMark[] }): JSX.Element {
	const { right, top, floor, isSmall } = scale;
	return (
		<>
			{seals.map(([at, why], index) => {
				const x = sealX(at, scale);
				const next = seals[index + 1];
				const room = (next ? sealX(next[0], scale) : right) - x;
				return (
					<g key={at}>
						{!isSmall && <line x1={x} x2={x} y1={top - 10} y2={floor} stroke="var(--ink)" opacity=".5" />}
						<path d={`M${x - 4} ${isSmall ? 1 : top - 16}h8l-4 6z`} fill="var(--ink)" />
						{!isSmall && why !== "" && room > 40 + why.length * 6 && (
							<text x={x + 6} y={top - 9}>
								seal, {why}
							</text>
						)}
					</g>
				);
			})}
		</>
	);
}

/** Red triangles on the axis for requests that paid again, lines with ◆ for compactions. */
function Marks({ marks, href, scale }: Scaled & Required<Pick<ChartOptions, "marks">> & Pick<ChartOptions, "href">) {
	const { x, top, floor } = scale;
	return (
		<>
			{marks.map(({ at, kind, title }) => {
				const drawn =
					kind === "miss" ? (
						<path d={`M${x(at) - 4} ${floor}h8l-4 -8z`} fill="var(--s-blocked)" />
					) : (
						<g>
							<line x1={x(at)} x2={x(at)} y1={top - 10} y2={floor} stroke="var(--ink-2)" stroke-dasharray="2 2" />
							<path d={`M${x(at)} ${top - 18}l4 5l-4 5l-4 -5z`} fill="var(--ink-2)" />
						</g>
					);
				const label = <title>{title}</title>;
				return href ? (
					<a key={`${kind}${at}`} href={href(at)} aria-label={title} data-mark={kind} tabIndex={-1}>
						{label}
						{drawn}
					</a>
				) : (
					<g key={`${kind}${at}`} data-mark={kind}>
						{label}
						{drawn}
					</g>
				);
			})}
		</>
	);
}

function sealX(at: number, { x, isBars, bandWidth }: ChartScale): number {
	return isBars ? x(at) - bandWidth / 2 : x(at);
}

function EndLabels({ ends, scale }: Scaled & { ends: readonly EndLabel[] }): JSX.Element {
	const x = scale.right + 8;
	return (
		<>
			{spreadLabels(ends, scale).map(({ text, sub, colour, y }) => (
				<g key={text}>
					<text x={x} y={y + 4} style={{ fill: colour, fontWeight: 600 }}>
						{text}
					</text>
					{sub !== undefined && sub !== "" && (
						<text x={x} y={y + 18}>
							{sub}
						</text>
					)}
				</g>
			))}
		</>
	);
}

function RequestAxis({ scale }: Scaled): JSX.Element {
	const { left, right, floor, x, isSmall } = scale;
	return (
		<>
			<line class="axis" x1={left} x2={right} y1={floor} y2={floor} />
			{axisRequests(scale).map((each) => (
				<text
					key={each}
					x={isSmall ? (each === 1 ? left : right) : x(each - 1)}
					y={floor + 15}
					text-anchor={isSmall ? (each === 1 ? "start" : "end") : "middle"}
				>
					{each}
				</text>
			))}
		</>
	);
}

/** Half of a letter in the labels of an axis. */
const HALF_LETTER_PIXELS = 3.5;

function TimeAxis({ scale, times, width }: Scaled & { times: readonly number[]; width: number }): JSX.Element {
	const { left, right, floor } = scale;
	const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
	return (
		<g data-axis="time">
			<line class="axis" x1={left} x2={right} y1={floor} y2={floor} />
			{clockTicks([from, to], right - left, -new Date(from).getTimezoneOffset()).map(({ at, label }) => (
				<text
					key={at}
					x={Math.min(
						left + ((right - left) * (at - from)) / Math.max(1, to - from),
						width - label.length * HALF_LETTER_PIXELS,
					)}
					y={floor + 15}
					text-anchor="middle"
				>
					{label}
				</text>
			))}
		</g>
	);
}

/** Names the request nearest to the mouse; a click opens it. By keyboard, the list below has them all. */
function Pointer({
	href,
	tip,
	scale,
}: Scaled & { href: (at: number) => string; tip: ChartOptions["tip"] }): JSX.Element {
	const [at, point] = useState<number | undefined>(undefined);
	const { left, right, top, floor, x } = scale;
	const isRight = at !== undefined && x(at) > (left + right) / 2;
	return (
		<a href={href(at ?? 0)} tabIndex={-1} aria-label={`request ${(at ?? 0) + 1}`} data-pointer>
			{at !== undefined && (
				<>
					<line x1={x(at)} x2={x(at)} y1={top} y2={floor} stroke="var(--ink-3)" />
					<text x={x(at) + (isRight ? -6 : 6)} y={top + 10} text-anchor={isRight ? "end" : "start"}>
						request {at + 1}
						{tip ? `: ${tip(at)}` : ""}
					</text>
				</>
			)}
			<rect
				x={left}
				y={top}
				width={Math.max(0, right - left)}
				height={Math.max(0, floor - top)}
				fill="transparent"
				onMouseMove={(event) => point(requestAt(event.offsetX, scale))}
				onMouseLeave={() => point(undefined)}
			/>
		</a>
	);
}

/** Transparent columns over the bars: hovering shows the tip, a click opens the request. */
function RequestLinks({
	href,
	tip,
	scale: { count, x, top, floor, bandWidth },
}: Scaled & { href: (at: number) => string; tip: ChartOptions["tip"] }): JSX.Element {
	return (
		<>
			{Array.from({ length: count }, (_, at) => {
				const label = `request ${at + 1}${tip ? `: ${tip(at)}` : ""}`;
				return (
					<a key={at} href={href(at)} aria-label={label}>
						<rect
							x={x(at) - bandWidth / 2}
							y={top}
							width={bandWidth}
							height={Math.max(0, floor - top)}
							fill="transparent"
						>
							<title>{label}</title>
						</rect>
					</a>
				);
			})}
		</>
	);
}
