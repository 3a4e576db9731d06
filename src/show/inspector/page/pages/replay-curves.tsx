/** The same session in each mode: small charts side by side, on one scale. */
import type { JSX } from "preact";
import type { ModeReport } from "../../../../replay/mode-report.ts";
import { Chart, type ChartLine, type SealMark } from "../chart/chart.tsx";
import { kilo } from "../format.ts";
import type { ReplayedMode } from "./replay-result.tsx";

const HEADROOM = 1.05;

export function ReplayCurves({
	modes,
	dollarsPerMillion,
	money,
}: {
	modes: readonly ReplayedMode[];
	dollarsPerMillion: number;
	/** A cost with its marks. */
	money: (value: number) => string;
}): JSX.Element {
	const curves = modes.map(({ name, mode }) => ({
		name,
		mode,
		tokens: mode.perRequest.map(({ tokens }) => tokens),
		cost: runningCost(mode, dollarsPerMillion),
	}));
	const host = curves.find(({ name }) => name === "host");
	const maxTokens = Math.max(1, ...modes.map(({ mode }) => mode.maxTokens)) * HEADROOM;
	const maxCost = Math.max(1e-6, ...curves.map(({ cost }) => cost.at(-1) ?? 0)) * HEADROOM;
	return (
		<>
			<div class="sec charts">
				<header>
					<h2>Tokens per request</h2>
					<span class="dim">same scale for all; dashed: host; ▼ bytes that were already sent changed</span>
				</header>
				<div class="mult">
					{curves.map(({ name, mode, tokens }) => (
						<div key={name}>
							<Title name={name} note={`mean ${kilo(mode.meanTokens)} · most ${kilo(mode.maxTokens)}`} />
							<Chart
								isSmall
								title={`${name}, tokens per request`}
								unit=""
								height={118}
								max={maxTokens}
								format={kilo}
								seals={name === "warp" ? [] : breaksOf(mode)}
								lines={beside(host?.tokens, name, tokens, "var(--k-seed)")}
							/>
						</div>
					))}
				</div>
			</div>
			<div class="sec charts">
				<header>
					<h2>Cost so far</h2>
					<span class="dim">dollars, same scale for all</span>
				</header>
				<div class="mult">
					{curves.map(({ name, cost }) => (
						<div key={name}>
							<Title name={name} note={`${money(cost.at(-1) ?? 0)} in total`} />
							<Chart
								isSmall
								title={`${name}, cost so far`}
								unit=""
								height={100}
								max={maxCost}
								format={(value) => `$${value < 1 && value > 0 ? value.toFixed(2) : value}`}
								lines={beside(host?.cost, name, cost, "var(--ink)")}
							/>
						</div>
					))}
				</div>
			</div>
		</>
	);
}

function Title({ name, note }: { name: string; note: string }): JSX.Element {
	return (
		<h3>
			{name}{" "}
			<span class="dim" style={{ fontWeight: 400 }}>
				{note}
			</span>
		</h3>
	);
}

function runningCost({ perRequest }: ModeReport, dollarsPerMillion: number): number[] {
	let total = 0;
	return perRequest.map(({ units, outputUnits }) => {
		total += ((units + outputUnits) * dollarsPerMillion) / 1e6;
		return total;
	});
}

function breaksOf({ perRequest }: ModeReport): SealMark[] {
	return perRequest.flatMap(({ broke }, at): SealMark[] => (broke === undefined ? [] : [[at, ""]]));
}

/** The curve of a mode, with the host's as a dashed line behind it. */
function beside(
	host: readonly number[] | undefined,
	name: string,
	values: readonly number[],
	colour: string,
): ChartLine[] {
	if (name === "host") return [{ values, colour: "var(--k-host)", isFilled: true }];
	const behind: ChartLine[] = host ? [{ values: host, colour: "var(--k-host)", isDashed: true }] : [];
	return [...behind, { values, colour, isFilled: true }];
}
