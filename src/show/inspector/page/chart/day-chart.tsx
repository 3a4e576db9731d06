/** One column for each day: what it cost. */
import type { JSX } from "preact";
import { useWidth } from "../use-width.ts";
import { axisTicks } from "./scale.ts";

const [HEIGHT, TOP, BOTTOM, LEFT, RIGHT] = [110, 12, 18, 48, 8];
const MIN_DAYS = 7;
const MIN_DAY_PIXELS = 16;

export function DayChart({
	days,
	format,
}: {
	days: readonly { readonly name: string; readonly dollars: number }[];
	format: (value: number) => string;
}): JSX.Element {
	const [box, width] = useWidth();
	const shown = days.slice(-Math.max(MIN_DAYS, Math.floor(width / MIN_DAY_PIXELS)));
	const max = Math.max(1e-6, ...shown.map(({ dollars }) => dollars)) * 1.05;
	const right = width - RIGHT;
	const band = (right - LEFT) / Math.max(1, shown.length);
	const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / max);
	const [first, last] = [shown[0], shown.length > 1 ? shown.at(-1) : undefined];
	return (
		<div ref={box} style={{ minHeight: `${HEIGHT}px` }}>
			{width > 0 && (
				<svg width={width} height={HEIGHT} role="img" aria-label={`Cost by day, ${shown.length} days`}>
					{axisTicks(max, 2).map((value) => (
						<g key={value}>
							<line class="grid" x1={LEFT} x2={right} y1={y(value)} y2={y(value)} />
							<text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
								{format(value)}
							</text>
						</g>
					))}
					{shown.map(({ name, dollars }, at) => (
						<rect
							key={name}
							x={LEFT + band * at + band * 0.15}
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
					<line class="axis" x1={LEFT} x2={right} y1={y(0)} y2={y(0)} />
					{first && (
						<text x={LEFT} y={HEIGHT - 4}>
							{first.name}
						</text>
					)}
					{last && band * shown.length > 150 && (
						<text x={right} y={HEIGHT - 4} text-anchor="end">
							{last.name}
						</text>
					)}
				</svg>
			)}
		</div>
	);
}
