/**
 * The modes, as data for the one planner. Every mode shows an opening text and the raw messages since; the modes differ
 * in when that changes, in how much stays raw, and in the opening text.
 */
import { basename } from "node:path";
import { cutToBytes } from "../base/text/cut.ts";
import { bytesOfTokens, estimateTokens } from "../base/tokens/estimate.ts";
import { newestFirst } from "../log/fold/keyed.ts";
import { enclose } from "../message/enclosure.ts";
import { groupTurns, keepNewest } from "../message/turns.ts";
import { assembleHistory } from "../state/history/assemble.ts";
import { gistByModels } from "../state/history/gist.ts";
import { chooseTail } from "../state/history/plan.ts";
import { HISTORY_DEFAULTS } from "../state/history/types.ts";
import { threadItems } from "../state/thread/items.ts";
import { threadIn } from "../state/thread/thread.ts";
import { isCold, type ModeName, type Moment, type PlanSettings, policyAt, pricesHere } from "./moment.ts";
import type { Path, PathMessage } from "./path.ts";
import type { ProjectState } from "./project-state.ts";
import { judgeEpoch } from "./seal/epoch.ts";
import { openReading } from "./seal/open-reading-fold.ts";
import { namesFile } from "./seal/open-work.ts";
import { pauseIn } from "./seal/pause-fold.ts";
import { type SealPolicy, sealLimit } from "./seal/policy.ts";
import { hiddenPrice, isTalk } from "./seal/reread-fold.ts";
import {
	ceilingTokens,
	keptTokens,
	readingPrice,
	type SealDecision,
	type SealReason,
	seedBudget,
} from "./seal/rule.ts";
import { OWN_ANSWERS } from "./section/conversation.ts";
import { type KeepRequest, renderKeepRequest } from "./section/keep-request.ts";
import { COMPUTED_SHARE, contextBudget, MAX_HANDLES, type Seed } from "./section/section.ts";
import { renderSeed, renderThreadAlone, SEED_STYLE, type SeedInput } from "./section/seed.ts";
import { withoutStruck } from "./section/struck-words.ts";
import { MIN_BUDGET_TOKENS, renderWarp } from "./section/warp.ts";
import { sizeRule, stepsHere } from "./sizes.ts";

export interface SealRequest {
	/** A seal was asked for: make it whenever any message can leave. */
	readonly force?: boolean | undefined;
	/** Make it even if the request grows: the agent would compact in its own way otherwise. */
	readonly anySize?: boolean | undefined;
	/** Id of the first message that stays, where the agent decides it; null: none does. */
	readonly keepFrom?: string | null | undefined;
	/** A request was too large: the opening must be much smaller than the messages it replaces. */
	readonly shrink?: boolean | undefined;
	/** The reason; by default that a person asked. */
	readonly why?: SealReason | undefined;
	/** The user's words on what to keep. */
	readonly words?: string | undefined;
	/** A model's answer to these words. */
	readonly focus?: string | undefined;
}

/** The messages that leave and those that stay. */
export interface SealCut {
	readonly leaving: readonly PathMessage[];
	readonly kept: readonly PathMessage[];
}

export interface Mode {
	/** Whether the epoch ends before the next request, and why. */
	decide(moment: Moment, settings: PlanSettings): SealDecision;
	/** Index of the first message that stays when it ends now; 0: nothing can leave. */
	keepFrom(moment: Moment, settings: PlanSettings, request: SealRequest): number;
	/**
	 * Index of the first message that stays if the newest turns get the room that the seed does not use; undefined: it uses
	 * its room.
	 */
	widen?(moment: Moment, settings: PlanSettings, seed: Seed): number | undefined;
	/** Renders the text in place of the messages that left. Undefined: there is nothing to render. */
	render(moment: Moment, settings: PlanSettings, cut: SealCut, request: SealRequest): Seed | undefined;
	/** The operation that a seal is. */
	readonly op: "epoch_seal" | "compaction_apply";
	/** Whether messages that leave must be summarised before the text is rendered. */
	readonly summarises: boolean;
}

