/**
 * Seals in Pi. weft summarises the messages that leave, renders the seed and gives it to Pi as Pi's own compaction, so that the
 * session still works without weft. A seal counts, and is recorded, once Pi has accepted it.
 */
import type {
	SessionBeforeCompactEvent,
	SessionBeforeCompactResult,
	SessionEntry,
	TurnEndEvent,
	TurnEndEventResult,
} from "@earendil-works/pi-coding-agent";
import { asObject } from "../../base/json/read.ts";
import type { ModeName } from "../../context/moment.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import type { SealInput } from "../../context/request.ts";
import type { SealReason } from "../../context/seal/rule.ts";
import type { LivePi } from "./live.ts";
import { transformEntries } from "./request.ts";
import { summarisers } from "./side-models.ts";

/** The details of a compaction that is a seal by weft. */
interface SealDetails {
	readonly weft: ModeName;
	readonly nodes: readonly string[];
	readonly why: string;
}

/** At the end of a turn: runs handlers, and seals if a seal is due. */
export async function endTurn(event: TurnEndEvent, live: LivePi): Promise<TurnEndEventResult | undefined> {
	const mode = live.mode();
	if (mode === "off" || event.outcome !== "completed") {
		live.project.ship();
		return undefined;
	}
	live.loop.turnEnded({ isRunOver: false });
	// No second compaction where another extension compacts. `warp` computes its context at each request instead.
	const isSealing = mode !== "warp" && !event.entries.some(({ type }) => type === "compaction");
	const models = mode === "lossless" ? summarisers(live) : [];
	if (isSealing) await live.loop.beforeDueSeal(() => live.engine.requests.dueWhy(sealInput(live, {})));
	const ended = await live.engine.requests.endTurn(live.input(), isSealing ? sealInput(live, { models }) : undefined);
	for (const reason of ended.reasons) live.reasons.add(reason);
	const changes = transformEntries(ended.stored).map((entry) => ({ type: "custom", ...entry }) as const);
	const seal = offer(live, ended.seal);
	if (!seal) return changes.length === 0 ? undefined : { entries: [...event.entries, ...changes] };
	const details = detailsOf(live, seal);
	return {
		entries: [
			...event.entries,
			...changes,
			{ type: "custom", customType: "weft.nodes", data: { nodes: details.nodes, from: seal.from } },
			{ type: "compaction", summary: seal.seed.text, firstKeptEntryId: seal.from, details },
		],
	};
}

/**
 * When Pi is about to compact: at its threshold, at the user's request, or after a request that was too large. Undefined:
 * nothing can leave, and Pi compacts by itself.
 */
export async function compactForPi(
	{ preparation, customInstructions, reason, signal }: SessionBeforeCompactEvent,
	live: LivePi,
): Promise<SessionBeforeCompactResult | undefined> {
	if (live.mode() === "off") return undefined;
	// Where the user's prompt waits, the note is left out.
	await Promise.all([
		live.loop.beforeCompaction(),
		live.isSealDue ? undefined : live.loop.noteAtSeal(SEAL_REASONS[reason]),
	]);
	const words = customInstructions?.trim() || undefined;
	// A seal needs no model, except for the user's instructions and for `lossless`, which consists of summaries. Where a
	// prompt waits, models rewrite the summaries in the background.
	const isLossless = live.loop.sealMode === "lossless" && !live.isSealDue;
	const models = isLossless ? summarisers(live, words) : words === undefined ? [] : summarisers(live);
	const input = sealInput(live, {
		force: !live.isSealDue,
		why: SEAL_REASONS[reason],
		words,
		anySize: true,
		shrink: reason === "overflow",
		models,
		signal,
	});
	const seal = offer(live, await live.loop.seal(input));
	if (!seal) return undefined;
	const { tokensBefore } = preparation;
	const details = detailsOf(live, seal);
	return { compaction: { summary: seal.seed.text, firstKeptEntryId: seal.from, tokensBefore, details } };
}

const SEAL_REASONS: Readonly<Record<SessionBeforeCompactEvent["reason"], SealReason>> = {
	manual: "asked",
	threshold: "host-threshold",
	overflow: "overflow",
};

/**
 * Before the user's next words go out: after a pause the provider's cache is cold, so a seal costs nothing; or the user has
 * chosen a model with a smaller window. No turn ends here, so weft asks Pi to compact, and `compactForPi` answers with the
 * seal. Pi refuses while it counts the whole session as recent. A context over the ceiling is then sealed in weft's log alone,
 * until the next turn ends.
 */
