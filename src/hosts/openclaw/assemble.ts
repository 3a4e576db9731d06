/**
 * What the model sees: what opens the conversation, and the host's own messages after it, each as the host has it. Every
 * message that comes by is recorded first, because a turn may make a hundred calls before the host commits it.
 */
import type { Plan } from "../../context/plan.ts";
import type { Engine } from "../../engine.ts";
import { EngineError } from "../../error/engine-error.ts";
import { clampToBudget } from "../../message/clamp.ts";
import { repairRequest } from "../../message/repair.ts";
import { checkRequest, type Violation } from "../../message/validity.ts";
import { HISTORY_PREAMBLE, HISTORY_TOOLS } from "../../tool/catalogue.ts";
import type { AgentMessage, AssembleParams, AssembleResult } from "./contract.ts";
import { nameMessages, stampOf } from "./identity.ts";
import { isOwn, openingMessage, withoutOwn } from "./own-message.ts";
import type { Sessions } from "./sessions.ts";
import { weighAll, windowOf } from "./size.ts";

export interface AssembleContext {
	readonly engine: Engine;
	readonly sessions: Sessions;
	/** Tokens that the messages may take: the smallest number that the host named in this turn. */
	readonly budget: number | undefined;
}

export async function assemble(params: AssembleParams, context: AssembleContext): Promise<AssembleResult> {
	const { engine, sessions, budget } = context;
	const given = params.messages;
	const asked = { model: params.model, window: windowOf(budget) };
	const before = engine.plan({ ...sessions.of(params).ref, ...asked, decide: false });
	const theirs = withoutOwn(given, before.opening?.text);
	const own = sinceOpening(theirs, before);
	const { entries, session } = sessions.record(params, own, "path");
	const newest = entries.at(-1);
	const leaf = newest === undefined ? undefined : engine.history.tree.find(session.ref, newest);
	const plan = await planWithin(engine, { ...session.ref, ...asked, leaf }, budget);
	if (!plan.opening && given.length > theirs.length && given.some(isOwn)) {
		throw new EngineError("refused", "The seed that was handed back belongs to no seal of these messages.");
	}
	// The log may know more than the host shows: what the host has left out stays out.
	const kept = new Set(plan.messages.map(({ id }) => id));
	const tail = own.filter((_, at) => kept.has(entries[at]!));
	const { opening } = plan;
	const made = opening ? [openingMessage(opening.text, opening.sent.id, tail[0]), ...tail] : tail;
	return answer(made, own, params, budget);
}

/** As it comes; sealed at once where it would not fit. */
async function planWithin(
	engine: Engine,
	input: Parameters<Engine["plan"]>[0],
	budget: number | undefined,
): Promise<Plan> {
	await engine.seal(input);
	const plan = engine.plan({ ...input, decide: false });
	if (budget === undefined || plan.tokens <= budget) return plan;
	await engine.seal({ ...input, force: true });
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
		...addition(params.availableTools),
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

/** In the first call of a turn the user's words come beside the messages; they will stand after them. */
function withPrompt(messages: readonly AgentMessage[], { prompt }: Asked): readonly AgentMessage[] {
	const last = messages.at(-1);
	if (last && last.role !== "assistant") return messages;
	return [...messages, { role: "user", content: prompt || "…" }];
}

/** The same bytes in every request of a session. Without the tools it would promise what is not there. */
function addition(tools: ReadonlySet<string> | undefined): Pick<AssembleResult, "systemPromptAddition"> {
	const areThere = tools === undefined || HISTORY_TOOLS.every(({ name }) => tools.has(name));
	return areThere ? { systemPromptAddition: HISTORY_PREAMBLE.trimStart() } : {};
}
