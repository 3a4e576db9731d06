/** Tokens and cost of each request, with the host's own history for comparison where weft ran. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { missSentence } from "../../../../view/cache-miss.ts";
import type { RequestRow } from "../../../../view/requests.ts";
import type { Vitals } from "../../../../view/vitals.ts";
import { href } from "../address.ts";
import { Chart, type RequestMark, type SealMark } from "../chart/chart.tsx";
import type { EndLabel } from "../chart/scale.ts";
import { count, dollars, kilo, percent, cost as showCost } from "../format.ts";
import { COLOUR, Swatch, Switch } from "../parts.tsx";
import { savedFile } from "../saved-file.ts";

type CostMode = "sum" | "each";
/** What lies to the right of what: the later, or the next request. */
type AxisMode = "time" | "request";

interface Curves {
	/** weft made these requests: there is a host to compare with. */
	readonly isWefts: boolean;
	readonly stack: readonly (readonly number[])[] | undefined;
	/** Undefined: the requests lie side by side. */
	readonly times: readonly number[] | undefined;
	readonly tokens: readonly number[];
	readonly hostTokens: readonly (number | null)[];
	readonly cost: readonly number[];
	readonly hostCost: readonly number[];
	readonly seals: readonly SealMark[];
	readonly marks: readonly RequestMark[];
	/** Some of the cost is ours. */
	readonly isEstimated: boolean;
	readonly isAssumed: boolean;
}

const STACK = ["tools", "system", "seed", "tail", "uncached"];
/** Beyond this the tokens are one curve instead of bars. */
const MAX_BARS = 400;

export function TimelineCurves({
	rows,
	mode,
	by,
	full,
}: {
	rows: readonly RequestRow[];
	mode: CostMode;
	/** By default the time for a session without weft: seals lie between two requests. */
	by: string | undefined;
	full: Vitals["full"] | undefined;
}): JSX.Element | null {
	const axis: AxisMode =
		by === "time" || by === "request" ? by : rows.some(({ host }) => host !== null) ? "request" : "time";
	const curves = useMemo(() => curvesOf(rows, mode, axis), [rows, mode, axis]);
	if (rows.length === 0) return null;
	if (rows.every(({ tokens }) => tokens === 0))
		return (
			<div class="charts" style={{ paddingTop: "10px" }}>
				<div class="note">The agent reported no usage: there are no sizes and no cost to draw.</div>
			</div>
		);
	return (
		<div class="charts" style={{ paddingTop: "10px" }}>
			<Legend curves={curves} mode={mode} axis={axis} />
			<TokenChart curves={curves} full={full} />
			<CostChart curves={curves} mode={mode} />
			{!curves.isWefts && !savedFile && (
				<div class="note">
					weft did not run in this session: the curve shows what the provider reported.{" "}
					<a class="b" href={href({ page: "replay", fresh: true })}>
						Replay it
					</a>{" "}
					to see what each mode would have sent.
				</div>
			)}
		</div>
	);
}

function curvesOf(rows: readonly RequestRow[], mode: CostMode, axis: AxisMode): Curves {
	const isWefts = rows.some(({ host }) => host !== null);
	const cost = rows.map((row) => (isWefts ? (row.estimated ?? 0) : (row.dollars ?? 0)));
	const hostCost = rows.map((row) => row.host?.dollars ?? row.estimated ?? 0);
	return {
		isWefts,
		times: axis === "time" && rows.length > 1 ? inOrder(rows.map(({ ts }) => ts)) : undefined,
		stack: isWefts
			? rows.map(({ segments }) => STACK.map((name) => segments.find((segment) => segment.name === name)?.tokens ?? 0))
			: undefined,
		tokens: lastKnown(rows.map(({ mode, reported, tokens }) => (mode === null && !reported ? null : tokens))),
		hostTokens: rows.map(({ host }) => host?.tokens ?? null),
		cost: mode === "sum" ? runningSum(cost) : cost,
		hostCost: mode === "sum" ? runningSum(hostCost) : hostCost,
		seals: rows.flatMap(({ seal }, at): SealMark[] => (seal ? [[at, seal.why]] : [])),
		marks: rows.flatMap(marksOf),
		isEstimated: rows.some((row) => row.isEstimated),
		isAssumed: rows.some((row) => row.isAssumed),
	};
}

function marksOf({ n, miss, compaction }: RequestRow, at: number): RequestMark[] {
	const size = (tokens: number | null) => (tokens === null ? "?" : kilo(tokens));
	return [
		...(compaction
			? [
					{
						at,
						kind: "compaction" as const,
						title: `before request ${n} the agent compacted ${size(compaction.tokensBefore)} to ${size(compaction.tokensAfter)} tokens`,
					},
				]
			: []),
		...(miss && miss.state !== "seal"
			? [{ at, kind: "miss" as const, title: `request ${n}: ${missSentence(miss)}` }]
			: []),
	];
}

/** A request without usage is not one of no tokens. */
function lastKnown(sizes: readonly (number | null)[]): number[] {
	let last = 0;
	return sizes.map((size) => {
		last = size ?? last;
		return last;
	});
}

/** A clock that was set back must not draw a curve backwards. */
function inOrder(times: readonly number[]): number[] {
	let latest = Number.NEGATIVE_INFINITY;
	return times.map((time) => {
		latest = Math.max(latest, time);
		return latest;
	});
}

