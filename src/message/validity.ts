/**
 * May this request leave? The rules of Anthropic's, OpenAI's and Pi's forms, in one function for agents and tests. A violation is a bug of
 * ours: it is logged, and the agent's own list goes out unchanged.
 */
import { writeJson } from "../base/json/write.ts";
import { formOf } from "./dialect/forms.ts";
import { hasThinking, withoutThinking } from "./thinking.ts";
import type { ThinkingRule } from "./thinking-rules.ts";
import { type Form, isEmpty, isOwnCall, type MessageView, messageText, readWire, resultsOf } from "./view.ts";
import { weighMessage } from "./weight.ts";

export type RequestRule =
	| "no-messages"
	| "first-not-user"
	| "ends-with-assistant"
	| "system-text"
	| "unknown-role"
	| "empty-content"
	| "call-without-id"
	| "call-without-result"
	| "result-without-call"
	| "duplicate-call-id"
	| "duplicate-result"
	| "result-not-first"
	| "thinking-unsigned"
	| "thinking-identity"
	| "thinking-alone"
	| "thinking-misplaced"
	| "thinking-off"
	| "assistant-changed"
	| "open-turn-changed"
	| "over-budget";

export interface Violation {
	readonly rule: RequestRule;
	/** Index of the message. */
	readonly at: number;
	readonly message: string;
}

export interface CheckOptions {
	/** The agent's own list: with it, assistant messages must be whole and the open turn untouched. */
	readonly original?: readonly unknown[] | undefined;
	/** How many messages at the end are ours and not the agent's. */
	readonly trailing?: number | undefined;
	/** Tokens that the messages may take. */
	readonly budget?: number | undefined;
	/** The rule for thinking: by default all of it may be sent, and all of the agent's must be. */
	readonly thinking?: ThinkingRule | undefined;
	/** Indices of the messages whose thinking the model wrote after something else than the request has before it. */
	readonly misplaced?: ReadonlySet<number> | undefined;
}

export function checkRequest(
	messages: readonly unknown[],
	form: Form,
	options: CheckOptions = {},
): readonly Violation[] {
	const placed = readRequest(messages, form);
	if (placed.length === 0) return [{ rule: "no-messages", at: 0, message: "A request must have a message." }];
	return [
		...checkEnds(placed, form),
		...checkEach(placed, form),
		...checkPairs(placed, form),
		...checkThinking(placed, options),
		...(options.original ? checkOriginals(placed, readRequest(options.original, form), options) : []),
		...checkBudget(placed, options.budget),
	].sort((a, b) => a.at - b.at);
}

/** A message with its index in the request. */
export interface IndexedView {
	readonly at: number;
	readonly view: MessageView;
}

/** Skips messages that the agent does not send. */
export function readRequest(messages: readonly unknown[], form: Form): IndexedView[] {
	return messages.map((message, at) => ({ at, view: readWire(message, form) })).filter(({ view }) => view.isSent);
}

function checkEnds(placed: readonly IndexedView[], form: Form): Violation[] {
	const { rules } = formOf(form);
	const opening = rules.hasSystemMessages ? placed.findIndex(({ view }) => view.speaker !== "system") : 0;
	const spoken = placed.slice(Math.max(0, opening));
	const [first, last] = [spoken[0], spoken.at(-1)];
	const violations: Violation[] = [];
	if (first && first.view.speaker !== "user") {
		const message = `The first message is of the role '${first.view.role}'.`;
		violations.push({ rule: "first-not-user", at: first.at, message });
	}
	if (last?.view.speaker === "assistant") {
		violations.push({ rule: "ends-with-assistant", at: last.at, message: "The last message is the assistant's own." });
	}
	for (const { at, view } of spoken) {
		if (view.speaker !== "system") continue;
		violations.push({ rule: "system-text", at, message: "System text must not be among the messages." });
	}
	return violations;
}

