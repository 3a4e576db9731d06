/** Money so far on a real time axis: what the agent paid, and what it would have paid with weft. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SavingHour } from "../../../../view/saving.ts";
import { useWidth } from "../use-width.ts";
import { timeTicks } from "./scale.ts";
import { ValueAxis } from "./value-axis.tsx";

const [HEIGHT, TOP, BOTTOM, LEFT, RIGHT] = [190, 26, 20, 48, 148];
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function MoneyChart({
	hours,
	format,
	money,
	dayOf,
}: {
	hours: readonly SavingHour[];
	/** Of the axis. */
	format: (value: number) => string;
	/** Of a sum, with its marks. */
	money: (value: number) => string;
	dayOf: (ms: number) => string;
}): JSX.Element {
	const [box, width] = useWidth();
	const [pointed, setPointed] = useState<SavingHour | undefined>(undefined);
	const last = hours.at(-1);
	const [from, to] = [hours[0]?.at ?? 0, (last?.at ?? 0) + HOUR_MS];
	const right = Math.max(LEFT + 60, width - (width < 600 ? 8 : RIGHT));
	const max = Math.max(1e-6, last?.paid ?? 0, last?.weft ?? 0) * 1.05;
	const x = (ms: number) => LEFT + ((right - LEFT) * (ms - from)) / Math.max(HOUR_MS, to - from);
	const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / max);
	const step = (key: "paid" | "weft") =>
		`M${LEFT} ${y(0)}${hours.map((hour) => `H${x(hour.at).toFixed(1)}V${y(hour[key]).toFixed(1)}`).join("")}H${right}`;
	const wordsOf = (hour: SavingHour) => `${dayOf(hour.at)}: ${money(hour.paid)}, with weft ${money(hour.weft)}`;
	const nearest = (pixel: number) =>
		hours.reduce<SavingHour | undefined>(
			(best, hour) => (best && Math.abs(x(best.at) - pixel) <= Math.abs(x(hour.at) - pixel) ? best : hour),
			undefined,
		);
	const isClose = last !== undefined && Math.abs(y(last.paid) - y(last.weft)) < 15;
	return (
		<div ref={box} style={{ minHeight: `${HEIGHT}px` }}>
			{width > 0 && last && (
				<svg
					width={width}
					height={HEIGHT}
					role="img"
					aria-label={`Money so far: ${money(last.paid)}, with weft ${money(last.weft)}`}
					onMouseMove={(event) => setPointed(nearest(event.offsetX))}
					onMouseLeave={() => setPointed(undefined)}
				>
					<ValueAxis max={max} ticks={3} left={LEFT} right={right} y={y} format={format} />
					<line class="axis" x1={LEFT} x2={right} y1={y(0)} y2={y(0)} />
					{timeTicks(Math.ceil(from / DAY_MS), Math.floor(to / DAY_MS), right - LEFT).map(({ at, label }) => (
						<text key={at} x={x(at * DAY_MS)} y={HEIGHT - 4} text-anchor="middle">
							{label}
						</text>
					))}
					<path d={step("paid")} fill="none" stroke="var(--k-host)" stroke-width="1.5" stroke-dasharray="4 3" />
					<path d={step("weft")} fill="none" stroke="var(--k-seed)" stroke-width="1.75" />
					{hours.map((hour) => (
						<g key={hour.at}>
							{hour.compactions > 0 && (
								<path
									d={`M${x(hour.at)} ${y(hour.paid) - 5}l4 5l-4 5l-4 -5z`}
									fill="var(--ink-2)"
									data-mark="compaction"
								>
									<title>{`${wordsOf(hour)}; the agent compacted`}</title>
								</path>
							)}
							{hour.seals > 0 && (
								<path d={`M${x(hour.at) - 4} ${y(hour.weft) - 6}h8l-4 6z`} fill="var(--k-seed)" data-mark="seal">
									<title>{`${wordsOf(hour)}; weft seals`}</title>
								</path>
							)}
						</g>
					))}
					{width >= 600 && (
						<>
							<text x={right + 8} y={y(last.paid) + (isClose ? -4 : 4)} style={{ fontWeight: 600 }}>
								agent {money(last.paid)}
							</text>
							<text
								x={right + 8}
								y={y(last.weft) + (isClose ? 12 : 4)}
								style={{ fill: "var(--k-seed)", fontWeight: 600 }}
							>
								with weft {money(last.weft)}
							</text>
						</>
					)}
					{pointed && (
						<g>
							<line class="axis" x1={x(pointed.at)} x2={x(pointed.at)} y1={TOP} y2={y(0)} />
							<text x={right} y={12} text-anchor="end" class="s">
								{wordsOf(pointed)}
							</text>
						</g>
					)}
				</svg>
			)}
		</div>
	);
}
