/** Finds the opening of a path and how far back its messages go: the newest seal or compaction that counts. */

import { BoundedMap } from "../base/collection/bounded.ts";
import { asName, asObject, type JsonObject } from "../base/json/read.ts";
import type { EventRecord } from "../log/event/types.ts";
import { sentMessage } from "../message/outgoing-message.ts";
import { readWire, shownText } from "../message/view.ts";
import { weighWire } from "../message/weight.ts";
import type { History } from "../state/history/history.ts";
import { isMessage, type TreeEntry } from "../state/session/tree.ts";
import type { EnvelopeMessage } from "./envelope/envelope.ts";
import { firstKept, openingMessage, pinEpoch } from "./patch/epoch-op.ts";
import type { EpochOp } from "./patch/operation.ts";
import type { Opening, Path, PathOptions } from "./path.ts";
import type { Seed } from "./section/section.ts";
import { epochOpOf, hostCompaction, isOwnCompaction } from "./session-patches.ts";

export interface FoundOpening {
	readonly op: EpochOp;
	readonly by: string;
	/** seq of the entry after which it was made. */
	readonly place: number;
	/** seq of the newest entry that was kept. In a fork of Claude Code the kept entries come after the summary. */
	readonly keptTo: number;
	readonly sections?: Seed["sections"] | undefined;
	readonly parts?: Seed["items"];
}

/** The entries from the first message that is still sent to the leaf, oldest first. */
export interface OpenedEntries {
	readonly entries: readonly TreeEntry[];
	readonly opening?: FoundOpening | undefined;
}

/** Reads the path at another entry, or with fewer patches. */
type ReadPath = (options: PathOptions) => Path;

const MAX_HELD = 20_000;
/** A summary follows the line that announces it closely. */
const MAX_STEPS_TO_BOUNDARY = 20;

export class OpeningFinder {
	readonly #history: History;
	readonly #compactions = new BoundedMap<number, RecordedCompaction>(MAX_HELD);

	constructor(history: History) {
		this.#history = history;
	}

	find(options: PathOptions, readPath: ReadPath): OpenedEntries {
		const entries: TreeEntry[] = [];
		let opening: FoundOpening | undefined;
		let kept: string | null = null;
		for (const entry of this.#history.tree.upward(options.leaf ?? null)) {
			const found = opening ? undefined : this.#openingAt(entry, options, readPath);
			if (found) {
				const copied = entries.find(({ entry: name }) => name === found.keptLast);
				opening = { ...found, keptTo: copied?.seq ?? found.place };
				kept = firstKept(found.op);
				// A compaction that keeps itself keeps nothing but what comes after it.
				if (kept === null || (kept === entry.entry && !isMessage(entry))) {
					return { entries: entries.reverse(), opening };
				}
			}
			entries.push(entry);
			if (opening && entry.entry === kept) return { entries: entries.reverse(), opening };
		}
		entries.reverse();
		if (!opening) return { entries };
		// A first message that is not on the path keeps nothing, as in Pi.
		const { place } = opening;
		return { entries: entries.filter(({ seq }) => seq > place), opening };
	}

	#openingAt(entry: TreeEntry, options: PathOptions, readPath: ReadPath): OpeningAt | undefined {
		const { patches, compactions } = options;
		for (const { seq, transform, sections, parts } of patches.at(entry.seq).toReversed()) {
			const op = epochOpOf(transform);
			if (!op) continue;
			const pinned = pinEpoch(op, (index) => idAt(index, readPath(withoutPatchesFrom(seq, entry.seq, options))));
			return { op: pinned, by: transform.transformerName, place: entry.seq, sections, parts };
		}
		const isCompaction = entry.kind === "compaction" || entry.role === "compactionSummary";
		if (compactions === "none" || !isCompaction) return undefined;
		const found = this.#compaction(entry);
		const counts = found && (compactions === "recorded" || !found.isOwn);
		return counts ? { op: found.op, by: "host", place: entry.seq, keptLast: found.keptLast } : undefined;
	}

	#compaction(entry: TreeEntry): RecordedCompaction | undefined {
		const held = this.#compactions.get(entry.seq);
		if (held) return held;
		const record = this.#history.log.get(entry.seq);
		if (!record) return undefined;
		// Claude Code writes its summary as a user message, which opens the path itself.
		const segment = entry.kind === "compaction" ? undefined : this.#preserved(entry);
		const keepFrom = asName(segment?.["headUuid"]) ?? null;
		const op = entry.kind === "compaction" ? hostCompaction(record) : summaryAsSeal(record, keepFrom);
		const found = { op, isOwn: isOwnCompaction(record), keptLast: asName(segment?.["tailUuid"]) };
		this.#compactions.set(entry.seq, found);
		return found;
	}

	/** Names the first and the last entry that Claude Code keeps when it compacts. */
	#preserved(summary: TreeEntry): JsonObject | undefined {
		const boundary = boundaryBefore(this.#history, summary);
		return asObject(asObject(boundary?.["compactMetadata"])?.["preservedSegment"]);
	}
}

/** The line before Claude Code's summary, which says who compacted and what stays. Undefined: another agent's summary. */
export function boundaryBefore(
	{ tree, log }: Pick<History, "tree" | "log">,
	summary: Pick<TreeEntry, "parent">,
): JsonObject | undefined {
	let steps = 0;
	for (const { seq, kind } of tree.upward(summary.parent)) {
		if (steps++ === MAX_STEPS_TO_BOUNDARY) break;
		if (kind === undefined) continue;
		const raw = asObject(log.get(seq)?.payload["raw"]);
		if (raw?.["subtype"] === "compact_boundary") return raw;
	}
	return undefined;
}

/** A compaction that the agent wrote into its session. */
interface RecordedCompaction {
	readonly op: EpochOp;
	/** It is a seal of ours. */
	readonly isOwn: boolean;
	/** The last entry that the agent kept. */
	readonly keptLast: string | undefined;
}

type OpeningAt = Omit<FoundOpening, "keptTo"> & Partial<Pick<RecordedCompaction, "keptLast">>;

/** The path at an entry before a patch was made: entries of other programs name a message by its index there. */
function withoutPatchesFrom(patch: number, place: number, options: PathOptions): PathOptions {
	const { patches } = options;
	const at = (entry: number) => patches.at(entry).filter(({ seq }) => entry !== place || seq < patch);
	return { ...options, leaf: place, patches: { at, beyondMessages: patches.beyondMessages } };
}

function idAt(index: number, { opening, messages }: Path): string | null {
	return messages[Math.max(0, opening ? index - 1 : index)]?.id ?? null;
}

function summaryAsSeal(record: EventRecord, keepFromId: string | null): EpochOp {
	const summary = shownText(readWire(sentMessage([record.payload]), "anthropic"));
	return {
		op: "epoch_seal",
		scope: "cached",
		seedText: summary === "" ? "(empty)" : summary,
		keepFromId,
		timestamp: record.ts,
		invalidateCacheReason: "compaction",
	};
}

/** The same operation always opens with the same message. */
const openingMessages = new WeakMap<EpochOp, EnvelopeMessage>();

export function describeOpening(
	op: EpochOp,
	by: string,
	sections: Seed["sections"] = [],
): Omit<Opening, "place" | "madeAt"> {
	const sent = openingMessages.get(op) ?? Object.freeze(openingMessage(op));
	openingMessages.set(op, sent);
	const text = op.op === "epoch_seal" ? op.seedText : op.summary;
	return { op, by, text, sent, sections, tokens: weighWire(sent, "pi") };
}