/** Views that are valid whatever follows them: those of frozen messages come back with every request. */
const good: Readonly<Record<Form, WeakSet<MessageView>>> = {
	pi: new WeakSet(),
	anthropic: new WeakSet(),
	openai: new WeakSet(),
};

function checkEach(placed: readonly IndexedView[], form: Form): Violation[] {
	const violations: Violation[] = [];
	for (const [index, each] of placed.entries()) {
		if (!good[form].has(each.view)) violations.push(...checkOne(each, placed[index + 1], form));
	}
	return violations;
}

function checkOne({ at, view }: IndexedView, next: IndexedView | undefined, form: Form): readonly Violation[] {
	const { rules } = formOf(form);
	const violations: Violation[] = [];
	const add = (rule: RequestRule, message: string): void => {
		violations.push({ rule, at, message });
	};
	const texts = view.blocks.filter((block) => block.kind === "text");
	const thinking = view.blocks.filter((block) => block.kind === "thinking");
	if (view.speaker === "other") add("unknown-role", `No provider knows the role '${view.role}'.`);
	if (isEmpty(view)) add("empty-content", "The message is empty.");
	else if (rules.refusesBlankText && texts.some(({ text }) => text.trim() === ""))
		add("empty-content", "A text is blank.");
	const isAlone = isEmpty({ ...view, blocks: view.blocks.filter((block) => block.kind !== "thinking") });
	// An agent may write one answer as several messages: the rest of it may follow.
	if (thinking.length > 0 && isAlone && next?.view.speaker !== "assistant")
		add("thinking-alone", "Thinking comes without its answer.");
	if (rules.needsSignatures && thinking.some(({ signature }) => signature === undefined))
		add("thinking-unsigned", "Thinking has no signature; the provider does not take it without one.");
	if (!view.isIdentified && isSigned(view))
		add("thinking-identity", "Signed thinking needs the api, provider and model that it came from.");
	if (violations.length === 0 && thinking.length === 0) good[form].add(view);
	return violations;
}

export function isSigned({ blocks }: MessageView): boolean {
	return blocks.some((block) => block.kind === "thinking" && block.signature !== undefined);
}

/** Thinking that the model's provider refuses: behind another prefix, or where thinking is off. */
function checkThinking(placed: readonly IndexedView[], { thinking, misplaced }: CheckOptions): Violation[] {
	return placed.flatMap(({ at, view }): Violation[] => {
		if (misplaced?.has(at)) {
			const message = "Thinking does not come after what the model saw when it wrote it.";
			return [{ rule: "thinking-misplaced", at, message }];
		}
		if (thinking !== "off" || !hasThinking(view.raw)) return [];
		return [{ rule: "thinking-off", at, message: "Thinking is sent although it is off." }];
	});
}

/** Every call has its result right after it, every result its call right before it, and every id is used once. */
function checkPairs(placed: readonly IndexedView[], form: Form): Violation[] {
	const { joinsAnswers } = formOf(form).rules;
	const violations: Violation[] = [];
	const add = (rule: RequestRule, at: number, message: string): void => {
		violations.push({ rule, at, message });
	};
	const used = new Set<string>();
	const answered = new Set<string>();
	/** Calls of the newest assistant message without a result: id to index. */
	const open = new Map<string, number>();
	const closeOpen = (): void => {
		for (const [id, at] of open) add("call-without-result", at, `The call '${id}' has no result right after it.`);
		open.clear();
	};
	let before: MessageView | undefined;
	for (const { at, view } of placed) {
		const isJoined = joinsAnswers && view.speaker === "assistant" && before?.speaker === "assistant";
		let hasResults = false;
		for (const block of view.blocks) {
			if (block.kind !== "result") continue;
			const { callId } = block;
			hasResults = true;
			if (open.delete(callId)) answered.add(callId);
			else if (answered.has(callId)) add("duplicate-result", at, `The call '${callId}' has a second result.`);
			else add("result-without-call", at, `The result of '${callId}' does not come right after its call.`);
		}
		if (view.hasLateResult) add("result-not-first", at, "Results must come before other blocks.");
		if (!hasResults && !isJoined) closeOpen();
		for (const block of view.blocks) {
			if (!isOwnCall(block)) continue;
			const { id, tool } = block;
			if (id === "") add("call-without-id", at, `A call of '${tool}' has no id.`);
			else if (used.has(id)) add("duplicate-call-id", at, `The call id '${id}' is used twice.`);
			used.add(id);
			answered.delete(id);
			open.set(id, at);
		}
		before = view;
	}
	closeOpen();
	return violations;
}

