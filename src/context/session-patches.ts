/**
 * The patches of a session and their places: each was made when some entry was the newest, and holds on every path
 * through that entry. They come from the log, or from memory in a walk over a session that ran without weft.
 */
import { asList, asName, asNumber, asObject, asText } from "../base/json/read.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { Form } from "../message/view.ts";
import { weighWire } from "../message/weight.ts";
import type { History } from "../state/history/history.ts";
import { wrapWords } from "../state/memory/recall/block.ts";
import type { ModeName } from "./moment.ts";
import { type EpochOp, isBeyondMessages } from "./patch/operation.ts";
import { makeTransform, readTransform, type Transform } from "./patch/transform.ts";
import type { PathMessage } from "./path.ts";
import type { Seed, SeedSection } from "./section/section.ts";

interface PlacedPatch {
	/** seq of its event; patches are applied in this order. */
	readonly seq: number;
	readonly transform: Transform;
	/** Of a seal: the sections of its seed, from its account or as rendered. */
	readonly sections?: readonly SeedSection[] | undefined;
	readonly parts?: Seed["items"];
}

/** The patches that count for a request. */
export interface Patches {
	/** Those that were made when this entry was the newest, oldest first. */
	at(entry: number): readonly PlacedPatch[];
	/** Memory recalled for the first words: before all messages, if nothing opens the path. */
	readonly atStart?: readonly PlacedPatch[] | undefined;
	/** The entries that have patches for the system text, the tools or the options, oldest first. */
	readonly beyondMessages: readonly number[];
}

/** The authors of our patches begin with it: `weft/woven`, `weft/warp`, `weft/lossless`. */
const OURS = "weft/";

/** The operation of a transform that ends an epoch, where it has one. */
export function epochOpOf({ patch }: Transform): EpochOp | undefined {
	return patch.find((op): op is EpochOp => op.op === "epoch_seal" || op.op === "compaction_apply");
}

/** The name of memory recalled before the first message. */
export const FIRST_RECALL = "transform root.recall";

const NONE: readonly PlacedPatch[] = [];

/** The patches of one session in memory, in the order in which they were added. */
export class PatchList implements Patches {
	readonly #placed = new Map<number, PlacedPatch[]>();
	readonly beyondMessages: number[] = [];
	readonly atStart: PlacedPatch[] = [];

	at(entry: number): readonly PlacedPatch[] {
		return this.#placed.get(entry) ?? NONE;
	}

	add(entry: number, patch: PlacedPatch): void {
		const here = this.#placed.get(entry) ?? [];
		// An older part of the log may be read later.
		here.splice(here.findLastIndex(({ seq }) => seq <= patch.seq) + 1, 0, patch);
		this.#placed.set(entry, here);
		if (!patch.transform.patch.some(({ op }) => isBeyondMessages(op))) return;
		this.beyondMessages.push(entry);
		this.beyondMessages.sort((one, other) => one - other);
	}

	replaceNewest(entry: number, patch: PlacedPatch): void {
		this.#placed.get(entry)?.splice(-1, 1, patch);
	}
}

/** Events that are read first, from the newest on. */
const FIRST_EVENTS = 500;

/**
 * The stored patches of a session. Reads new events at each question, and older ones only as far back as the question goes: a path
 * ends at its opening, so a long session costs no more than a short one.
 */
export class StoredPatches {
	readonly #history: History;
	readonly #session: SessionRef;
	readonly #mayHoldForGood: () => boolean;
	readonly #list = new PatchList();
	/** Sections of seals whose patches lie before the events read so far, by place. */
	readonly #accounts = new Map<number, readonly SeedSection[]>();
	/** Events after `#from` and up to `#upTo` were read. */
	#from = 0;
	#upTo = 0;

	/** `mayHoldForGood`: false if no patch of the session concerns more than messages. By default all are read. */
	constructor(history: History, session: SessionRef, mayHoldForGood: () => boolean = () => true) {
		this.#history = history;
		this.#session = session;
		this.#mayHoldForGood = mayHoldForGood;
	}

