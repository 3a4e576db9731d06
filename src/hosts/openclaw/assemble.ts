/**
 * What the model sees: the seed that stands and the host's own messages behind it, each as the host has it. Every message
 * that comes by is recorded first, because a turn may make a hundred calls before the host commits it.
 */

import { CACHE_TTL_MS } from "../../context/cache/ledger.ts";
import type { EpochPlan, Seal } from "../../context/seal/epochs.ts";
import type { WovenMessage } from "../../context/seal/weave.ts";
import { EngineError } from "../../error/engine-error.ts";
import { asTime } from "../../json/read.ts";
import { clampToBudget } from "../../message/clamp.ts";
import { repairRequest } from "../../message/repair.ts";
import { checkRequest, type Violation } from "../../message/validity.ts";
import { HISTORY_PREAMBLE, HISTORY_TOOLS } from "../../tool/catalogue.ts";
import type { AgentMessage, AssembleParams, AssembleResult } from "./contract.ts";
import { nameMessages, stampOf } from "./identity.ts";
import { isOwn, openingMessage, withoutOwn } from "./own-message.ts";
import type { OpenClawSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { weighAll, wovenMessage } from "./woven.ts";

export interface AssembleContext {
	readonly sessions: Sessions;
	/** Tokens that the messages may take: the smallest number that the host named in this turn. */
	readonly budget: number | undefined;
	readonly now: number;
}

export const DEFAULT_WINDOW_TOKENS = 200_000;
/** The host's budget differs a little from turn to turn; the sizes of an epoch should not. */
const WINDOW_STEP_TOKENS = 1_000;

export async function assemble(params: AssembleParams, context: AssembleContext): Promise<AssembleResult> {
	const { sessions, budget, now } = context;
	const given = params.messages;
	const window = windowOf(budget);
	const before = sessions.of(params).weaver(params.model, window).seals;
	const theirs = withoutOwn(given, before);
	const own = sinceSeal(theirs, before.at(-1));
	const { entries, session } = sessions.record(params, own, "path");
	const path = own.map((message, at) => wovenMessage(message, entries[at]!));
	const plan = await planWithin(session, path, params.model, window, {
		budget,
		cold: isCold(own, now),
	});
	if (!plan.seal && given.length > theirs.length && given.some(isOwn)) {
		throw new EngineError("refused", "The seed that was handed back belongs to no seal of these messages.");
	}
	return answer(inOrder(plan.seal, own.slice(plan.first)), own, params, budget);
}

/** Sendable and within the budget. `own`: the host's messages of which these are a part. */
export function answer(
	made: readonly AgentMessage[],
	own: readonly AgentMessage[],
	params: AssembleParams,
	budget: number | undefined,
): AssembleResult {
	const asked = { messages: own, all: params.messages, prompt: params.prompt };
	const { messages, whole } = fit(made, asked, budget);
	return {
		messages,
		estimatedTokens: weighAll(messages),
		promptAuthority: whole ? "assembled" : "preassembly_may_overflow",
		...addition(params.availableTools),
	};
}

/**
 * The messages that a request can still show: what stands before the newest seal was recorded long ago, and a history of
 * thousands is not read again for every call. All of them where that cannot be told.
 */
function sinceSeal(messages: readonly AgentMessage[], seal: Seal | undefined): readonly AgentMessage[] {
	if (!seal) return messages;
	for (let at = messages.length - 1; at > 0; at--) {
		const message = messages[at]!;
		if (stampOf(message) === undefined) return messages;
		if (nameMessages([message])[0] === seal.from) return messages.slice(at);
	}
	return messages;
}

/** What the host gave, as far as it matters. */
interface Asked {
	readonly messages: readonly AgentMessage[];
	readonly all: readonly AgentMessage[];
	readonly prompt: string | undefined;
}

export function windowOf(budget: number | undefined): number {
	const tokens = budget ?? DEFAULT_WINDOW_TOKENS;
	return Math.max(Math.min(tokens, WINDOW_STEP_TOKENS), tokens - (tokens % WINDOW_STEP_TOKENS));
}

/** As it comes; sealed at once where it would not fit. */
async function planWithin(
	session: OpenClawSession,
	path: readonly WovenMessage[],
	model: string | undefined,
	window: number,
	{ budget, cold }: { readonly budget: number | undefined; readonly cold: boolean },
): Promise<EpochPlan> {
	const weaver = session.weaver(model, window);
	const plan = await weaver.next(path, { cold });
	if (budget === undefined || plan.tokens <= budget) return plan;
	return weaver.next(path, { cold, force: true });
}

function inOrder(seal: Seal | undefined, tail: readonly AgentMessage[]): readonly AgentMessage[] {
	return seal ? [openingMessage(seal.seed.text, seal.from, tail[0]), ...tail] : tail;
}

/** `whole` is false where even the least does not fit. */
function fit(
	messages: readonly AgentMessage[],
	asked: Asked,
	budget: number | undefined,
): { readonly messages: readonly AgentMessage[]; readonly whole: boolean } {
	const small = budget === undefined || weighAll(messages) <= budget;
	const clamped = small ? messages : clampToBudget(messages, "pi", budget).messages;
	const sendable = valid(clamped, asked);
	return { messages: sendable, whole: budget === undefined || weighAll(sendable) <= budget };
}

/** What is wrong with the host's own list is for the host to mend; what is wrong with ours alone is not sent. */
function valid(messages: readonly AgentMessage[], asked: Asked): readonly AgentMessage[] {
	const found = violations(messages, asked);
	if (found.length === 0) return messages;
	const theirs = new Set(checkRequest(withPrompt(asked.all, asked), "pi").map(({ rule }) => rule));
	const isOurs = ({ rule }: Violation) => !theirs.has(rule);
	if (!found.some(isOurs)) return messages;
	const spoken = withPrompt(messages, asked);
	const extra = spoken.length - messages.length;
	const repaired = repairRequest(spoken, "pi").messages as readonly AgentMessage[];
	const mended = repaired.slice(0, repaired.length - extra);
	const left = violations(mended, asked).find(isOurs);
	if (!left) return mended;
	throw new EngineError("refused", `The request would be invalid (${left.rule}, message ${left.at}): ${left.message}`);
}

function violations(messages: readonly AgentMessage[], asked: Asked): readonly Violation[] {
	return checkRequest(withPrompt(messages, asked), "pi", { original: withPrompt(asked.messages, asked) });
}

/** In the first call of a turn the user's words come beside the messages; they will stand behind them. */
function withPrompt(messages: readonly AgentMessage[], { prompt }: Asked): readonly AgentMessage[] {
	const last = messages.at(-1);
	if (last && last.role !== "assistant") return messages;
	return [...messages, { role: "user", content: prompt || "…" }];
}

/** The provider forgets what nobody asked for within its time. */
function isCold(messages: readonly AgentMessage[], now: number): boolean {
	const answer = messages.findLast(({ role }) => role === "assistant");
	const time = answer && asTime(answer["timestamp"]);
	return time !== undefined && now - time > CACHE_TTL_MS;
}

/** The same bytes in every request of a session. Without the tools it would promise what is not there. */
function addition(tools: ReadonlySet<string> | undefined): Pick<AssembleResult, "systemPromptAddition"> {
	const there = tools === undefined || HISTORY_TOOLS.every(({ name }) => tools.has(name));
	return there ? { systemPromptAddition: HISTORY_PREAMBLE.trimStart() } : {};
}
