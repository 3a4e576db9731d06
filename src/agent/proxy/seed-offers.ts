/**
 * Seeds in answer to an agent's own compaction. The agent writes the seed into its session as its summary; the seal counts from the moment
 * that its file shows it.
 */
import { asObject, asText } from "../../base/json/read.ts";
import { firstKept } from "../../context/patch/epoch-op.ts";
import type { EpochOp } from "../../context/patch/operation.ts";
import type { Path, PathMessage } from "../../context/path.ts";
import { boundaryBefore } from "../../context/path-opening.ts";
import type { PlannedSeal } from "../../context/plan.ts";
import { sealTransform } from "../../context/session-patches.ts";
import type { Engine } from "../../engine.ts";
import type { RenderedAnswer } from "../../message/dialect/dialect.ts";
import { messageText, viewMessage } from "../../message/view.ts";
import type { TreeEntry } from "../../state/session/tree.ts";
import { askedFor, findOpenOffer, seedOfferEvent, toOfferedSeal } from "../live/seed-offer-event.ts";
import { findNewest, isCompaction } from "./newest-entry.ts";
import type { OfferedSeed, WatchedSession } from "./watched-session.ts";
import type { WatchedSessions } from "./watched-sessions.ts";
import type { CompactionRequest } from "./wire.ts";

export interface SeedOffersOptions {
	readonly sessions: WatchedSessions;
	readonly now: () => number;
}

/** For lines that the agent has sent and not written yet. */
const MAX_WAIT_MS = 5_000;
/** An agent writes a seed down within this time, or never. */
const MAX_OFFER_MS = 600_000;

export class SeedOffers {
	readonly #options: SeedOffersOptions;

	constructor(options: SeedOffersOptions) {
		this.#options = options;
	}

	/** The seed in answer to a compaction. Undefined: there is none, and the provider writes the summary. `hash`: of the request. */
	async answer(
		session: WatchedSession,
		compaction: CompactionRequest,
		hash: string,
	): Promise<RenderedAnswer | undefined> {
		if (session.answered?.hash === hash) return session.answered;
		await session.looking;
		const written = await this.#whenWritten(session, compaction);
		if (!written) return undefined;
		const { engine, cut } = written;
		const { words, by } = compaction;
		// Where the request does not say who wanted it, the agent's file will.
		const why = by === "user" ? "asked" : (session.due ?? "host-threshold");
		const seal = await engine.requests.seal({
			...session.input,
			...cut,
			decide: true,
			force: true,
			anySize: true,
			why,
			words,
		});
		if (!seal) return undefined;
		const answer = compaction.answer(seal.seed.text);
		engine.record([seedOfferEvent(session.ref, seal)]);
		session.offer({ seal: toOfferedSeal(seal), after: engine.log.newestSeq() });
		session.answered = { hash, ...answer };
		if (compaction.keepsNewest) session.keptThinking.expect(seal.seed.text);
		return answer;
	}

	/** Waits until the log has the messages that leave and those that stay. Undefined: those that leave do not come. */
	async #whenWritten(
		session: WatchedSession,
		compaction: CompactionRequest,
	): Promise<{ readonly engine: Engine; readonly cut: CompactionCut } | undefined> {
		const { now, sessions } = this.#options;
		const askedAt = now();
		return sessions.whenWritten(
			session,
			(engine, isLate) => {
				const found = findCut(engine.requests.moment(session.input).path, session.newestCalls, compaction);
				// The messages that stay may never come: then the cut is made without them.
				return found && (found.isSettled || isLate) ? { engine, cut: found.cut } : undefined;
			},
			// The first lines come soon after the first request, or never.
			(engine) => now() - (engine ? askedAt : session.since) >= MAX_WAIT_MS,
		);
	}

	/** Has the agent taken the seed? Then the seal counts, in place of the agent's own summary. */
	settle(session: WatchedSession, engine: Engine): void {
		engine.history.tree.catchUp();
		if (!session.offered && session.requests <= 1) this.#restore(session, engine);
		const { offered } = session;
		const summary = offered && findNewest(engine, session.ref, isCompaction);
		const text = summary && summaryText(engine, summary);
		if (!summary || text === undefined || !isTaken(offered, summary, text)) return;
		const { mode } = engine.settings;
		// The agent has decided which messages stay.
		const { opening } = engine.requests.moment({ ...session.input, leaf: summary.seq }).path;
		const from = opening ? firstKept(opening.op) : offered.seal.from;
		const op = writtenOp(offered.seal.op, text, from);
		const decision = wasAsked(engine, summary) ? askedFor(offered.seal.decision) : offered.seal.decision;
		const seal: PlannedSeal = { ...offered.seal, decision, op, transform: sealTransform(mode, op), from };
		// Before the commit: if that fails, it fails once and not after every request.
		session.beginEpoch();
		engine.requests.commit(session.ref, seal, summary.seq, mode);
	}

	/** Takes over an offer of an earlier proxy that ended before the agent wrote the seed down. */
	#restore(session: WatchedSession, engine: Engine): void {
		const open = findOpenOffer(engine, session.ref, this.#options.now() - MAX_OFFER_MS);
		if (open) session.offer({ seal: open.seal, after: open.seq });
	}
}