const woven: Mode = {
	op: "epoch_seal",
	summarises: true,
	decide(moment, settings) {
		const { path } = moment;
		const { window, threshold } = settings;
		if (threshold !== undefined) return atLimit(contextTokens(moment), threshold, "threshold");
		const policy = policyAt(moment, settings);
		if (policy !== "thrift") return whenFull(moment, settings, policy);
		const state = moment.state();
		const prices = pricesHere(moment);
		const { session } = path.session;
		const reading = openReading(state.openReading, session, namesFile(threadIn(state.thread, session)));
		const sizes = sizeRule(moment, settings);
		const hidden = hiddenPrice(state.rereads, prices) + readingPrice(reading, seedBudget(sizes), prices);
		const steps = stepsHere(moment, window);
		const epoch = { seed: path.opening?.tokens, tail: path.messages, start: path.opening?.madeAt ?? 0 };
		const pause = pauseIn(state.pauses, session);
		return judgeEpoch(epoch, { ...sizes, prices, steps, hidden, cold: isCold(moment), pause });
	},
	keepFrom(moment, settings, { force }) {
		const { messages } = moment.path;
		const first = keepNewest(messages, { limit: keptTokens(sizeRule(moment, settings)) });
		// A forced seal should free something, however little there is: keep only the newest turn.
		return first === 0 && force ? keepNewest(messages, { limit: 0 }) : first;
	},
	widen(moment, settings, { tokens, sections }) {
		const sizes = sizeRule(moment, settings);
		const budget = seedBudget(sizes);
		// A look does not write the summaries that a seal writes: the cut must not depend on their lines.
		const used = tokens - (sections.find(({ name }) => name === "history")?.tokens ?? 0);
		if (used > budget * MAX_EMPTY_SHARE) return undefined;
		return keepNewest(moment.path.messages, { limit: keptTokens(sizes) + budget - used });
	},
	render(moment, settings, { leaving, kept }, { shrink, ...request }) {
		const { path } = moment;
		const left = leaving.reduce((sum, { tokens }) => sum + tokens, 0);
		const most = shrink && !path.opening ? Math.floor(left / 2) : Number.POSITIVE_INFINITY;
		return seedAt(moment, {
			raw: kept.map(({ text }) => text).join("\n"),
			budget: Math.min(seedBudget(sizeRule(moment, settings)), most),
			asked: askedOf(request, leaving, path, moment.state()),
			namesTools: settings.namesTools,
		});
	},
};

/** A seed that fills less than this share of its budget leaves the rest to the newest turns. */
const MAX_EMPTY_SHARE = 0.5;

type SeedOptions = Pick<SeedInput, "raw" | "budget" | "asked" | "namesTools">;

/** The seed of the work at a moment. */
export function seedAt({ path, state, files, root, history }: Moment, options: SeedOptions): Seed {
	const { nodes } = history.path(path.session, path.leaf);
	const seed = renderSeed({
		...path.session,
		...options,
		state: state(),
		isTalk: isConversation(state()),
		files: files(),
		root,
		answers: newestAnswers(path),
		nodes: nodes.map((node) => ({ ...node, gist: gistByModels(history, node, GIST_CHARS) })),
	});
	return withoutStruckWords(seed, path, state());
}

function withoutStruckWords(
	seed: Seed,
	{ session: { session } }: Path,
	{ thread }: Pick<ProjectState, "thread">,
): Seed {
	return withoutStruck(seed, threadIn(thread, session), session);
}

/** A discussion within a task has files. */
const MESSAGES_SINCE_FILES = 200;

/** Whether a person talks with the agent: hardly a tool is called, and no file was read or changed for long. */
function isConversation({ rereads, touches }: Pick<ProjectState, "rereads" | "touches">): boolean {
	const [newest] = newestFirst(touches.touches);
	const at = newest?.[1].at(-1)?.at ?? Number.NEGATIVE_INFINITY;
	return isTalk(rereads) && touches.messages - at > MESSAGES_SINCE_FILES;
}

/** For what models wrote about a stretch. */
const GIST_CHARS = 480;

/** The user's words, with the messages that have left, newest first. */
function askedOf(
	{ words, focus }: SealRequest,
	leaving: readonly PathMessage[],
	path: Path,
	{ thread, decisions }: ProjectState,
): KeepRequest | undefined {
	if (words === undefined || words.trim() === "") return undefined;
	const { session } = path.session;
	const own = threadIn(thread, session);
	const items = own
		? threadItems(own, session, decisions).filter(({ state }) => state !== "struck" && state !== "replaced")
		: [];
	return { words, focus, items, messages: { [Symbol.iterator]: () => concat(leaving.toReversed(), path.earlier()) } };
}

