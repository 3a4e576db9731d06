/**
 * What does the model see? The one answer: live agents, `weft context`, the page and replay pass in a moment and get the
 * request. Pure: the same moment and settings give the same bytes. A due seal is part of the plan; the caller writes
 * summaries before and stores the patch after.
 */
import { contextTokens, modeOf, type SealRequest } from "./mode.ts";
import type { ModeName, Moment, PlanSettings } from "./moment.ts";
import type { EpochOp } from "./patch/operation.ts";
import type { ReplayItem } from "./patch/replay.ts";
import type { Transform } from "./patch/transform.ts";
import type { Opening, Path, PathMessage } from "./path.ts";
import { describeOpening } from "./path-opening.ts";
import type { SealDecision } from "./seal/rule.ts";
import type { ContextItem, Seed } from "./section/section.ts";
import { sealTransform } from "./session-patches.ts";
import { inOurTokens } from "./sizes.ts";

export interface Plan {
	readonly mode: ModeName;
	/** In place of everything before the messages; undefined: there is no such text. */
	readonly opening: Omit<Opening, "place" | "madeAt"> | undefined;
	readonly messages: readonly PathMessage[];
	/** The opening, the messages and stored patches, in order: the source of the envelope. */
	readonly items: readonly ReplayItem[];
	/** Tokens of the opening and the messages. */
	readonly tokens: number;
	/** The seal that this plan makes; undefined: none. */
	readonly seal: PlannedSeal | undefined;
	readonly decision: SealDecision;
	/** The parts, each with its reason. */
	readonly parts: readonly ContextItem[];
}

/** A seal: from now on the seed replaces everything before the first kept message. */
export interface PlannedSeal {
	readonly transform: Transform;
	readonly op: EpochOp;
	readonly seed: Seed;
	/** Id of the first message that stays raw; null: none does. */
	readonly from: string | null;
	readonly decision: SealDecision;
	readonly tokensBefore: number;
	readonly tokensAfter: number;
	/** Messages that left with this seal. */
	readonly left: number;
}

/**
 * The role of the opening message where an agent stores it as its own compaction, which stays in its session without us.
 */
export type OpeningRole = "compactionSummary";

export interface PlanRequest extends SealRequest {
	/** False: the plan keeps the current epoch, whatever the mode's rule says. */
	readonly decide?: boolean | undefined;
	/** How the agent shows the text that opens an epoch. */
	readonly openingRole?: OpeningRole | undefined;
}

export function plan(moment: Moment, given: PlanSettings, request: PlanRequest = {}): Plan {
	// Without a decision, sizes do not matter.
	const settings = request.decide === false && !request.force ? given : inOurTokens(moment, given);
	const due = dueIn(moment, settings, request);
	const seal = due.first > 0 || due.opens ? makeSeal(moment, settings, due, request) : undefined;
	const { path } = moment;
	if (!seal) return planAsIs(path, settings.mode, due.decision);
	const messages = path.messages.slice(seal.left);
	const opening = describeOpening(seal.op, seal.transform.transformerName, seal.seed.sections);
	return {
		mode: settings.mode,
		opening,
		messages,
		// The seal comes last, as it will be stored: there it drops the messages before the first kept one.
		items: [...path.items, { kind: "transform", transform: seal.transform }],
		tokens: seal.tokensAfter,
		seal,
		decision: due.decision,
		parts: [...(seal.seed.items ?? openingParts(opening)), ...messageParts(messages, settings.mode, opening)],
	};
}

/** A plan that keeps the current epoch. */
export function planAsIs(path: Path, mode: ModeName, decision: SealDecision = KEEP): Plan {
	const { opening, messages, items } = path;
	return {
		mode,
		opening,
		messages,
		items,
		tokens: contextTokens({ path }),
		seal: undefined,
		decision,
		// A live request asks for none of them.
		get parts() {
			return [...openingParts(opening), ...messageParts(messages, mode, opening)];
		},
	};
}

interface DueSeal {
	readonly decision: SealDecision;
	/** Index of the first message that stays; 0: nothing leaves. */
	readonly first: number;
	/** True: a text opens the request although no message leaves. */
	readonly opens: boolean;
}

/** Whether the plan would seal, and where. The messages that leave should be summarised before the seed is rendered. */
export function sealDue(moment: Moment, settings: PlanSettings, request: PlanRequest = {}): DueSeal {
	return dueIn(moment, inOurTokens(moment, settings), request);
}

function dueIn(moment: Moment, settings: PlanSettings, request: PlanRequest): DueSeal {
	const mode = modeOf(settings.mode);
	const { path } = moment;
	const ruled = request.decide === false ? KEEP : mode.decide(moment, settings);
	const decision: SealDecision = request.force ? { ...ruled, seal: true, why: request.why ?? "asked" } : ruled;
	// After an answer the user speaks next, so no request is due. An open turn is never cut.
	if (!decision.seal || path.isOpen || path.messages.length === 0) return { decision, first: 0, opens: false };
	const first = hostsCut(path, request) ?? mode.keepFrom(moment, settings, request);
	const opens = settings.mode === "warp" || request.keepFrom === null;
	return { decision, first: first < path.messages.length || opens ? first : 0, opens };
}

/** Undefined: the agent leaves it to us, or keeps a message that is not on the path. */
function hostsCut({ messages }: Path, { keepFrom }: PlanRequest): number | undefined {
	if (keepFrom === undefined) return undefined;
	const at = keepFrom === null ? messages.length : messages.findIndex(({ id }) => id === keepFrom);
	return at < 0 ? undefined : at;
}

