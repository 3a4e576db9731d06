/**
 * The user's policy: what may make weft seal by itself. `thrift` seals when keeping text costs more than a seal, the
 * others only when the window fills up. A seal that the user or the agent asks for is made under every policy.
 */
import type { Prices } from "../../base/tokens/prices.ts";
import { ceilingTokens } from "./rule.ts";

/**
 * `thrift`: when keeping more costs more than a seal. `window`: when a share of the window is full. `late`: near the
 * limit of the window. `host`: only when the agent would compact.
 */
export const SEAL_POLICIES = ["thrift", "window", "late", "host"] as const;
export type SealPolicy = (typeof SEAL_POLICIES)[number];

/** As the setting has it; `auto` is decided by who pays what. */
export type SealSetting = SealPolicy | "auto";

/** Percent of the window at which `window` seals. */
const DEFAULT_SEAL_SHARE = 60;
/** Percent of the window at which `late` seals. The rest is for the answer and the next results. */
const LATE_SHARE = 85;

/**
 * A fact that only the agent knows and that decides where the setting is `auto`. `no-compaction`: the user has turned
 * the agent's own compaction off. `local`: the model runs on the user's machine. `flat`: the user pays a flat rate for it.
 */
export const AUTO_SEAL_CAUSES = ["no-compaction", "local", "flat"] as const;
export type AutoSealCause = (typeof AUTO_SEAL_CAUSES)[number];

/**
 * The policy in effect. A user who turned compaction off wants no text to leave unasked. Where no token is paid for, a
 * seal saves nothing and hides something; on a local model it also costs the model's own cache. A flat rate has limits,
 * so a full window is not free there. A model without a known price is taken for a paid one.
 */
export function policyOf(setting: SealSetting | undefined, prices: Prices, cause?: AutoSealCause): SealPolicy {
	if (setting === undefined) return "thrift";
	if (setting !== "auto") return setting;
	if (cause === "no-compaction") return "host";
	if (prices.input === 0 || (cause === "local" && prices.assumed)) return "late";
	return cause === "flat" ? "window" : "thrift";
}

export interface SealRoom {
	/** Tokens that the messages may take. */
	readonly window: number;
	/** Tokens of the system prompt and the tools, which fill a part of the user's share. */
	readonly fixed?: number | undefined;
	/** Percent of the window, as the user set it. */
	readonly share?: number | undefined;
}

/** Tokens of messages at which a seal comes, worth it or not. */
export function sealLimit(policy: SealPolicy, { window, fixed = 0, share = DEFAULT_SEAL_SHARE }: SealRoom): number {
	switch (policy) {
		case "thrift":
			return ceilingTokens(window);
		case "window":
			return shareLeft(Math.min(share, LATE_SHARE), window, fixed);
		case "late":
			return shareLeft(LATE_SHARE, window, fixed);
		case "host":
			return Number.POSITIVE_INFINITY;
	}
}

/** At least half of what the share would be without them: system prompt and tools may need more than a small share. */
function shareLeft(percent: number, window: number, fixed: number): number {
	const least = (window * percent) / 200;
	return Math.floor(Math.max(least, ((window + fixed) * percent) / 100 - fixed));
}

/** Tells the user which policy is in effect although they chose none; undefined: the usual one, by a known price. */
export function renderAutoPolicy(model: string, prices: Prices, cause?: AutoSealCause): string | undefined {
	const policy = policyOf("auto", prices, cause);
	const sealing = `weft seals ${POLICY_WORDS[policy]} (seal: ${policy}).`;
	switch (policy) {
		case "host":
			return `the agent's own compaction is off: ${sealing} ${CHANGE}`;
		case "late":
			return `${model} ${prices.input === 0 ? "costs nothing" : "runs on your machine"}: ${sealing} ${CHANGE}`;
		case "window":
			return `you pay a flat rate for ${model}: ${sealing} ${CHANGE}`;
		case "thrift":
			return prices.assumed
				? `the price of ${model} is not known. weft assumes that a cached token costs a tenth of a new one: ${sealing} The settings prices and seal change that.`
				: undefined;
	}
}

const CHANGE = "The setting seal changes that.";

export const POLICY_WORDS: Readonly<Record<SealPolicy, string>> = {
	thrift: "when keeping more costs more than a seal",
	window: "when a share of the window is full",
	late: "near the window's limit",
	host: "only when the agent would compact",
};
