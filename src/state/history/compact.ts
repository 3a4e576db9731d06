/**
 * Summarises the messages before the tail, then condenses. Each node is an event, written once everything before it is
 * covered, so that every message is in exactly one place even after a crash or a cancel. Written nodes stay.
 */
import { setImmediate as breathe } from "node:timers/promises";
import { ModelGate } from "../../base/sidecar/gate.ts";
import { estimateTokens } from "../../base/tokens/estimate.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { nodeHandle } from "./handle.ts";
import type { History, SummaryEvent } from "./history.ts";
import { type LeafChunk, planCondensation, planLeaves } from "./plan.ts";
import { sourceText } from "./source-text.ts";
import { holdEvents, type StretchReader } from "./stretch-records.ts";
import type { Summariser, SummarySource } from "./summariser.ts";
import { type Material, ofMessages, ofNodes } from "./summary-material.ts";
import { type WrittenSummary, writeSummary } from "./summary-writer.ts";
import { HISTORY_DEFAULTS, type HistoryPath, type HistorySettings, type Node } from "./types.ts";

export interface CompactOptions {
	readonly session: SessionRef;
	/** seq of the agent's current entry; by default the session's newest. */
	readonly leaf?: number | undefined;
	/** seq of the first message that the agent keeps; by default the settings choose the tail. */
	readonly keepFrom?: number | undefined;
	readonly settings?: Partial<HistorySettings> | undefined;
	/** Tried in order, before the deterministic summariser. */
	readonly models?: readonly Summariser[] | undefined;
	/** Shared by all compactions of a process; by default a new one. */
	readonly gate?: ModelGate | undefined;
	readonly now?: (() => number) | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Ends the compaction after this time. Written nodes stay, and the next compaction does the rest. */
	readonly deadlineMs?: number | undefined;
	/** Ends the compaction after this many nodes. */
	readonly maxNodes?: number | undefined;
	/** Limit for one call of a model. */
	readonly callMs?: number | undefined;
	readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface Compaction {
	/** False: nothing changed. */
	readonly compacted: boolean;
	readonly leaves: readonly string[];
	readonly condensed: readonly string[];
	/** Refused answers, each with the reason. */
	readonly tried: readonly { readonly model: string; readonly reason: string }[];
	/** Why it ended early, or done. overtaken: another process compacted the same session. */
	readonly ended: "done" | "cancelled" | "deadline" | "overtaken";
	/** The path after the compaction. */
	readonly path: HistoryPath;
}

const LEAVES_AT_ONCE = 4;
/** Events of this many tokens easily fit into memory. */
const MAX_HELD_TOKENS = 250_000;
/** Leaves that no model writes cost less than a transaction, so this many share one. */
const LEAVES_PER_COMMIT = 16;

export async function compact(history: History, options: CompactOptions): Promise<Compaction> {
	const run = new CompactionRun(history, options);
	const ended = await run.all();
	return {
		compacted: run.leaves.length + run.condensed.length > 0,
		leaves: run.leaves,
		condensed: run.condensed,
		tried: run.tried,
		ended,
		path: history.path(options.session, options.leaf),
	};
}

class Overtaken extends Error {}

class CompactionRun {
	readonly leaves: string[] = [];
	readonly condensed: string[] = [];
	readonly tried: { model: string; reason: string }[] = [];
	readonly #history: History;
	readonly #options: CompactOptions;
	readonly #settings: HistorySettings;
	readonly #gate: ModelGate;
	readonly #now: () => number;
	readonly #signal: AbortSignal | undefined;
	/** Leaves are adjacent, and condensing reads the same events again: they are read once if they fit. */
	#events: StretchReader;
	/** The session's newest node that this run knows of. */
	#newest = 0;

	constructor(history: History, options: CompactOptions) {
		this.#history = history;
		this.#events = history.log;
		this.#options = options;
		this.#settings = { ...HISTORY_DEFAULTS, ...options.settings };
		this.#now = options.now ?? Date.now;
		this.#gate = options.gate ?? new ModelGate(this.#now);
		const deadline = options.deadlineMs === undefined ? [] : [AbortSignal.timeout(options.deadlineMs)];
		const signals = [...(options.signal ? [options.signal] : []), ...deadline];
		this.#signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
	}

