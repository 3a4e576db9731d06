/** The four vitals above every page: how full the context is, how fresh the files, what it cost, what is wrong. */
import type { ComponentChildren, JSX } from "preact";
import type { Vitals } from "../../../view/vitals.ts";
import { href } from "./address.ts";
import { useNow } from "./data.ts";
import { ago, count, kilo, many, percent, cost as showCost, sourceOfCost } from "./format.ts";
import { COLOUR, State, type StateKind } from "./parts.tsx";

/** `isSlow`: they are computed, and it takes long enough to say so. */
export function VitalsRow({ vitals, isSlow }: { vitals: Vitals | undefined; isSlow: boolean }): JSX.Element {
	const isWaiting = isSlow && vitals === undefined;
	return (
		<nav class="vit" aria-label="Session vitals" aria-busy={isWaiting}>
			<Full full={vitals?.full} isHosts={vitals?.isHosts === true} isWaiting={isWaiting} />
			<Fresh vitals={vitals} />
			<Cost cost={vitals?.cost} misses={vitals?.misses} />
			<Wrong wrong={vitals?.wrong} />
		</nav>
	);
}

function Vital({
	name,
	page,
	value,
	children,
}: {
	name: string;
	page: string;
	value: ComponentChildren;
	children: ComponentChildren;
}): JSX.Element {
	return (
		<a href={href({ page, fresh: true })} data-vital={name.toLowerCase()}>
			<span class="k">{name}</span>
			<span class="v">{value ?? "–"}</span>
			<span class="w">{children}</span>
		</a>
	);
}

function Full({
	full,
	isHosts,
	isWaiting,
}: {
	full: Vitals["full"] | undefined;
	isHosts: boolean;
	isWaiting: boolean;
}): JSX.Element {
	const isGuess = full?.isWindowAssumed && full.ceiling === full.window;
	const value = full && (
		<>
			{(isHosts && full.guess === null) || full.tokens === 0 ? "" : "~"}
			{count(full.tokens)}{" "}
			<small>
				of{" "}
				<span class="hide-s">
					{count(full.ceiling)}
					<span class="x"> tokens</span>
					{isGuess ? " (assumed)" : ""}
				</span>
				<span class="only-s">
					{kilo(full.ceiling)}
					{isGuess ? "?" : ""}
				</span>
				, {percent(full.tokens / full.ceiling, 0)}
				<span class="x hide-s"> {full.guess === "messages" ? "· the messages alone" : windowWords(full)}</span>
			</small>
		</>
	);
	return (
		<Vital name="Full" page="now" value={value}>
			{isWaiting ? (
				"reading the log …"
			) : (
				<span class="minibar">
					{full?.segments.map(({ name, tokens }) => (
						<i key={name} style={{ width: `${(100 * tokens) / full.ceiling}%`, "--c": COLOUR[name] }} />
					))}
				</span>
			)}
		</Vital>
	);
}

function windowWords({ ceiling, window, isWindowAssumed }: Vitals["full"]): string {
	return ceiling === window ? "of the window" : `· window ${kilo(window)}${isWindowAssumed ? " (assumed)" : ""}`;
}

function Fresh({ vitals }: { vitals: Vitals | undefined }): JSX.Element {
	const now = useNow();
	return (
		<Vital name="Fresh" page="work" value={vitals && <Freshness of={vitals.fresh} />}>
			{vitals && (
				<>
					<span class="x">last active {ago(vitals.lastActive, now)} · </span>
					{vitals.cache.warm ? <State is="fresh">cache warm</State> : <State is="cold">cache cold</State>}
				</>
			)}
		</Vital>
	);
}

function Freshness({ of: { files, fresh, stale, onDisk } }: { of: Vitals["fresh"] }): JSX.Element {
	if (!onDisk) return <State is="none">{files === 0 ? "no files yet" : "files not on this disk"}</State>;
	return (
		<State is={stale.length > 0 ? "stale" : "fresh"}>
			<span style={{ color: "var(--ink)" }}>
				{fresh} of {many(files, "file")} fresh
			</span>
		</State>
	);
}

function Cost({
	cost,
	misses,
}: {
	cost: Vitals["cost"] | undefined;
	misses: Vitals["misses"] | undefined;
}): JSX.Element {
	const value = cost && (
		<>
			{cost.requests > 0 && cost.counted === 0 ? "–" : showCost(cost, 2)}{" "}
			<small>
				{cost.requests > 0 && cost.counted === 0 ? "no usage reported" : sourceOfCost(cost)}
				<span class="x">, {requestsOf(cost)}</span>
			</small>
		</>
	);
	return (
		<Vital name="Cost" page="timeline" value={value}>
			{misses && misses.count > 0 && cost?.saved === null ? (
				<State is="blocked">
					<span>
						{showCost({ dollars: misses.dollars, estimated: true, assumed: cost.assumed }, 2)} paid again
						<span class="hide-s">, {many(misses.count, "miss", "misses")}</span>
					</span>
				</State>
			) : (
				cost && renderSaved(cost.saved)
			)}
			{cost?.hit != null && <span class="x"> · hit {percent(cost.hit)}</span>}
		</Vital>
	);
}

function requestsOf({ requests, counted }: Vitals["cost"]): string {
	const isPart = counted > 0 && counted < requests;
	return `${isPart ? `${count(counted)} of ` : ""}${many(requests, "request")}`;
}

function renderSaved(saved: number | null): string {
	if (saved === null) return "weft did not run here";
	return saved >= 0
		? `${percent(saved, 0)} less than the agent alone`
		: `${percent(-saved, 0)} more than the agent alone, so far`;
}

function Wrong({ wrong }: { wrong: Vitals["wrong"] | undefined }): JSX.Element {
	const [is, text] = worstOf(wrong);
	return (
		<Vital name="Wrong" page="work" value={wrong && <State is={is}>{text}</State>}>
			{wrong && (
				<>
					{/* The value above names one of them already. */}
					{text.endsWith("open") ? "" : `${many(wrong.failures, "failure")} open · `}
					{count(wrong.blocks)} blocked<span class="x"> · {many(wrong.faults, "fault")}</span>
				</>
			)}
		</Vital>
	);
}

/** Only the worst problem is named. */
function worstOf(wrong: Vitals["wrong"] | undefined): readonly [StateKind, string] {
	if (!wrong) return ["none", ""];
	if (wrong.damaged > 0) return ["blocked", `${many(wrong.damaged, "event")} damaged`];
	if (wrong.unexplained > 0) return ["blocked", many(wrong.unexplained, "unexplained break")];
	if (wrong.faults > 0) return ["blocked", `${many(wrong.faults, "fault")} in weft`];
	if (wrong.failures > 0) return ["blocked", `${many(wrong.failures, "failure")} open`];
	if (wrong.blocks > 0) return ["stale", `${many(wrong.blocks, "call")} blocked`];
	if (wrong.stale > 0) return ["stale", many(wrong.stale, "stale file")];
	return ["fresh", "nothing wrong"];
}