const KEEP: SealDecision = { seal: false, why: "not-asked", regret: 0, price: 0, floor: 0 };

function makeSeal(moment: Moment, settings: PlanSettings, due: DueSeal, request: PlanRequest): PlannedSeal | undefined {
	const { path, now } = moment;
	const mode = modeOf(settings.mode);
	const render = (first: number) => {
		const cut = { leaving: path.messages.slice(0, first), kept: path.messages.slice(first) };
		return { ...cut, seed: mode.render(moment, settings, cut, request) };
	};
	const made = render(due.first);
	const wider = made.seed && isOurs(due, request) ? (mode.widen?.(moment, settings, made.seed) ?? 0) : 0;
	const { leaving, kept, seed } = wider > 0 && wider < due.first ? render(wider) : made;
	const from = kept[0]?.id ?? null;
	if (!seed || (from === null && !due.opens)) return undefined;
	const tokensBefore = contextTokens(moment);
	const tokensAfter = kept.reduce((sum, { tokens }) => sum + tokens, seed.tokens);
	// A seal must make the request smaller.
	if (!due.opens && !request.anySize && tokensAfter >= tokensBefore) return undefined;
	const base = {
		scope: "cached",
		// The agent's session never holds the context that `warp` computes.
		role: settings.mode === "warp" ? undefined : request.openingRole,
		tokensBefore,
		invalidateCacheReason: sealReason(settings.mode, due.decision.why),
	} as const;
	const op: EpochOp =
		mode.op === "epoch_seal"
			? { ...base, op: "epoch_seal", seedText: seed.text, keepFromId: from, timestamp: now, tokensAfter }
			: { ...base, op: "compaction_apply", summary: seed.text, firstKeptMessageId: from, timestamp: now };
	const transform = sealTransform(settings.mode, op);
	return { transform, op, seed, from, decision: due.decision, tokensBefore, tokensAfter, left: leaving.length };
}

/** Whether weft alone decides the cut: a person who asks for a seal wants a small request. */
function isOurs({ decision: { why } }: DueSeal, { keepFrom, shrink }: PlanRequest): boolean {
	return keepFrom === undefined && !shrink && why !== "asked";
}

export const HOST_COMPACTED = "the host compacted";

/** Why bytes that were sent before differ after a seal. */
export function sealReason(mode: ModeName, why: string): string {
	switch (mode) {
		case "woven":
			return `sealed: ${why}`;
		case "lossless":
			return `compacted: ${why}`;
		case "host":
			return HOST_COMPACTED;
		default:
			return `computed: ${why}`;
	}
}

/** The parts of a request, each with the reason why it is there, for people who ask what the model saw. */
function openingParts(opening: Omit<Opening, "place" | "madeAt"> | undefined): ContextItem[] {
	if (!opening) return [];
	const { by, tokens, sections, parts, op } = opening;
	if (parts) return [...parts];
	const why =
		by === "host"
			? "the agent's own summary of what was before"
			: `frozen when it was ${op.invalidateCacheReason ?? "made"}`;
	if (sections.length === 0) return [{ id: "opening", kind: "opening", tokens, why, included: true }];
	return sections.map(({ name, tokens, left, handle }) => {
		const rest = left > 0 ? `; ${left} more did not fit` : "";
		const part = {
			id: `seed:${name}`,
			kind: "seed",
			tokens,
			why: `${sectionRule(name)}${rest}`,
			included: true,
			handle,
		};
		return left > 0 ? { ...part, left } : part;
	});
}

const WHY_RAW: Readonly<Record<ModeName, string>> = {
	woven: "after the seal, raw",
	warp: "the run that is going on",
	lossless: "not covered by a summary",
	off: "the host's own history",
	host: "the host's own history",
};

function messageParts(messages: readonly PathMessage[], mode: ModeName, opening: unknown): ContextItem[] {
	const why = opening ? WHY_RAW[mode] : "nothing has left yet";
	return messages.map(({ id, tokens, role, handle }) => ({
		id: `message:${id}`,
		kind: role,
		tokens,
		why,
		included: true,
		handle,
	}));
}

/** Why each section of a seed holds what it holds. */
const RULES: Readonly<Record<string, string>> = {
	header: "says what the text is, and of which project",
	newest: "the newest request, word for word",
	task: "the task that the requests belong to, and the position in its plan",
	rules: "what the user said that holds",
	decided: "corrections and decisions that hold",
	plan: "the plan: open items, and what is done with its proof",
	done: "commits, pushes and green runs of this session",
	open: "what was promised, asked or announced, and is not done",
	asked: "what the user asked to keep, and the lines that speak of it",
	account: "each request with what came of it",
	approved: "the plan that the user saw",
	summary: "a summary that a model wrote",
	"dead ends": "calls that failed, and the form that works",
	standing: "the task, and what the user said that holds",
	blocks: "what the guard refused lately",
	failures: "failures that are open",
	resolved: "failures that were resolved lately",
	commands: "the newest commands and how they ended",
	files: "lines of files by the heat of their reads and changes",
	paths: "paths that came by, the newest first",
	ledger: "files that were read or changed, the newest first",
	history: "summaries of what left, with their handles",
};

function sectionRule(name: string): string {
	if (/^s-[0-9a-f]+$/.test(name)) return "a summary of what left";
	return RULES[name] ?? `${name}, as far as they were read`;
}
