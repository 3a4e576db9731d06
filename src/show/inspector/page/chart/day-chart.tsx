/**
 * A column for each day on a real time axis: what it cost, and the part that was paid again. A click chooses a day; dragging, or a
 * click or Enter with Shift, chooses several.
 */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CostMarks } from "../../../../view/cost-words.ts";
import { daySpan, isInDays } from "../../../../view/day-span.ts";
import { go } from "../address.ts";
import { cost } from "../format.ts";
import { useWidth } from "../use-width.ts";
import { dayNumber, timeTicks } from "./scale.ts";
import { ValueAxis } from "./value-axis.tsx";

const [HEIGHT, TOP, BOTTOM, LEFT, RIGHT] = [122, 24, 18, 48, 8];
const MIN_DAYS = 7;
const [MIN_BAR_PIXELS, MAX_BAR_PIXELS] = [2, 28];

interface ChartDay extends CostMarks {
	/** `2026-11-15` */
	readonly name: string;
	readonly dollars: number;
	readonly again?: number;
}

/** What has no time would stretch the axis over half a century. */
const NO_TIME = dayNumber("1970-01-01");

export function DayChart({
	days: all,
	format,
	hrefOf,
	selected,
}: {
	days: readonly ChartDay[];
	/** Of the axis. */
	format: (value: number) => string;
	/** Where a click on a day leads, or a drag over several: `2026-11-15` or `2026-11-15..2026-11-20`. */
	hrefOf: (days: string) => string;
	/** The same. */
	selected?: string | undefined;
}): JSX.Element {
	const [box, width] = useWidth();
	const days = all.filter(({ name }) => dayNumber(name) > NO_TIME + 1);
	const [dragged, setDragged] = useState<{ readonly from: string; readonly to: string } | undefined>(undefined);
	const chosen = dragged ? daySpan(dragged.from, dragged.to) : selected;
	const [pointed, setPointed] = useState<ChartDay | undefined>(undefined);
	const max = Math.max(1e-6, ...days.map(({ dollars }) => dollars)) * 1.05;
	const right = width - RIGHT;
	const last = dayNumber(days.at(-1)?.name ?? "");
	// Days before the first fill the axis: those after the last may not have come yet.
	const first = Math.min(last - MIN_DAYS + 1, dayNumber(days[0]?.name ?? ""));
	const band = (right - LEFT) / (last - first + 1);
	const bar = Math.max(MIN_BAR_PIXELS, Math.min(MAX_BAR_PIXELS, band * 0.7));
	const x = (day: number) => LEFT + band * (day - first + 0.5);
	const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / max);
	const shown = pointed ?? days.find(({ name }) => name === selected);
	const choose = (event: { readonly shiftKey: boolean; preventDefault(): void }, to: string) => {
		const from = dragged?.from ?? (event.shiftKey ? selected?.slice(0, to.length) : undefined);
		setDragged(undefined);
		if (from === undefined || from === to) return;
		event.preventDefault();
		go(hrefOf(daySpan(from, to)));
	};
	const wordsOf = ({ name, dollars, again = 0, estimated, assumed }: ChartDay) => {
		const money = (value: number) => cost({ dollars: value, estimated, assumed }, 2);
		return `${name}: ${money(dollars)}${again > 0 ? `, ${money(again)} of it paid again` : ""}`;
	};
	return (
		<div ref={box} style={{ minHeight: `${HEIGHT}px` }} onMouseLeave={() => setDragged(undefined)}>
			{width > 0 && (
				<svg width={width} height={HEIGHT} role="group" aria-label={`Cost by day, ${days.length} days`}>
					<ValueAxis max={max} ticks={2} left={LEFT} right={right} y={y} format={format} />
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
							aria-current={isInDays(day.name, chosen) ? "true" : undefined}
							data-day={day.name}
							draggable={false}
							onMouseDown={(event) => !event.shiftKey && setDragged({ from: day.name, to: day.name })}
							onClick={(event) => choose(event, day.name)}
							onMouseUp={(event) => dragged && dragged.from !== day.name && choose(event, day.name)}
							onMouseEnter={() => {
								setPointed(day);
								setDragged((drag) => drag && { ...drag, to: day.name });
							}}
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
								fill={isInDays(day.name, chosen) ? "var(--ink)" : "var(--ink-2)"}
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
