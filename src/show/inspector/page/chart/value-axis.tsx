/** The horizontal lines of a chart, each with its value. */
import type { JSX } from "preact";
import { axisTicks } from "./scale.ts";

export function ValueAxis({
	max,
	ticks,
	left,
	right,
	y,
	format,
}: {
	max: number;
	/** About how many. */
	ticks: number;
	left: number;
	right: number;
	y: (value: number) => number;
	format: (value: number) => string;
}): JSX.Element {
	return (
		<>
			{axisTicks(max, ticks).map((value) => (
				<g key={value}>
					<line class="grid" x1={left} x2={right} y1={y(value)} y2={y(value)} />
					<text x={left - 6} y={y(value) + 4} text-anchor="end">
						{format(value)}
					</text>
				</g>
			))}
		</>
	);
}