const warp: Mode = {
	op: "epoch_seal",
	summarises: false,
	decide(moment, { window, warpPer }) {
		const { path } = moment;
		if (isAtRest(path.messages)) return decided(true, "run");
		const isOwn = path.opening?.by === "weft/warp";
		const asked = newestRequest(path.messages);
		// The request of this run is the first kept message, or part of the opening.
		const isThisRun = isOwn && asked <= 0;
		if (!isThisRun) return decided(true, "run");
		if (warpPer === "request") return decided(true, "request");
		return atLimit(contextTokens(moment), ceilingTokens(window), "ceiling");
	},
	keepFrom(moment, settings) {
		const { messages } = moment.path;
		if (isAtRest(messages)) return messages.length;
		const asked = Math.max(0, newestRequest(messages));
		const room = ceilingTokens(settings.window) - warpBudget(settings) - LEFT_OUT_TOKENS;
		const run = messages.slice(asked).reduce((sum, { tokens }) => sum + tokens, 0);
		if (run <= room) return asked;
		return Math.max(asked, keepNewest(messages, { limit: Math.floor(room * KEPT_OF_RUN), least: asked }));
	},
	render({ path, state, files, known, now, root }, settings, { leaving, kept }) {
		const { session } = path.session;
		const context = renderWarp({
			state: state(),
			files: files(),
			known: known?.(),
			raw: kept.map(({ text }) => text).join("\n"),
			budget: warpBudget(settings),
			window: settings.window,
			now,
			session,
			repository: basename(root),
			namesTools: settings.namesTools,
		});
		// The run continues without its beginning: keep the user's request word for word.
		const isCutShort = kept.length > 0 && newestRequest(kept) < 0;
		const text = isCutShort ? `${context.text}\n${runSoFar(path, leaving, settings.namesTools)}` : context.text;
		const seed = { text, tokens: estimateTokens(text), sections: [], items: context.items };
		return withoutStruckWords(seed, path, state());
	},
};

const lossless: Mode = {
	op: "compaction_apply",
	summarises: true,
	decide: (moment, settings) => whenFull(moment, settings, policyAt(moment, settings)),
	keepFrom({ path: { messages } }, { window }, { force }) {
		const turns = groupTurns(messages);
		const start = chooseTail(turns, losslessSizes(window));
		const first = turns.slice(0, start).reduce((sum, turn) => sum + turn.messages.length, 0);
		return first === 0 && force ? keepNewest(messages, { limit: 0 }) : first;
	},
	render({ path, state, history }, { window, maxSummaryTokens, namesTools }, { leaving, kept }, asking) {
		const { nodes } = history.path(path.session, path.leaf);
		const maxTokens = losslessSizes(window, maxSummaryTokens).maxSummaryTokens;
		const told = assembleHistory(history, nodes, { maxTokens, namesTools });
		if (!told) return undefined;
		const raw = kept.map(({ text }) => text).join("\n");
		const thread = renderThreadAlone({
			...path.session,
			state: state(),
			isTalk: isConversation(state()),
			raw,
			budget: Math.floor(maxTokens * THREAD_OF_HISTORY),
			namesTools,
		});
		const toKeep = askedOf(asking, leaving, path, state());
		const wanted = toKeep && renderKeepRequest(toKeep, SEED_STYLE, bytesOfTokens(maxTokens * ASKED_SHARE));
		const text = [thread.text, ...(wanted ? [wanted.lines.join("\n")] : []), told.text]
			.filter((part) => part !== "")
			.join("\n\n");
		const named = nodes.filter(({ id }) => told.named.includes(id));
		const sections = [
			...thread.sections,
			...named.map(({ id, tokens }) => ({ name: id, tokens, left: 0, handle: id })),
		];
		const why = "stands for messages that left";
		const nodeItems = named.map(({ id, tokens }) => ({
			id: `node:${id}`,
			kind: "node",
			tokens,
			why,
			included: true,
			handle: id,
		}));
		const seed = { text, tokens: estimateTokens(text), sections, items: [...thread.items, ...nodeItems] };
		return withoutStruckWords(seed, path, state());
	},
};

/** Shares of the history's tokens, on top of them. */
const ASKED_SHARE = 0.3;
const THREAD_OF_HISTORY = 0.5;

/** Pi's own limit when it compacts; less in a small window. */
const HOST_KEPT_TOKENS = 20_000;
const HOST_KEPT_SHARE = 0.3;
/** The usual size of an agent's own summary. */
export const HOST_SUMMARY_TOKENS = 2_000;

const host: Mode = {
	op: "compaction_apply",
	summarises: false,
	decide: (moment, { hostLimit = Number.POSITIVE_INFINITY }) => atLimit(contextTokens(moment), hostLimit, "ceiling"),
	keepFrom: ({ path: { messages } }, { window }) =>
		keepNewest(messages, { limit: Math.min(HOST_KEPT_TOKENS, Math.floor(window * HOST_KEPT_SHARE)) }),
	render(_moment, _settings, { leaving }) {
		const text = cutToBytes(leaving.map((message) => message.text).join("\n"), bytesOfTokens(HOST_SUMMARY_TOKENS));
		return { text, tokens: estimateTokens(text), sections: [] };
	},
};

