/**
 * What the model sees: what opens the conversation, and the host's own messages after it, each as the host has it. The
 * host withholds the turn that is under way and puts it behind our answer: here we can only make room before it.
 */

import { EngineError } from "../../base/error/engine-error.ts";
import { asTime } from "../../base/json/read.ts";
import type { Plan } from "../../context/plan.ts";
import type { Engine } from "../../engine.ts";
import { repairRequest } from "../../message/repair.ts";
import { checkRequest, type Violation } from "../../message/validity.ts";
import { messageText } from "../../message/view.ts";
import type { Room } from "./account.ts";
import type { AgentMessage, AssembleParams, AssembleResult } from "./contract.ts";
import { guidance } from "./guidance.ts";
import { nameMessages, stampOf } from "./identity.ts";
import { apart, isSealedWhole } from "./merged.ts";
import { clampToBudget } from "./message-budget.ts";
import { isRecalled, isSeed, openingMessage, withoutOwn } from "./own-message.ts";
import { firstRecalled, type Recalling, recallOnce, withRecalled } from "./recall.ts";
import type { OpenClawSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";
import { weighAll, windowOf } from "./size.ts";
import { viewOf } from "./translate.ts";

export interface AssembleContext {
	readonly engine: Engine;
	readonly sessions: Sessions;
	/** By our own account. `budget` undefined: the host names none. */
	readonly room: { readonly window: Room["window"] | undefined; readonly budget: Room["budget"] | undefined };
	/** False: the agent cannot call our tools. */
	readonly namesTools: boolean;
	/** True: the host's transcript was read, so what the log does not know is none of the conversation. */
	readonly isCaughtUp: boolean;
	readonly recalling: Recalling;
}

export async function assemble(params: AssembleParams, context: AssembleContext): Promise<AssembleResult> {
	const { engine, sessions, room } = context;
	const given = params.messages;
	// No message on a session that has some: the host has reset it.
	if (given.length === 0) sessions.showNone(params, context.isCaughtUp);
	const { touchedAt: lastAskedAt, window: whole = room.budget } = sessions.state(params);
	// The planner takes off by itself what the provider counted beyond the messages.
	const window = windowOf(whole);
	const asked = { model: params.model, window, namesTools: context.namesTools, lastAskedAt };
	const session = sessions.follow(params, withoutOwn(given));
	if (given.length === 0) session.begin();
	const before = engine.plan({ ...session.ref, ...asked, decide: false });
	const theirs = withoutOwn(given, before.opening?.text);
	const since = sinceOpening(theirs, before);
	// Where the first kept one is not among them, it may be part of another.
	const isHidden = before.opening !== undefined && since === theirs;
	const own = isHidden ? sinceOpening(apart(theirs, engine, session), before) : since;
	const found = place(own, session, before, context, params);
	const newest = found.entries.findLast((entry) => entry !== undefined);
	const leaf = newest === undefined ? undefined : engine.history.tree.find(found.session.ref, newest);
	await recallOnce(engine, { ...found.session.ref, ...asked, leaf }, params, context.recalling);
	const isGone = isSealedWhole(engine, found.session, before, leaf);
	const plan = isGone ? before : await planWithin(engine, { ...found.session.ref, ...asked, leaf }, room.budget);
	if (!plan.opening && given.some(isSeed)) {
		throw new EngineError("refused", "The seed that was handed back belongs to no seal of these messages.");
	}
	const tail = withRecalled(tailOf(own, found.entries, plan), {
		nameOf: (message) => found.entries[own.indexOf(message)],
		plan,
		first: firstRecalled(engine, found.session.ref),
	});
	const { opening } = plan;
	// The host puts the turn under way right behind the last of these.
	const made = opening ? [openingMessage(opening.text, opening.sent.id, tail[0]), ...tail] : tail;
	return { ...answer(made, own, params, room.budget), ...guidance(context.namesTools) };
}

interface Placed {
	readonly session: OpenClawSession;
	/** The log's name of each message; undefined: it is the host's alone. */
	readonly entries: readonly (string | undefined)[];
}

/** What each message is called in the log. Where the transcript could not be read, what is new is recorded here. */
function place(
	own: readonly AgentMessage[],
	session: OpenClawSession,
	plan: Plan,
	{ sessions, isCaughtUp }: AssembleContext,
	params: AssembleParams,
): Placed {
	if (!isCaughtUp) return sessions.record(params, own, "path");
	const byTime = new Map(plan.messages.map(({ role, ts, id }) => [`${role} ${ts}`, id]));
	const names = nameMessages(own);
	const entries = own.map((message, at) => {
		if (session.seqOf(names[at]!) !== undefined) return names[at];
		return byTime.get(`${message.role} ${asTime(message["timestamp"])}`);
	});
	return { session, entries };
}

/** The log may know more than the host shows: what the host has left out stays out. What is the host's alone stays in. */
function tailOf(own: readonly AgentMessage[], entries: Placed["entries"], plan: Plan): readonly AgentMessage[] {
	if (!plan.opening) return own;
	const kept = new Set(plan.messages.map(({ id }) => id));
	const isKept = (entry: string | undefined) => entry !== undefined && kept.has(entry);
	const first = entries.findIndex(isKept);
	return own.filter((_, at) => isKept(entries[at]) || (first >= 0 && at > first && entries[at] === undefined));
}

/** As it comes; sealed at once where it would not fit. */
async function planWithin(
	engine: Engine,
	input: Parameters<Engine["plan"]>[0],
	budget: number | undefined,
): Promise<Plan> {
	// In warp a text opens every run, though nothing leaves.
	if (engine.settings.mode === "warp" || engine.requests.dueWhy(input) !== undefined) await engine.seal(input);
	const plan = engine.plan({ ...input, decide: false });
	if (budget === undefined || plan.tokens <= budget) return plan;
	// It is as small as the room that is there, or the next turn would need another one.
	const window = Math.min(input.window ?? budget, windowOf(budget));
	await engine.seal({ ...input, window, force: true, why: "host-threshold" });
	return engine.plan({ ...input, decide: false });
}

/**
 * The messages that a request can still show: what stands before the first kept one was recorded long ago, and a history of
 * thousands is not read again for every call. All of them where that cannot be told.
 */
function sinceOpening(messages: readonly AgentMessage[], { opening, messages: kept }: Plan): readonly AgentMessage[] {
	const from = opening && kept[0]?.id;
	if (from === undefined) return messages;
	for (let at = messages.length - 1; at > 0; at--) {
		const message = messages[at]!;
		if (stampOf(message) === undefined) return messages;
		if (nameMessages([message])[0] === from) return messages.slice(at);
	}
	return messages;
}

/** Sendable and within the budget. `own`: the host's messages of which these are a part. */
function answer(
	made: readonly AgentMessage[],
	own: readonly AgentMessage[],
	params: AssembleParams,
	budget: number | undefined,
): AssembleResult {
	const asked = { messages: own, all: params.messages, prompt: params.prompt };
	const isSmall = budget === undefined || weighAll(made) <= budget;
	const messages = mend(isSmall ? made : clampToBudget(made, "pi", budget).messages, asked);
	const estimatedTokens = weighAll(messages);
	const isWhole = budget === undefined || estimatedTokens <= budget;
	return {
		messages,
		estimatedTokens,
		promptAuthority: isWhole ? "assembled" : "preassembly_may_overflow",
	};
}

/** What the host gave, as far as it matters. */
interface Asked {
	readonly messages: readonly AgentMessage[];
	readonly all: readonly AgentMessage[];
	readonly prompt: string | undefined;
}

/** What is wrong with the host's own list is for the host to mend; what is wrong with ours alone is not sent. */
function mend(messages: readonly AgentMessage[], asked: Asked): readonly AgentMessage[] {
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

/**
 * In the first call of a turn the user's words come beside the messages; they will stand after them, also where the turn
 * before them was never answered.
 */
function withPrompt(messages: readonly AgentMessage[], { prompt, all }: Asked): readonly AgentMessage[] {
	const last = messages.at(-1);
	const newest = all.findLast(({ role }) => role === "user");
	const isNext = prompt && newest && !says(newest, prompt);
	if (last && last.role !== "assistant" && !isRecalled(last) && !isNext) return messages;
	return [...messages, { role: "user", content: prompt || "…" }];
}

function says(message: AgentMessage, words: string): boolean {
	return messageText(viewOf(message)).includes(words);
}
