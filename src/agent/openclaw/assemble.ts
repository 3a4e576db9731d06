/**
 * The messages of a request: the seed that opens the conversation, then the host's own messages as the host has them. The
 * host withholds the current turn and appends it to our answer, so weft can only make room before it.
 */

import { EngineError } from "../../base/error/engine-error.ts";
import { asTime } from "../../base/json/read.ts";
import { leaveOutThinking, type ThinkingFacts } from "../../context/bound-thinking.ts";
import type { Plan, PlannedSeal } from "../../context/plan.ts";
import type { SealInput } from "../../context/request.ts";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { repairRequest } from "../../message/repair.ts";
import { hasThinking, withoutThinking } from "../../message/thinking.ts";
import { type ThinkingRule, thinkingRule } from "../../message/thinking-rules.ts";
import { checkRequest, type Violation } from "../../message/validity.ts";
import { messageText } from "../../message/view.ts";
import { MIN_BUDGET_TOKENS, type RequestRoom } from "./attempts.ts";
import type { AgentMessage, AssembleParams, AssembleResult } from "./contract.ts";
import { isSealedWhole, splitJoined } from "./joined-messages.ts";
import { clampToBudget, weighAll } from "./message-budget.ts";
import { nameMessages, stampOf, withName } from "./message-names.ts";
import { isRecalled, isSeed, openingMessage, withoutOwn } from "./own-message.ts";
import { firstRecalled, type Recalling, recallOnce, withRecalled } from "./recall.ts";
import type { OpenClawSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { viewOf } from "./translate.ts";
import { windowOf } from "./window-account.ts";

export interface AssembleContext {
	readonly engine: Engine;
	readonly sessions: Sessions;
	readonly room: RequestRoom;
	/** False: the turn may have answers already, which the host appends to ours. */
	readonly isFirst: boolean;
	/** False: the agent cannot call our tools. */
	readonly namesTools: boolean;
	/** True: the host's transcript was read, so a message that the log lacks is not part of the conversation. */
	readonly isCaughtUp: boolean;
	readonly recalling: Recalling;
	readonly onSeal: (session: SessionRef, seal: PlannedSeal) => void;
}

export async function assemble(params: AssembleParams, context: AssembleContext): Promise<AssembleResult> {
	const { engine, sessions, room } = context;
	const given = params.messages;
	// An empty list in a session that has messages: the host has reset it.
	if (given.length === 0) sessions.showNone(params, context.isCaughtUp);
	// A budget of the host's alone, and one that no turn really has.
	const isOdd = room.window === undefined && room.budget !== undefined && room.budget < MIN_BUDGET_TOKENS;
	const state = sessions.state(params);
	const { touchedAt: lastAskedAt, window: whole = isOdd ? undefined : room.budget, displacedAt } = state;
	// The planner itself subtracts what the provider counted beyond the messages.
	const window = windowOf(whole);
	const input = { model: params.model, window, namesTools: context.namesTools, lastAskedAt };
	const session = sessions.follow(params, withoutOwn(given));
	if (given.length === 0) session.begin();
	const before = engine.plan({ ...session.ref, ...input, decide: false });
	const own = visibleMessages(given, session, before, engine);
	const located = locate(own, session, before, context, params);
	const newest = located.entries.findLast((entry) => entry !== undefined);
	const leaf = newest === undefined ? undefined : engine.history.tree.find(located.session.ref, newest);
	const request = { ...located.session.ref, ...input, leaf };
	await recallOnce(engine, request, params, context.recalling);
	const isGone = isSealedWhole(engine, located.session, before, leaf);
	// A seal lasts, so an odd budget makes none: `answer` cuts this one request.
	const within = isOdd ? { ...context, room: { ...room, budget: undefined } } : context;
	const binds = bindsTurn(before, params.model);
	const plan = isGone ? before : await planWithin(within, request, binds);
	if (!plan.opening && given.some(isSeed)) {
		throw new EngineError("refused", "The seed that was handed back belongs to no seal of these messages.");
	}
	const nameOf = (message: AgentMessage) => located.entries[own.indexOf(message)];
	const thinking = engine.requests.thinking(request, plan);
	const first = plan.opening ? undefined : firstRecalled(engine, located.session.ref);
	const kept = withRecalled(tailOf(own, located.entries, plan), { nameOf, plan, first });
	const tail = bindThinking(kept, nameOf, { ...thinking, displacedAt });
	const { opening } = plan;
	const made = opening ? [openingMessage(opening.text, opening.sent.id, tail[0]), ...tail] : tail;
	return answer(made, { own, params, thinking: thinking.rule }, room.budget);
}

/** The host's messages that a request can still show. */
function visibleMessages(
	given: readonly AgentMessage[],
	session: OpenClawSession,
	plan: Plan,
	engine: Engine,
): readonly AgentMessage[] {
	const theirs = withoutOwn(given, plan.opening?.text);
	const since = sinceOpening(theirs, plan);
	// If the first kept message is missing, the host may have joined it with another.
	const isHidden = plan.opening !== undefined && since === theirs;
	return isHidden ? sinceOpening(splitJoined(theirs, engine, session), plan) : since;
}

interface LocatedMessages {
	readonly session: OpenClawSession;
	/** The log's name of each message; undefined: only the host has it. */
	readonly entries: readonly (string | undefined)[];
}

/** Finds the messages in the log. If the transcript could not be read, records the new ones here. */
function locate(
	own: readonly AgentMessage[],
	session: OpenClawSession,
	plan: Plan,
	{ sessions, isCaughtUp }: AssembleContext,
	params: AssembleParams,
): LocatedMessages {
	if (!isCaughtUp) return sessions.record(params, own, "path");
	const byTime = new Map(plan.messages.map(({ role, ts, id }) => [`${role} ${ts}`, id]));
	const names = nameMessages(own);
	const entries = own.map((message, at) => {
		const name = names[at];
		if (name !== undefined && session.seqOf(name) !== undefined) return name;
		return byTime.get(`${message.role} ${asTime(message["timestamp"])}`);
	});
	return { session, entries };
}

/** The log may know more than the host shows: a message that the host left out stays out. One that only the host has stays in. */
function tailOf(
	own: readonly AgentMessage[],
	entries: LocatedMessages["entries"],
	plan: Plan,
): readonly AgentMessage[] {
	if (!plan.opening) return own;
	const kept = new Set(plan.messages.map(({ id }) => id));
	const isKept = (entry: string | undefined) => entry !== undefined && kept.has(entry);
	const first = entries.findIndex(isKept);
	return own.filter((_, at) => isKept(entries[at]) || (first >= 0 && at > first && entries[at] === undefined));
}

/**
 * Messages without the thinking that the model wrote before a seal. Each keeps its name, because its content is another now.
 * `displacedAt`: a seal within a turn. The log has the answers of that turn after the seal, so their time decides.
 */
function bindThinking(
	messages: readonly AgentMessage[],
	nameOf: (message: AgentMessage) => string | undefined,
	{ displacedAt = 0, ...thinking }: ThinkingFacts & { readonly displacedAt?: number | undefined },
): readonly AgentMessage[] {
	const named = messages.map((message, at): AgentMessage & { readonly id: string } => ({
		...message,
		id: nameOf(message) ?? `place ${at}`,
	}));
	const earlier = named.filter((message) => (asTime(message["timestamp"]) ?? displacedAt) < displacedAt);
	const displaced = new Set([...thinking.displaced, ...earlier.map(({ id }) => id)]);
	const leftOut = new Set(leaveOutThinking(named, { ...thinking, displaced }).leftOut);
	return messages.map((message, at) => {
		const name = named[at]?.id ?? "";
		return leftOut.has(name) ? withName(withoutThinking(message), name) : message;
	});
}

/**
 * True: the model binds its thinking to what is before it. The host appends the answers of the current turn to our messages with their
 * thinking, so a seal between them would have the next request refused.
 */
function bindsTurn({ messages }: Plan, model: string | undefined): boolean {
	return thinkingRule({ model }) === "bound" && messages.some(({ sent }) => hasThinking(sent));
}

/** Of the budget, kept free for the turn that begins. A seal leaves less than the rest. */
const TURN_SHARE = 0.5;

/**
 * The plan as it is, sealed first if it would not fit or a seal is due. `binds`: a seal within the turn has a request refused, so it
 * waits as long as it can, and a turn begins with half of the budget free.
 */
async function planWithin(
	{ engine, room: { budget }, isFirst, onSeal }: AssembleContext,
	input: Parameters<Engine["plan"]>[0],
	binds: boolean,
): Promise<Plan> {
	const seal = async (more: Partial<SealInput> = {}) => {
		const made = await engine.seal({ ...input, ...more });
		if (made) onSeal(input, made);
	};
	// In warp a text opens every run, although nothing leaves.
	const isDue = () => engine.settings.mode === "warp" || engine.requests.dueWhy(input) !== undefined;
	if ((isFirst || !binds) && isDue()) await seal();
	const plan = engine.plan({ ...input, decide: false });
	const reserve = isFirst && binds ? (budget ?? 0) * TURN_SHARE : 0;
	if (budget === undefined || plan.tokens + reserve <= budget) return plan;
	// Sized for the room of this request, or the next turn would need another seal.
	const window = Math.min(input.window ?? budget, windowOf(budget));
	await seal({ window, force: true, why: "host-threshold" });
	return engine.plan({ ...input, decide: false });
}

/**
 * The messages from the first kept one on: earlier ones were recorded long ago, and a history of thousands is not read
 * again for each call. All messages if the first kept one is not found.
 */
function sinceOpening(messages: readonly AgentMessage[], { opening, messages: kept }: Plan): readonly AgentMessage[] {
	const from = opening && kept[0]?.id;
	if (from === undefined) return messages;
	for (let at = messages.length - 1; at > 0; at--) {
		const message = messages[at];
		if (!message || stampOf(message) === undefined) return messages;
		if (nameMessages([message])[0] === from) return messages.slice(at);
	}
	return messages;
}

interface MadeOf {
	/** The host's messages that the request comes from. */
	readonly own: readonly AgentMessage[];
	readonly params: AssembleParams;
	readonly thinking: ThinkingRule;
}

/** A valid request within the budget. */
function answer(
	made: readonly AgentMessage[],
	{ own, params, thinking }: MadeOf,
	budget: number | undefined,
): AssembleResult {
	const given = { messages: own, all: params.messages, prompt: params.prompt, thinking };
	const isSmall = budget === undefined || weighAll(made) <= budget;
	const messages = mend(isSmall ? made : clampBound(made, budget, thinking), given);
	const estimatedTokens = weighAll(messages);
	const isWithin = budget === undefined || estimatedTokens <= budget;
	return {
		messages,
		estimatedTokens,
		promptAuthority: isWithin ? "assembled" : "preassembly_may_overflow",
	};
}

/** Thinking after a turn that had to leave is bound to that turn. */
function clampBound(made: readonly AgentMessage[], budget: number, thinking: ThinkingRule): readonly AgentMessage[] {
	const clamped = clampToBudget(made, budget);
	const gap = clamped.findIndex((message, at) => message !== made[at]);
	if (thinking !== "bound" || gap < 0) return clamped;
	return clamped.map((message, at) => {
		if (at < gap || !hasThinking(message)) return message;
		return withName(withoutThinking(message), nameMessages([message])[0] ?? "");
	});
}

interface GivenMessages {
	/** Those that the request is made of. */
	readonly messages: readonly AgentMessage[];
	readonly all: readonly AgentMessage[];
	readonly prompt: string | undefined;
	readonly thinking: ThinkingRule;
}

/** The host repairs faults of its own list. A fault that weft adds is repaired here, or the request is refused. */
function mend(messages: readonly AgentMessage[], given: GivenMessages): readonly AgentMessage[] {
	const found = violations(messages, given);
	if (found.length === 0) return messages;
	const theirs = new Set(checkRequest(withPrompt(given.all, given), "pi").map(({ rule }) => rule));
	const isOurs = ({ rule }: Violation) => !theirs.has(rule);
	if (!found.some(isOurs)) return messages;
	const prompted = withPrompt(messages, given);
	const extra = prompted.length - messages.length;
	const repaired = repairRequest(prompted, "pi").messages as readonly AgentMessage[];
	const mended = repaired.slice(0, repaired.length - extra);
	const left = violations(mended, given).find(isOurs);
	if (!left) return mended;
	throw new EngineError("refused", `The request would be invalid (${left.rule}, message ${left.at}): ${left.message}`);
}

function violations(messages: readonly AgentMessage[], given: GivenMessages): readonly Violation[] {
	const { thinking } = given;
	return checkRequest(withPrompt(messages, given), "pi", { original: withPrompt(given.messages, given), thinking });
}

/**
 * In a turn's first call the user's prompt is not among the messages; the host appends it to them, even if the turn before
 * it was never answered.
 */
function withPrompt(messages: readonly AgentMessage[], { prompt, all }: GivenMessages): readonly AgentMessage[] {
	const last = messages.at(-1);
	const newest = all.findLast(({ role }) => role === "user");
	const isNext = prompt && newest && !messageText(viewOf(newest)).includes(prompt);
	if (last && last.role !== "assistant" && !isRecalled(last) && !isNext) return messages;
	return [...messages, { role: "user", content: prompt || "…" }];
}