const off: Mode = {
	op: "epoch_seal",
	summarises: false,
	decide: () => decided(false, "off"),
	keepFrom: () => 0,
	render: () => undefined,
};

const TABLE: Readonly<Record<ModeName, Mode>> = { woven, warp, lossless, off, host };

export function modeOf(name: ModeName): Mode {
	return TABLE[name];
}

/** Tokens of the messages of the next request, its opening included. */
export function contextTokens({ path }: Pick<Moment, "path">): number {
	return path.messages.reduce((sum, { tokens }) => sum + tokens, path.opening?.tokens ?? 0);
}

/** For the lines that list what left a run. */
const LEFT_OUT_TOKENS = 200;
/** A run that outgrows its room is cut to this share, so that the next turns do not cut it again. */
const KEPT_OF_RUN = 0.6;

/** Tokens that the computed context of `warp` may take. */
export function warpBudget({ window, maxTokens, budget }: PlanSettings): number {
	const whole = contextBudget({ window, maxTokens });
	const share = Math.floor(ceilingTokens(window) * COMPUTED_SHARE);
	return Math.max(MIN_BUDGET_TOKENS, budget ?? Math.min(whole, share));
}

function runSoFar(path: Path, leaving: readonly PathMessage[], namesTools = true): string {
	const handles: string[] = [];
	let asked: PathMessage | undefined;
	for (const message of concat(leaving.toReversed(), path.earlier())) {
		if (message.role === "assistant") handles.unshift(message.handle);
		if (message.asks) asked = message;
		if (asked) break;
	}
	const older = handles.length - MAX_HANDLES;
	const more = older > 0 ? `; ${older} older ones${namesTools ? ": lcm_grep" : ""}` : "";
	const way = namesTools ? " (lcm_expand gives each back whole)" : "";
	return [
		...(asked ? requestOfRun(asked) : []),
		`Earlier turns of this run${way}: ${handles.slice(-MAX_HANDLES).join(", ")}${more}`,
	].join("\n");
}

function* newestAnswers(path: Path): Generator<string> {
	let count = 0;
	for (const message of concat(path.messages.toReversed(), path.earlier("assistant"))) {
		if (message.role !== "assistant") continue;
		if (count++ === OWN_ANSWERS) return;
		yield message.text;
	}
}

function requestOfRun({ handle, text }: PathMessage): string[] {
	const { until, end } = enclose(text, handle);
	return [`The request of this run (${handle}${until && `, ${until}`}), word for word:`, text + end];
}

function* concat<Value>(...lists: readonly Iterable<Value>[]): Generator<Value> {
	for (const list of lists) yield* list;
}

/** In a small window the usual sizes would leave no room for the work. */
function losslessSizes(
	window: number,
	maxSummaryTokens: number = HISTORY_DEFAULTS.maxSummaryTokens,
): {
	readonly keepTokens: number;
	readonly ceilingTokens: number;
	readonly maxSummaryTokens: number;
} {
	const atMost = (tokens: number, share: number) => Math.min(tokens, Math.floor(ceilingTokens(window) * share));
	return {
		keepTokens: atMost(HISTORY_DEFAULTS.keepTokens, 0.3),
		ceilingTokens: atMost(HISTORY_DEFAULTS.ceilingTokens, 0.6),
		maxSummaryTokens: atMost(maxSummaryTokens, 0.2),
	};
}

/** The agent has answered: the next request begins a run. */
function isAtRest(messages: readonly PathMessage[]): boolean {
	const newest = messages.at(-1);
	return newest?.role === "assistant" && (newest.calls ?? []).length === 0;
}

/** Index of the user's newest message; -1: there is none. */
function newestRequest(messages: readonly PathMessage[]): number {
	return messages.findLastIndex(({ asks }) => asks);
}

/** The user wants to seal by the size of the context alone. */
function whenFull(moment: Moment, settings: PlanSettings, policy: SealPolicy): SealDecision {
	const { window, fixed, sealShare: share, hostLimit = Number.POSITIVE_INFINITY } = settings;
	const tokens = contextTokens(moment);
	if (policy === "host") return atLimit(tokens, hostLimit, "host-threshold");
	return atLimit(tokens, sealLimit(policy, { window, fixed, share }), policy === "window" ? "share" : "ceiling");
}

function atLimit(tokens: number, limit: number, why: SealDecision["why"]): SealDecision {
	return tokens > limit ? { ...decided(true, why), regret: tokens, price: limit } : decided(false, "too-early");
}

function decided(seal: boolean, why: SealDecision["why"]): SealDecision {
	return { seal, why, regret: 0, price: 0, floor: 0 };
}
