/** A column for each day on a real time axis: what it cost, and the part that was paid again. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CostMarks } from "../../../../view/cost-words.ts";
import { cost } from "../format.ts";
import { useWidth } from "../use-width.ts";
import { axisTicks, dayNumber, timeTicks } from "./scale.ts";

const [HEIGHT, TOP, BOTTOM, LEFT, RIGHT] = [122, 24, 18, 48, 8];
const MIN_DAYS = 7;
const [MIN_BAR_PIXELS, MAX_BAR_PIXELS] = [2, 28];

interface ChartDay extends CostMarks {
	/** `2026-11-15` */
	readonly name: string;
	readonly dollars: number;
	readonly again?: number;
}

export function DayChart({
	days,
	format,
	hrefOf,
	selected,
}: {
	days: readonly ChartDay[];
	/** Of the axis. */
	format: (value: number) => string;
	/** Where a click on a day leads. */
	hrefOf: (day: string) => string;
	selected?: string | undefined;
}): JSX.Element {
	const [box, width] = useWidth();
	const [pointed, setPointed] = useState<ChartDay | undefined>(undefined);
	const max = Math.max(1e-6, ...days.map(({ dollars }) => dollars)) * 1.05;
	const right = width - RIGHT;
	const first = dayNumber(days[0]?.name ?? "");
	const last = Math.max(first + MIN_DAYS - 1, dayNumber(days.at(-1)?.name ?? ""));
	const band = (right - LEFT) / (last - first + 1);
	const bar = Math.max(MIN_BAR_PIXELS, Math.min(MAX_BAR_PIXELS, band * 0.7));
	const x = (day: number) => LEFT + band * (day - first + 0.5);
	const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / max);
	const shown = pointed ?? days.find(({ name }) => name === selected);
	const wordsOf = ({ name, dollars, again = 0, estimated, assumed }: ChartDay) => {
		const money = (value: number) => cost({ dollars: value, estimated, assumed }, 2);
		return `${name}: ${money(dollars)}${again > 0 ? `, ${money(again)} of it paid again` : ""}`;
	};
	return (
		<div ref={box} style={{ minHeight: `${HEIGHT}px` }}>
			{width > 0 && (
				<svg width={width} height={HEIGHT} role="group" aria-label={`Cost by day, ${days.length} days`}>
					{axisTicks(max, 2).map((value) => (
						<g key={value}>
							<line class="grid" x1={LEFT} x2={right} y1={y(value)} y2={y(value)} />
							<text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
								{format(value)}
							</text>
						</g>
					))}
					<line class="axis" x1={LEFT} x2={right} y1={y(0)} y2={y(0)} />
					{timeTicks(first, last, right - LEFT).map(({ at, label }) => (
						<g key={at}>
							<line class="axis" x1={x(at)} x2={x(at)} y1={y(0)} y2={y(0) + 3} />
							<text x={x(at)} y={HEIGHT - 4} text-anchor="middle">
								{label}
							</text>
						</g>
					))}
					{days.map((day) => (
						<a
							key={day.name}
							href={hrefOf(day.name)}
							aria-label={wordsOf(day)}
							aria-current={day.name === selected ? "true" : undefined}
							data-day={day.name}
							onMouseEnter={() => setPointed(day)}
							onMouseLeave={() => setPointed(undefined)}
							onFocus={() => setPointed(day)}
							onBlur={() => setPointed(undefined)}
						>
							<title>{wordsOf(day)}</title>
							<rect
								x={x(dayNumber(day.name)) - Math.max(bar, band) / 2}
								y={TOP}
								width={Math.max(bar, band)}
								height={y(0) - TOP}
								fill="transparent"
							/>
							<rect
								x={x(dayNumber(day.name)) - bar / 2}
								y={y(day.dollars)}
								width={bar}
								height={Math.max(0.5, y(0) - y(day.dollars))}
								fill={day.name === selected ? "var(--ink)" : "var(--ink-2)"}
							/>
							{(day.again ?? 0) > 0 && (
								<rect
									x={x(dayNumber(day.name)) - bar / 2}
									y={y(day.again ?? 0)}
									width={bar}
									height={y(0) - y(day.again ?? 0)}
									fill="var(--s-blocked)"
								/>
							)}
						</a>
					))}
					{shown && (
						<text x={right} y={12} text-anchor="end" class="s">
							{wordsOf(shown)}
						</text>
					)}
				</svg>
			)}
		</div>
	);
}