/**
 * Compares a request with the agent's own list: an assistant message is there whole or not at all, and the open turn is at the end as it
 * was. By the rule for thinking an answer may lack it. A note may follow the text of a result or of the user.
 */
function checkOriginals(
	placed: readonly IndexedView[],
	originals: readonly IndexedView[],
	{ trailing = 0, thinking = "keep" }: CheckOptions,
): Violation[] {
	const violations: Violation[] = [];
	const answers = originals.filter(({ view }) => view.speaker === "assistant").map(({ view }) => view);
	const known = new Set(answers.map(bytesOf));
	if (thinking !== "keep") for (const answer of answers) known.add(bytesWithoutThinking(answer));
	for (const { at, view } of placed) {
		if (view.speaker !== "assistant" || known.has(bytesOf(view))) continue;
		const message = "An assistant message is not as the model wrote it.";
		violations.push({ rule: "assistant-changed", at, message });
	}
	const open = openTurn(originals);
	const end = placed.slice(0, placed.length - trailing).slice(-open.length);
	const isSame =
		end.length === open.length &&
		end.every(({ view }, index) => isExtensionOf(view, open[index]?.view ?? view, thinking));
	if (!isSame) {
		const message = "The newest turn is not as the host has it.";
		violations.push({ rule: "open-turn-changed", at: end[0]?.at ?? 0, message });
	}
	return violations;
}

/** The part that the model is about to answer: the newest assistant message with its results, or the user's newest message. */
function openTurn(originals: readonly IndexedView[]): readonly IndexedView[] {
	const last = originals.at(-1);
	if (!last) return [];
	if (last.view.speaker !== "result") return [last];
	const start = originals.findLastIndex(({ view }) => view.speaker === "assistant");
	return originals.slice(Math.max(0, start));
}

function isExtensionOf(now: MessageView, original: MessageView, thinking: ThinkingRule): boolean {
	if (now.speaker !== original.speaker) return false;
	if (now.speaker === "assistant") {
		const mayLackThinking = thinking === "bound" || thinking === "off";
		const bytes = bytesOf(now);
		return bytes === bytesOf(original) || (mayLackThinking && bytes === bytesWithoutThinking(original));
	}
	const results = resultsOf(now);
	const hasResults = resultsOf(original).every(({ callId, shown }) => {
		const same = results.find((result) => result.callId === callId);
		return same?.shown.startsWith(shown) ?? false;
	});
	const [text, wanted] = [now.shown ?? messageText(now), original.shown ?? messageText(original)];
	return hasResults && text.includes(wanted) && countOthers(now) >= countOthers(original);
}

/** Pictures, documents, and blocks that this version cannot read. */
function countOthers({ blocks }: MessageView): number {
	return blocks.filter(({ kind }) => kind === "image" || kind === "other").length;
}

function bytesOf({ raw }: MessageView): string {
	return writeJson([raw["role"], raw["content"], raw["tool_calls"]]);
}

function bytesWithoutThinking(view: MessageView): string {
	return bytesOf({ ...view, raw: withoutThinking(view.raw) });
}

function checkBudget(placed: readonly IndexedView[], budget: number | undefined): Violation[] {
	if (budget === undefined) return [];
	const tokens = placed.reduce((sum, { view }) => sum + weighMessage(view), 0);
	if (tokens <= budget) return [];
	const message = `The messages take about ${tokens} tokens; ${budget} are allowed.`;
	return [{ rule: "over-budget", at: placed.at(-1)?.at ?? 0, message }];
}