function runningSum(values: readonly number[]): number[] {
	let sum = 0;
	return values.map((value) => {
		sum += value;
		return sum;
	});
}

function Legend({
	curves: { isWefts, seals, marks },
	mode,
	axis,
}: {
	curves: Curves;
	mode: CostMode;
	axis: AxisMode;
}): JSX.Element {
	return (
		<div class="leg" style={{ margin: "0 0 6px" }}>
			{isWefts ? (
				STACK.slice(0, 4).map((name) => (
					<span key={name}>
						<Swatch of={name} />
						{name}
					</span>
				))
			) : (
				<span>
					<Swatch of="seed" />
					prompt, as reported
				</span>
			)}
			{isWefts && (
				<span>
					<i class="sw line" style={{ "--c": "var(--k-host)" }} />
					what the agent alone would have sent
				</span>
			)}
			{seals.length > 0 && <span>▼ seal</span>}
			{marks.some(({ kind }) => kind === "compaction") && <span>◆ compaction by the agent</span>}
			{marks.some(({ kind }) => kind === "miss") && (
				<span style={{ color: "var(--s-blocked)" }}>
					▲ paid again: {count(marks.filter(({ kind }) => kind === "miss").length)}
				</span>
			)}
			<span class="push">
				<Switch
					label="Axis"
					name="x"
					value={axis}
					options={[
						["time", "By time"],
						["request", "By request"],
					]}
				/>{" "}
				<Switch
					label="Cost"
					name="cost"
					value={mode}
					options={[
						["sum", "Total cost"],
						["each", "Per request"],
					]}
				/>
			</span>
		</div>
	);
}

function TokenChart({ curves, full }: { curves: Curves; full: Vitals["full"] | undefined }): JSX.Element {
	const { isWefts, tokens, hostTokens, seals, marks, times } = curves;
	const stack = tokens.length <= MAX_BARS && !times ? curves.stack : undefined;
	const tip = (at: number) => {
		const host = hostTokens[at];
		return `${count(tokens[at] ?? 0)} tokens${host ? `, agent alone ${count(host)}` : ""}`;
	};
	return (
		<Chart
			title="Tokens per request"
			unit="tokens"
			height={218}
			times={times}
			stack={stack}
			colours={STACK.map((name) => COLOUR[name] ?? "")}
			format={kilo}
			seals={seals}
			marks={marks}
			ceiling={full?.ceiling}
			ceilingName={isWefts ? "ceiling" : full?.isWindowAssumed ? "assumed window" : "window"}
			lines={[
				...(isWefts ? [{ values: hostTokens, colour: "var(--k-host)", isDashed: true }] : []),
				...(stack ? [] : [{ values: tokens, colour: "var(--k-seed)", isFilled: true }]),
			]}
			ends={tokenEnds(curves)}
			href={(at) => href({ page: "request", id: String(at + 1), fresh: true })}
			tip={tip}
		/>
	);
}

function tokenEnds({ isWefts, tokens, hostTokens }: Curves): EndLabel[] {
	const sent = tokens.at(-1) ?? 0;
	const host = isWefts ? hostTokens.at(-1) : undefined;
	const label = { at: sent, text: `sent ${kilo(sent)}`, sub: isWefts ? "by weft" : "by the agent" };
	return [
		...(typeof host === "number"
			? [{ at: host, text: `agent ${kilo(host)}`, sub: "its own history", colour: "var(--k-host)" }]
			: []),
		{ ...label, colour: "var(--k-seed)" },
	];
}

function CostChart({ curves, mode }: { curves: Curves; mode: CostMode }): JSX.Element {
	const { isWefts, cost, hostCost, seals, marks, times } = curves;
	return (
		<Chart
			title="Cost"
			unit={mode === "sum" ? "$, total" : "$ each"}
			height={140}
			times={times}
			format={(value) => `$${value < 10 && value % 1 ? value.toFixed(value < 0.1 ? 3 : 2) : value}`}
			seals={seals.map(([at]) => [at, ""] as const)}
			marks={marks.filter(({ kind }) => kind === "miss")}
			lines={[
				...(isWefts ? [{ values: hostCost, colour: "var(--k-host)", isDashed: true, isStepped: mode === "sum" }] : []),
				{ values: cost, colour: "var(--ink)", isStepped: mode === "sum" },
			]}
			ends={costEnds(curves, mode)}
		/>
	);
}

function costEnds({ isWefts, isEstimated, isAssumed, cost, hostCost }: Curves, mode: CostMode): EndLabel[] {
	const [own, host] = [cost.at(-1) ?? 0, hostCost.at(-1) ?? 0];
	const digits = mode === "sum" ? 2 : 4;
	const show = (of: number) =>
		showCost({ dollars: of, estimated: isEstimated && !isWefts, assumed: isAssumed }, digits);
	const text = `${show(own)}${isWefts ? " weft" : ""}`;
	const sub = isWefts && mode === "sum" ? renderSaving(host - own, host) : "";
	return [
		...(isWefts ? [{ at: host, text: `${show(host)} agent`, colour: "var(--k-host)" }] : []),
		{ at: own, text, sub, colour: "var(--ink)" },
	];
}

function renderSaving(less: number, host: number): string {
	return less >= 0
		? `${dollars(less, 2)} less, ${percent(less / Math.max(1e-9, host), 0)}`
		: `${dollars(-less, 2)} more so far`;
}