/** Where a compaction cuts: the first message that stays, and the newest one before the cut, if that is not the newest of all. */
interface CompactionCut {
	/** null: none stays. */
	readonly keepFrom: string | null;
	readonly leaf?: number;
}

/** The cut by what the log holds now. `isSettled`: no later line can change it. Undefined: the messages that leave are not written. */
function findCut(
	{ messages, isOpen }: Pick<Path, "messages" | "isOpen">,
	newestCalls: readonly string[],
	compaction: CompactionRequest,
): { readonly cut: CompactionCut; readonly isSettled: boolean } | undefined {
	const { calls, keepsNewest } = compaction;
	const newest = newestLeaving(messages, compaction);
	if (!newest) return undefined;
	if (!keepsNewest) return { cut: { keepFrom: null }, isSettled: !isOpen };
	// A call that stays is written before its result.
	if (isOpen) return { cut: { keepFrom: null, leaf: newest.seq }, isSettled: false };
	const kept = messages.find((message) => message.calls?.some((id) => !calls.has(id)));
	const isAllLeaving = newestCalls.every((id) => calls.has(id));
	return { cut: { keepFrom: kept?.id ?? null }, isSettled: kept !== undefined || isAllLeaving };
}

/** The newest message that leaves. Undefined: it is not written yet, or another one before it. */
function newestLeaving(
	messages: readonly PathMessage[],
	{ newestResult, newestTexts }: CompactionRequest,
): PathMessage | undefined {
	if (newestResult === undefined && newestTexts.length === 0) return messages.at(-1);
	let at = newestResult === undefined ? 0 : messages.findIndex(({ results }) => results?.includes(newestResult));
	// One message may hold several of them.
	for (const each of newestTexts) {
		if (at < 0) return undefined;
		const from = at;
		at = messages.findIndex(({ text }, index) => index >= from && holdsWords(text, each));
	}
	return messages[at];
}

/** The operation of a seal, with the agent's own words for it. */
function writtenOp(op: EpochOp, text: string, from: string | null): EpochOp {
	return op.op === "epoch_seal"
		? { ...op, seedText: text, keepFromId: from }
		: { ...op, summary: text, firstKeptMessageId: from };
}

/** The summary of an earlier compaction may begin with the same words. */
function isTaken({ seal, after }: OfferedSeed, summary: TreeEntry, text: string): boolean {
	return summary.seq > after && holdsWords(text, seal.seed.text);
}

const COMPARED_CHARS = 200;

/** An agent removes empty lines, and whatever looks like its own marks. */
export function holdsWords(text: string, words: string): boolean {
	const bare = (of: string) => of.replaceAll(/[\s<>/]+/g, "");
	return bare(text).includes(bare(words).slice(0, COMPARED_CHARS));
}

/** Claude Code's file says who compacted, Codex's request did. */
function wasAsked({ history }: Engine, summary: TreeEntry): boolean {
	return asObject(boundaryBefore(history, summary)?.["compactMetadata"])?.["trigger"] === "manual";
}

function summaryText(engine: Engine, { seq }: TreeEntry): string | undefined {
	const payload = engine.log.get(seq)?.payload;
	if (!payload) return undefined;
	return asText(asObject(payload["raw"])?.["summary"]) ?? messageText(viewMessage(payload));
}
