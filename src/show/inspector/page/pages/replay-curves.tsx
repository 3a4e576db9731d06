/** The same session under each mode, one small chart beside the other, on one scale. */
import type { JSX } from "preact";
import type { ModeReport } from "../../../../replay/mode-report.ts";
import { Chart } from "../chart/chart.tsx";
import { dollars, kilo } from "../format.ts";

export function ReplayCurves({
	modes,
	names,
	prices,
}: {
	modes: Readonly<Record<string, ModeReport>>;
	names: readonly string[];
	prices: number;
}): JSX.Element {
	const host = modes["host"]?.perRequest;
	const sum = (of: ModeReport["perRequest"]) => {
		let total = 0;
		return of.map(({ units }) => {
			total += (units * prices) / 1e6;
			return total;
		});
	};
	const maxTokens = Math.max(1, ...names.map((name) => modes[name]!.maxTokens)) * 1.05;
	const maxCost = Math.max(1e-6, ...names.map((name) => sum(modes[name]!.perRequest).at(-1) ?? 0)) * 1.05;
	const hostTokens = host?.map(({ tokens }) => tokens);
	const hostCost = host && sum(host);
	return (
		<>
			<div class="sec charts">
				<header>
					<h2>Tokens per request</h2>
					<span class="dim">one scale for all; dashed: host; ▼ bytes already sent changed</span>
				</header>
				<div class="mult">
					{names.map((name) => {
						const mode = modes[name]!;
						const marks =
							name === "warp"
								? []
								: mode.perRequest.flatMap(({ broke }, at) => (broke === undefined ? [] : [[at, ""] as const]));
						return (
							<div key={name}>
								<h3>
									{name}{" "}
									<span class="dim" style={{ fontWeight: 400 }}>
										mean {kilo(mode.meanTokens)} · most {kilo(mode.maxTokens)}
									</span>
								</h3>
								<Chart
									isSmall
									title={`${name}, tokens per request`}
									unit=""
									height={118}
									max={maxTokens}
									format={kilo}
									seals={marks}
									lines={[
										...(hostTokens && name !== "host"
											? [{ values: hostTokens, colour: "var(--k-host)", isDashed: true }]
											: []),
										{
											values: mode.perRequest.map(({ tokens }) => tokens),
											colour: name === "host" ? "var(--k-host)" : "var(--k-seed)",
											isFilled: true,
										},
									]}
								/>
							</div>
						);
					})}
				</div>
			</div>
			<div class="sec charts">
				<header>
					<h2>Cost so far</h2>
					<span class="dim">dollars, one scale for all</span>
				</header>
				<div class="mult">
					{names.map((name) => {
						const cost = sum(modes[name]!.perRequest);
						return (
							<div key={name}>
								<h3>
									{name}{" "}
									<span class="dim" style={{ fontWeight: 400 }}>
										{dollars(cost.at(-1) ?? 0, 2)} in all
									</span>
								</h3>
								<Chart
									isSmall
									title={`${name}, cost so far`}
									unit=""
									height={100}
									max={maxCost}
									format={(value) => `$${value < 1 && value > 0 ? value.toFixed(2) : value}`}
									lines={[
										...(hostCost && name !== "host"
											? [{ values: hostCost, colour: "var(--k-host)", isDashed: true }]
											: []),
										{ values: cost, colour: name === "host" ? "var(--k-host)" : "var(--ink)", isFilled: true },
									]}
								/>
							</div>
						);
					})}
				</div>
			</div>
		</>
	);
}
