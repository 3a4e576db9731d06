/**
 * How much room a request has. The host's numbers mean something else in each call: the budget of a turn's first call
 * leaves no room for tools, later ones leave none for system prompt, tools and answer, and all shrink by the current turn.
 * So weft keeps its own account: the window, less what the provider counted beyond our messages, less an answer, less the
 * current turn. Pure.
 */
import { DEFAULT_WINDOW_TOKENS } from "../../base/tokens/prices.ts";
import type { HostState } from "./host-state.ts";

/** The room for an answer: a share of what the model may write and of the window, at most this. */
const MAX_ANSWER_TOKENS = 8_192;
const ANSWER_SHARE = 0.8;
const ANSWER_SHARE_OF_WINDOW = 1 / 25;
const MIN_ANSWER_TOKENS = 500;
/**
 * A request fills this share of the window if that leaves the conversation half of it. For many providers the host allows
 * an answer only what its own count leaves of the window, and that count adds a quarter to each token.
 */
const FILLED_SHARE = 0.8;
const MIN_CONVERSATION_SHARE = 0.5;
/** The host counts four characters a token, weft 3.2 bytes. */
const OURS_PER_HOST_TOKEN = 1.25;
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 3;
/** A smaller difference between two answers says little about how the provider counts. */
const MIN_DIFFERENCE_TOKENS = 1_000;
/** The host's budget varies a little from turn to turn; the sizes of an epoch must not. */
const WINDOW_STEP_TOKENS = 1_000;

export type Account = Pick<HostState, "window" | "overhead" | "factor">;

/** The numbers in one call of the host. */
export interface CallLimits {
	readonly tokenBudget: number | undefined;
	/** True: the first call of an attempt. Its budget lacks a reserve, that of later calls lacks the current turn. */
	readonly isFirst: boolean;
	/** Tokens of the user's prompt if it is not among the messages. */
	readonly promptTokens: number;
	readonly maxOutputTokens: number | undefined;
}

export interface Room {
	/** Tokens of the window that messages, answer and current turn share; sizes are computed from it. */
	readonly window: number;
	/** Tokens, by our estimate, that the messages may take in this request. */
	readonly budget: number;
}

/** Undefined: the window is unknown, as in older hosts, and only their budget counts. */
export function roomOf(account: Account, limits: CallLimits): Room | undefined {
	const { window, factor = 1 } = account;
	if (window === undefined) return undefined;
	const { tokenBudget, isFirst, promptTokens, maxOutputTokens } = limits;
	// Before the first answer there is no count: the host's reserve covers the overhead.
	const reserve = isFirst && tokenBudget !== undefined && tokenBudget < window ? window - tokenBudget : 0;
	const overhead = account.overhead ?? reserve;
	const answer = answerTokens(window, maxOutputTokens);
	const currentTurn =
		isFirst || tokenBudget === undefined || tokenBudget > window
			? promptTokens * factor
			: (window - tokenBudget) * OURS_PER_HOST_TOKEN * factor;
	const ours = (tokens: number) => Math.max(1, Math.floor(tokens / factor));
	const filled = window * FILLED_SHARE - Math.min(answer, MIN_ANSWER_TOKENS);
	const isRoomy = filled - overhead >= window * MIN_CONVERSATION_SHARE;
	const budget = Math.min(window - answer, isRoomy ? filled : window) - overhead - currentTurn;
	return { window: ours(window - overhead), budget: ours(budget) };
}

/** Tokens that the provider will count in a request whose messages weigh `tokens` by our estimate. */
export function sentTokens({ overhead = 0, factor = 1 }: Account, tokens: number): number {
	return Math.round(overhead + tokens * factor);
}

/** The host's budget as a window, rounded down to whole steps. */
export function windowOf(budget: number | undefined): number {
	const isNamed = budget !== undefined && Number.isFinite(budget) && budget > 0;
	const tokens = isNamed ? budget : DEFAULT_WINDOW_TOKENS;
	return Math.max(Math.min(tokens, WINDOW_STEP_TOKENS), tokens - (tokens % WINDOW_STEP_TOKENS));
}

/** One answer: what weft sent by its own estimate, and what the provider counted. */
export interface EstimatedAnswer {
	readonly estimate: number;
	readonly counted: number;
}

/**
 * The account after the answers of a turn, the newest last. A count above the window is ignored: some providers report the
 * sum of several requests, and that would leave no room for any message.
 */
export function learn(account: Account, given: readonly EstimatedAnswer[]): Account {
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
	const max = Math.min(MAX_ANSWER_TOKENS, window * ANSWER_SHARE_OF_WINDOW);
	return Math.floor(maxOutputTokens === undefined ? max : Math.min(max, maxOutputTokens * ANSWER_SHARE));
}