	/**
	 * The patches that count in a mode, up to an event. The agent's session does not hold the context of `warp`, so it
	 * counts in `warp` alone. In `off` only the agent's own history counts.
	 */
	forMode(mode: ModeName, upTo: number = this.#history.log.newestSeq()): Patches {
		if (this.#upTo === 0) this.#from = this.#upTo = Math.max(0, upTo - FIRST_EVENTS);
		this.#readOn(upTo);
		if (this.#mayHoldForGood()) this.#readBack(0);
		const list = this.#list;
		const counts = ({ transformerName }: Transform) =>
			!transformerName.startsWith(OURS) || (mode !== "off" && (mode === "warp" || transformerName !== `${OURS}warp`));
		const counting = (placed: readonly PlacedPatch[]) =>
			placed.length === 0 ? placed : placed.filter(({ seq, transform }) => seq <= upTo && counts(transform));
		const readBack = (entry: number) => this.#readBack(entry);
		return {
			at(entry) {
				readBack(entry);
				return counting(list.at(entry));
			},
			get atStart() {
				readBack(0);
				return counting(list.atStart);
			},
			beyondMessages: list.beyondMessages,
		};
	}

	#readOn(upTo: number): void {
		if (upTo <= this.#upTo) return;
		for (const record of this.#read(this.#upTo, upTo)) this.#take(record);
		this.#upTo = upTo;
	}

	/** A patch is newer than its entry. Each step doubles what was read. */
	#readBack(entry: number): void {
		while (entry < this.#from) {
			const span = Math.max(FIRST_EVENTS, this.#upTo - this.#from);
			const from = entry === 0 ? 0 : Math.max(0, this.#from - span);
			for (const record of this.#read(from, this.#from)) this.#take(record);
			this.#from = from;
		}
	}

	#read(after: number, upTo: number): Iterable<EventRecord> {
		const { session, host } = this.#session;
		return this.#history.log.read({ session, host, types: ["Transform", "Seal"], after, upTo });
	}

	#take(record: EventRecord): void {
		if (record.type === "Seal") {
			this.#account(record);
			return;
		}
		const transform = readTransform(record.payload);
		const place = record.cause ?? this.#placeByName(record.entry);
		if (transform.reason === "ephemeral") return;
		if (place !== undefined) {
			const sections = epochOpOf(transform) && this.#accounts.get(place);
			this.#list.add(place, { seq: record.seq, transform, ...(sections && { sections }) });
		} else if (record.entry === FIRST_RECALL) this.#list.atStart.push({ seq: record.seq, transform });
	}

	/** A Seal event comes right after its Transform. */
	#account({ payload, cause }: EventRecord): void {
		const place = cause ?? 0;
		const sections = asList(payload["sections"]) as readonly SeedSection[];
		if (payload["transform"] === undefined || sections.length === 0) return;
		const placed = this.#list.at(place).at(-1);
		if (placed) this.#list.replaceNewest(place, { ...placed, sections });
		else this.#accounts.set(place, sections);
	}

	/** The patch's name contains the entry. */
	#placeByName(name: string | null): number | undefined {
		const entry = /^transform ([^\s.]+)\./.exec(name ?? "")?.[1];
		return entry === undefined ? undefined : this.#history.tree.find(this.#session, entry);
	}
}

export function sealTransform(mode: string, op: EpochOp): Transform {
	return makeTransform("compaction", `${OURS}${mode}`, [op]);
}

/** True: the compaction is a seal of ours, which the agent stored for us. */
export function isOwnCompaction(record: EventRecord): boolean {
	return asObject(asObject(record.payload["raw"])?.["details"])?.["weft"] !== undefined;
}

/** A compaction in the agent's session as an operation. */
export function hostCompaction(record: EventRecord): EpochOp {
	const raw = asObject(record.payload["raw"]) ?? {};
	return {
		op: "compaction_apply",
		scope: "cached",
		role: "compactionSummary",
		summary: asText(raw["summary"]) ?? "",
		timestamp: Date.parse(asText(raw["timestamp"]) ?? "") || record.ts,
		firstKeptMessageId: asName(raw["firstKeptEntryId"]) ?? asName(record.payload["kept"]) ?? null,
		tokensBefore: asNumber(raw["tokensBefore"]) ?? 0,
		invalidateCacheReason: "compaction",
	};
}

export const RECALL_NAME = "weft/recall";

/**
 * Recalled memory as a patch: the block goes before the user's words, for good. The agent's session and the log keep
 * the words unchanged. Undefined: the message has no text to put the block before.
 */
export function recallPatch({ id, sent, role }: PathMessage, block: string): Transform | undefined {
	const { id: _, ...message } = sent;
	const content = role === "user" ? withBlock(message["content"], block) : undefined;
	if (content === undefined) return undefined;
	const op = {
		op: "item_replace",
		scope: "cached",
		id,
		message: { ...message, content },
		invalidateCacheReason: "recalled",
	} as const;
	return makeTransform("before_request", RECALL_NAME, [op]);
}

/**
 * For agents whose user messages we cannot change: a separate message after this one, and so before the next words. An
 * empty id: the session has no message yet.
 */
export function recallAfterPatch(id: string, block: string, timestamp: number): Transform {
	const message = { role: "user", content: [{ type: "text", text: block }], timestamp };
	const kept = id === "" ? {} : { keepThroughId: id };
	const op = { op: "messages_cached_replace", scope: "cached", ...kept, messages: [message] } as const;
	return makeTransform("before_request", RECALL_NAME, [op]);
}

/** The recalled text and the message before it, of patches that add a separate message. */
export function recalledAfter({ transformerName, patch }: Transform): { id: string; text: string } | undefined {
	const [op] = patch;
	if (transformerName !== RECALL_NAME || op?.op !== "messages_cached_replace") return undefined;
	const content = op.messages[0]?.["content"];
	const text = Array.isArray(content) ? content[0]?.text : undefined;
	return typeof text === "string" ? { id: op.keepThroughId ?? "", text } : undefined;
}

/** The first text of a message with the recalled block before its words, of patches that change the message itself. */
export function recalledInto({ patch }: Transform): { id: string; text: string } | undefined {
	const [op] = patch;
	if (op?.op !== "item_replace") return undefined;
	const content = op.message["content"];
	const part = Array.isArray(content) ? content.find((each) => each?.type === "text") : undefined;
	const text = typeof content === "string" ? content : part?.text;
	return typeof text === "string" ? { id: op.id, text } : undefined;
}

/** Tokens that the recalled text adds to its message. */
export function recalledTokens({ patch }: Transform, message: PathMessage, form: Form): number {
	const [op] = patch;
	if (op?.op === "item_replace")
		return op.id === message.id ? weighWire(op.message, form) - weighWire(message.sent, form) : 0;
	return op?.op === "messages_cached_replace" ? weighWire(op.messages[0], form) : 0;
}

export function isRecall({ transformerName }: Transform): boolean {
	return transformerName === RECALL_NAME;
}

function withBlock(content: unknown, block: string): unknown {
	if (typeof content === "string") return wrapWords(block, content);
	if (!Array.isArray(content)) return undefined;
	const first = content.findIndex((part) => part?.type === "text" && typeof part.text === "string");
	if (first === -1) return undefined;
	return content.map((part, at) => (at === first ? { ...part, text: wrapWords(block, part.text) } : part));
}
