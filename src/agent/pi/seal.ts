/**
 * Seals in Pi. What leaves is summarised, the seed is rendered, and both go to Pi as a compaction of its own, so that the
 * session stays sane without us. A seal counts, and is written down, once Pi has taken it.
 */
import type {
	SessionBeforeCompactEvent,
	SessionBeforeCompactResult,
	SessionEntry,
	TurnEndEvent,
	TurnEndEventResult,
} from "@earendil-works/pi-coding-agent";
import { asObject } from "../../base/json/read.ts";
import { formatCount, plural } from "../../base/text/bytes.ts";
import type { ModeName } from "../../context/moment.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import type { SealInput } from "../../context/request.ts";
import { renderSealReason, type SealReason } from "../../context/seal/rule.ts";
import { inRealTokens } from "../../context/sizes.ts";
import { HISTORY_DEFAULTS } from "../../state/history/types.ts";
import type { Live } from "./live.ts";
import { summarisers } from "./models.ts";
import { transformEntries } from "./request.ts";

/** The details of a compaction that is a seal of ours. */
interface SealDetails {
	readonly weft: ModeName;
	readonly nodes: readonly string[];
	readonly why: string;
}

/** When a turn is closed: handlers see it, and what is due is sealed. */
export async function endTurn(event: TurnEndEvent, live: Live): Promise<TurnEndEventResult | undefined> {
	const mode = live.mode();
	if (mode === "off" || event.outcome !== "completed") {
		live.project.ship();
		return undefined;
	}
	live.loop.turnEnded({ isRunOver: false });
	// Another extension compacts here: one is enough. What `warp` shows is computed when a request is made.
	const isSealing = mode !== "warp" && !event.entries.some(({ type }) => type === "compaction");
	const models = mode === "lossless" ? summarisers(live) : [];
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
 * When Pi is about to compact: because of its threshold, because the user asks, or because a request was too large.
 * Undefined, where nothing can leave: Pi's own way.
 */
export async function compactForPi(
	{ preparation, customInstructions, reason, signal }: SessionBeforeCompactEvent,
	live: Live,
): Promise<SessionBeforeCompactResult | undefined> {
	if (live.mode() === "off") return undefined;
	live.loop.beforeCompaction();
	// A request that is too large must become smaller, however few messages there are; and nobody asked for one that is due.
	if (reason !== "overflow" && !live.isSealDue && isTooShort(live)) return undefined;
	const words = customInstructions?.trim() || undefined;
	// A seal needs no model. To words of the user one is asked once; `lossless` is made of summaries. Where a prompt waits,
	// the models follow in the background.
	const isLossless = live.loop.sealMode === "lossless" && !live.isSealDue;
	const models = isLossless ? summarisers(live, words) : words === undefined ? [] : summarisers(live);
	const input = sealInput(live, {
		force: !live.isSealDue,
		why: WHY[reason],
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

/** Told as what it is: a person asked, or Pi did. */
const WHY: Readonly<Record<SessionBeforeCompactEvent["reason"], SealReason>> = {
	manual: "asked",
	threshold: "host-threshold",
	overflow: "overflow",
};

/** So few messages are not worth a summary. Pi's own compaction is the way out. */
function isTooShort(live: Live): boolean {
	const { path } = live.engine.requests.moment(live.input());
	return path.opening === undefined && path.messages.length < HISTORY_DEFAULTS.minMessages;
}

/**
 * Before the user's next words go out. The user comes back after a while, and the provider has forgotten everything: a seal
 * costs nothing now. Or the user has chosen a smaller model, and what is there is too much for it. Pi lets no turn end here,
 * so it is asked to compact, and `compactForPi` answers with the seal. Pi refuses while all of the session is recent by its
 * own measure. What must become smaller is then sealed in our log alone, until the next turn ends.
 */
export async function sealBeforeInput(live: Live): Promise<void> {
	const { ctx } = live;
	const mode = live.mode();
	if ((mode !== "woven" && mode !== "lossless") || !ctx.isIdle()) return;
	const why = live.engine.requests.dueWhy({ ...live.input(), decide: true });
	if (why !== "cold-cache" && why !== "ceiling") return;
	live.isSealDue = true;
	const isRefused = await new Promise<boolean>((resolve) => {
		const timer = setTimeout(resolve, PATIENCE_MS, false);
		const done = (refused: boolean) => () => {
			clearTimeout(timer);
			resolve(refused);
		};
		ctx.compact({ onComplete: done(false), onError: done(true) });
	});
	live.isSealDue = false;
	if (!isRefused || why !== "ceiling") return;
	live.offered = undefined;
	const seal = await live.engine.requests.sealNow(sealInput(live, {}));
	if (!seal) return;
	live.reasons.add(seal.op.invalidateCacheReason ?? "compaction");
	live.isSealedAlone = true;
	tell(live, seal);
}

/** A prompt waits for it: never longer than this. */
const PATIENCE_MS = 10_000;

function sealInput(live: Live, options: Partial<SealInput>): SealInput {
	return { ...live.input(), mode: live.loop.sealMode, decide: true, gate: live.gate, ...options };
}

/** Gives a seal to Pi. It counts when Pi has taken it. */
function offer(live: Live, seal: PlannedSeal | undefined): (PlannedSeal & { readonly from: string }) | undefined {
	// Pi keeps nothing, without a word, where it does not know the first entry.
	const from = seal?.from ?? "";
	if (!seal || !live.ctx.sessionManager.getEntry(from)) return undefined;
	live.loop.beforeCompaction();
	live.offered = seal;
	live.reasons.add(seal.op.invalidateCacheReason ?? "compaction");
	return { ...seal, from };
}

/** At the next hook, when Pi's entries are recorded: has Pi taken it? If not, it never was. */
export function settleSeal(live: Live): void {
	const seal = live.offered;
	if (!seal) return;
	live.offered = undefined;
	const newest = live.ctx.sessionManager.getBranch().findLast(({ type }) => type === "compaction");
	if (newest?.type !== "compaction" || newest.firstKeptEntryId !== seal.from || !isOurs(newest)) return;
	const { tree } = live.engine.history;
	tree.catchUp();
	const place = tree.find(live.session, newest.id);
	const told = {
		timestamp: Date.parse(newest.timestamp),
		tokensBefore: newest.tokensBefore,
		role: "compactionSummary",
	} as const;
	const transform = { ...seal.transform, patch: seal.transform.patch.map((op) => ({ ...op, ...told })) };
	live.isSealedAlone = false;
	live.engine.requests.commit(live.session, { ...seal, transform } as PlannedSeal, place, live.loop.sealMode);
	tell(live, seal);
}

/** To the user, and to the models that write in the background. */
function tell(live: Live, seal: PlannedSeal): void {
	live.sealNotice = noticeOf(live, seal);
	live.mention(live.sealNotice);
	live.summaries.start(live);
	live.loop.afterCompaction();
}

function isOurs(entry: SessionEntry): boolean {
	return entry.type === "compaction" && asObject(entry.details)?.["weft"] !== undefined;
}

function detailsOf(live: Live, { decision }: PlannedSeal): SealDetails {
	const { nodes } = live.engine.history.path(live.session, live.leaf());
	return { weft: live.loop.sealMode, nodes: nodes.map(({ id }) => id), why: decision.why };
}

/** In the tokens of the status line. */
function noticeOf(live: Live, { left, tokensBefore, tokensAfter, decision }: PlannedSeal): string {
	const { reported } = live.engine.state().state;
	const real = (tokens: number) => formatCount(inRealTokens(reported, live.session, tokens));
	const sizes = `${real(tokensBefore)} → ${real(tokensAfter)} tokens`;
	return `sealed (${renderSealReason(decision.why)}): ${plural(left, "message")} left the context, ${sizes}; all of it can be fetched.`;
}