	async all(): Promise<Compaction["ended"]> {
		try {
			await this.#writeLeaves();
			await this.#condense();
			return "done";
		} catch (error) {
			if (error instanceof Overtaken) return "overtaken";
			if (this.#options.signal?.aborted) return "cancelled";
			if (this.#signal?.aborted) return "deadline";
			throw error;
		}
	}

	async #writeLeaves(): Promise<void> {
		const path = this.#path();
		const { keepFrom, onProgress, models = [] } = this.#options;
		const chunks = planLeaves(path.runs, this.#settings, { keepFrom }).slice(0, this.#options.maxNodes);
		if (chunks.reduce((sum, { tokens }) => sum + tokens, 0) <= MAX_HELD_TOKENS)
			this.#events = holdEvents(
				this.#history.log,
				chunks.flatMap(({ messages }) => messages.map(({ seq }) => seq)),
			);
		// Commit what a model wrote right away.
		const perCommit = models.length > 0 ? 1 : LEAVES_PER_COMMIT;
		const started: Promise<SummaryDraft>[] = [];
		let waiting: SummaryEvent[] = [];
		for (const [at, chunk] of chunks.entries()) {
			for (const next of chunks.slice(started.length, at + LEAVES_AT_ONCE)) {
				const draft = this.#draft(this.#leaf(next));
				// A failure is reported when its turn comes, not as an unhandled rejection.
				draft.catch(() => {});
				started.push(draft);
			}
			const draft = await started[at];
			if (!draft) break;
			waiting.push(this.#leafEvent(chunk, draft));
			if (waiting.length === perCommit || at === chunks.length - 1) {
				this.#commit(waiting);
				this.leaves.push(...waiting.map(({ payload }) => payload.node));
				waiting = [];
				onProgress?.(at + 1, chunks.length);
			}
			await breathe();
		}
	}

	async #condense(): Promise<void> {
		let { nodes } = this.#path();
		const most = this.#options.maxNodes ?? Number.POSITIVE_INFINITY;
		for (
			let sources = planCondensation(nodes, this.#settings);
			sources;
			sources = planCondensation(nodes, this.#settings)
		) {
			if (this.leaves.length + this.condensed.length >= most || !this.#areAdjacent(sources)) return;
			const draft = await this.#draft(ofNodes(this.#history, this.#options.session, sources, this.#events));
			const node = this.#commitNode(sources, draft);
			this.condensed.push(node.id);
			const merged = new Set(sources);
			const at = nodes.findIndex((each) => merged.has(each));
			nodes = nodes.toSpliced(at, merged.size, node);
			await breathe();
		}
	}

	#areAdjacent(nodes: readonly Node[]): boolean {
		return nodes.every((node, at) => {
			const before = nodes[at - 1];
			return before === undefined || this.#history.isAdjacent(before, node);
		});
	}

	#path(): HistoryPath {
		const path = this.#history.path(this.#options.session, this.#options.leaf);
		this.#newest = this.#history.newestNode(this.#options.session);
		return path;
	}

	#leaf({ messages, tokens }: LeafChunk): Material {
		const seqs = messages.map(({ seq }) => seq);
		return ofMessages(this.#history, this.#options.session, seqs, tokens, this.#events);
	}

	async #draft({ source, parts }: Material): Promise<SummaryDraft> {
		const start = this.#now();
		let text: Promise<string> | undefined;
		const { callMs, models = [] } = this.#options;
		const written = await writeSummary(source, {
			models,
			gate: this.#gate,
			text: () => {
				text ??= sourceText(parts());
				return text;
			},
			signal: this.#signal,
			callMs,
		});
		return { written, source, durationMs: Math.max(0, Math.round(this.#now() - start)) };
	}

	#leafEvent(chunk: LeafChunk, draft: SummaryDraft): SummaryEvent {
		const [first, last] = [chunk.messages[0]!, chunk.messages.at(-1)!];
		const stretch = { first, last, count: chunk.messages.length, tokens: chunk.tokens };
		return this.#event(
			draft,
			chunk.messages.flatMap(({ seq }) => this.#history.log.handleAt(seq) ?? []),
			stretch,
		);
	}

	#commitNode(sources: readonly Node[], draft: SummaryDraft): Node {
		const { tree } = this.#history;
		const stretch = {
			first: tree.get(sources[0]!.first)!,
			last: tree.get(sources.at(-1)!.last)!,
			count: sources.reduce((sum, { messages }) => sum + messages, 0),
			tokens: sources.reduce((sum, { messageTokens }) => sum + messageTokens, 0),
		};
		const event = this.#event(
			draft,
			sources.map((node) => node.id),
			stretch,
		);
		this.#commit([event]);
		return this.#history.node(event.payload.node)!;
	}

	#commit(events: readonly SummaryEvent[]): void {
		this.#signal?.throwIfAborted();
		const seq = this.#history.add(this.#options.session, events, this.#newest);
		if (seq === undefined) throw new Overtaken();
		this.#newest = seq;
	}

	#event(draft: SummaryDraft, sources: readonly string[], stretch: CoveredStretch): SummaryEvent {
		const { session } = this.#options;
		const { written, source } = draft;
		const { first, last } = stretch;
		const node = nodeHandle(session, source.depth, first.entry, last.entry);
		this.tried.push(...written.tried);
		return {
			type: "Summary",
			...session,
			ts: this.#now(),
			// With the seqs, because a node from another log may have the same id but covers nothing here.
			entry: `${node}/${first.seq}-${last.seq}`,
			cause: last.seq,
			payload: {
				node,
				depth: source.depth,
				text: written.text,
				topic: written.topic,
				sources: [...sources],
				messages: {
					first: first.seq,
					last: last.seq,
					count: stretch.count,
					tokens: stretch.tokens,
					from: first.entry,
					to: last.entry,
				},
				tokens: estimateTokens(written.text),
				sourceTokens: source.tokens,
				model: written.model,
				durationMs: draft.durationMs,
				tried: written.tried.length > 0 ? [...written.tried] : undefined,
				usage: written.usage,
			},
		};
	}
}

interface SummaryDraft {
	readonly written: WrittenSummary;
	readonly source: SummarySource;
	readonly durationMs: number;
}

interface CoveredStretch {
	readonly first: { readonly seq: number; readonly entry: string };
	readonly last: { readonly seq: number; readonly entry: string };
	readonly count: number;
	readonly tokens: number;
}