export async function sealBeforeInput(live: LivePi): Promise<void> {
	const { ctx } = live;
	const why = ctx.isIdle() ? whyBeforeInput(live) : undefined;
	if (why === undefined) return;
	live.isSealDue = true;
	const isRefused = await new Promise<boolean>((resolve) => {
		const timer = setTimeout(resolve, MAX_WAIT_MS, false);
		const done = (refused: boolean) => () => {
			clearTimeout(timer);
			resolve(refused);
		};
		ctx.compact({ onComplete: done(false), onError: done(true) });
	});
	live.isSealDue = false;
	if (!isRefused || why === "cold-cache") return;
	live.offered = undefined;
	const seal = await live.engine.requests.sealNow(sealInput(live, {}));
	if (!seal) return;
	live.reasons.add(seal.op.invalidateCacheReason ?? "compaction");
	live.isSealedAlone = true;
	announce(live, seal, { isBeforeInput: true });
}

/** True: weft will seal before the user's next words go out. */
export function isSealedBeforeInput(live: LivePi): boolean {
	return whyBeforeInput(live) !== undefined;
}

/** A seal that is due by price waits for the end of a turn. */
function whyBeforeInput(live: LivePi): SealReason | undefined {
	const mode = live.mode();
	if (mode !== "woven" && mode !== "lossless") return undefined;
	const why = live.engine.requests.dueWhy({ ...live.input(), decide: true });
	return why === "cold-cache" || why === "ceiling" || why === "share" ? why : undefined;
}

/** The user's prompt waits for the seal this long at most. */
const MAX_WAIT_MS = 10_000;

function sealInput(live: LivePi, options: Partial<SealInput>): SealInput {
	return { ...live.input(), mode: live.loop.sealMode, decide: true, gate: live.gate, ...options };
}

/** Prepares a seal for Pi. It counts once Pi has accepted it. */
function offer(live: LivePi, seal: PlannedSeal | undefined): (PlannedSeal & { readonly from: string }) | undefined {
	// Pi would silently keep no message at all if it did not know the first kept entry.
	const from = seal?.from ?? "";
	if (!seal || !live.ctx.sessionManager.getEntry(from)) return undefined;
	// From state; a model was asked before the seed was made.
	void live.loop.beforeCompaction();
	live.offered = seal;
	live.reasons.add(seal.op.invalidateCacheReason ?? "compaction");
	return { ...seal, from };
}

/** At the next hook, after Pi's entries are recorded: commits the offered seal if Pi has accepted it, or drops it. */
export function settleSeal(live: LivePi): void {
	const seal = live.offered;
	if (!seal) return;
	live.offered = undefined;
	const newest = live.ctx.sessionManager.getBranch().findLast(({ type }) => type === "compaction");
	if (newest?.type !== "compaction" || newest.firstKeptEntryId !== seal.from || !isFromWeft(newest)) return;
	const { tree } = live.engine.history;
	tree.catchUp();
	const place = tree.find(live.session, newest.id);
	const entry = {
		timestamp: Date.parse(newest.timestamp),
		tokensBefore: newest.tokensBefore,
		role: "compactionSummary",
	} as const;
	const transform = { ...seal.transform, patch: seal.transform.patch.map((op) => ({ ...op, ...entry })) };
	live.isSealedAlone = false;
	live.engine.requests.commit(live.session, { ...seal, transform } as PlannedSeal, place, live.loop.sealMode);
	announce(live, seal);
}

/** Shows the seal to the user and starts the work that follows it. `isBeforeInput`: a run is about to begin. */
function announce(live: LivePi, seal: PlannedSeal, { isBeforeInput = live.isSealDue } = {}): void {
	live.sealNotice = { text: live.loop.sealNotice(seal, "/lcm search", live.ctx.model?.id), isBeforeInput };
	live.summaries.start(live);
	live.loop.afterCompaction();
}

function isFromWeft(entry: SessionEntry): boolean {
	return entry.type === "compaction" && asObject(entry.details)?.["weft"] !== undefined;
}

function detailsOf(live: LivePi, { decision }: PlannedSeal): SealDetails {
	const { nodes } = live.engine.history.path(live.session, live.leaf());
	return { weft: live.loop.sealMode, nodes: nodes.map(({ id }) => id), why: decision.why };
}
