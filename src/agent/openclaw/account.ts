/**
 * How much room there is. The host's numbers mean something else in each call: the first of a turn has no room for tools,
 * later ones have none for system, tools and answer, and all fall by the turn that is under way. So the engine keeps an
 * account of its own: the window, less what the provider counted beyond our messages, less an answer, less that turn.
 * Pure.
 */
import type { HostState } from "./host-state.ts";

/** The most that is held free for an answer, and its share of what the model may say and of the window. */
const MAX_ANSWER_TOKENS = 8_192;
const ANSWER_SHARE = 0.8;
const ANSWER_OF_WINDOW = 1 / 25;
const MIN_ANSWER_TOKENS = 500;
/**
 * Of the window: what a request fills, where the conversation has half of the window even so. For many providers the host
 * allows an answer what its own count leaves of the window, and that has a quarter on top of each token.
 */
const FILLED_SHARE = 0.8;
const MIN_CONVERSATION_SHARE = 0.5;
/** The host counts four characters a token, we count 3.2 bytes. */
const OURS_PER_HOST_TOKEN = 1.25;
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 3;
/** Fewer tokens than that between two answers say little about how the provider counts. */
const MIN_DIFFERENCE_TOKENS = 1_000;

export type Account = Pick<HostState, "window" | "overhead" | "factor">;

export interface Asked {
	readonly tokenBudget: number | undefined;
	/** True: the first call of an attempt. Its budget is short of a reserve, the others' of the turn under way. */
	readonly isFirst: boolean;
	/** Tokens of the user's words, where they stand beside the messages. */
	readonly promptTokens: number;
	readonly maxOutputTokens: number | undefined;
}

export interface Room {
	/** Tokens of the window that messages, answer and the turn under way share: what sizes are taken from. */
	readonly window: number;
	/** Tokens, by our estimate, that the messages may take in this request. */
	readonly budget: number;
}

/** Undefined: the window is not known, as in older hosts. Their budget is all there is to go by. */
export function roomOf(account: Account, asked: Asked): Room | undefined {
	const { window, factor = 1 } = account;
	if (window === undefined) return undefined;
	const { tokenBudget, isFirst, promptTokens, maxOutputTokens } = asked;
	// Before the first answer nobody has counted: then what the host holds free covers it.
	const heldFree = isFirst && tokenBudget !== undefined && tokenBudget < window ? window - tokenBudget : 0;
	const overhead = account.overhead ?? heldFree;
	const answer = answerTokens(window, maxOutputTokens);
	const underWay =
		isFirst || tokenBudget === undefined || tokenBudget > window
			? promptTokens * factor
			: (window - tokenBudget) * OURS_PER_HOST_TOKEN * factor;
	const ours = (tokens: number) => Math.max(1, Math.floor(tokens / factor));
	const filled = window * FILLED_SHARE - Math.min(answer, MIN_ANSWER_TOKENS);
	const isRoomy = filled - overhead >= window * MIN_CONVERSATION_SHARE;
	const budget = Math.min(window - answer, isRoomy ? filled : window) - overhead - underWay;
	return { window: ours(window - overhead), budget: ours(budget) };
}

/** Tokens of the provider's count of a request whose messages have so many by our estimate. */
export function sentTokens({ overhead = 0, factor = 1 }: Account, tokens: number): number {
	return Math.round(overhead + tokens * factor);
}

/** An answer: what we sent by our estimate, and what the provider counted. */
export interface Answer {
	readonly estimate: number;
	readonly counted: number;
}

/**
 * What the answers of a turn teach, the newest last. More than the window holds was in no request: some providers report
 * the sum of several, and believed, it would leave no room for any message.
 */
export function learn(account: Account, given: readonly Answer[]): Account {
	const answers = given.filter(({ counted }) => account.window === undefined || counted <= account.window);
	const last = answers.at(-1);
	if (!last) return account;
	const first = answers.findLast(({ estimate }) => last.estimate - estimate >= MIN_DIFFERENCE_TOKENS);
	const measured = first && (last.counted - first.counted) / (last.estimate - first.estimate);
	const factor = measured === undefined ? account.factor : Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, measured));
	const overhead = Math.max(0, Math.round(last.counted - last.estimate * (factor ?? 1)));
	return { ...account, factor: factor === undefined ? undefined : Math.round(factor * 1_000) / 1_000, overhead };
}

function answerTokens(window: number, maxOutputTokens: number | undefined): number {
	const most = Math.min(MAX_ANSWER_TOKENS, window * ANSWER_OF_WINDOW);
	return Math.floor(maxOutputTokens === undefined ? most : Math.min(most, maxOutputTokens * ANSWER_SHARE));
}
