/** Which requests of a session had a message, what took it out, and which request brought it back. */
import { partitionPoint } from "../base/collection/sorted.ts";
import { asName, asObject } from "../base/json/read.ts";
import type { Engine } from "../engine.ts";
import { isA } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { answerId } from "../message/outgoing-message.ts";
import type { TreeEntry } from "../state/session/tree.ts";
import type { ContextStay } from "./context-stay.ts";
import type { RequestRow, SentIn, SessionRequests } from "./requests.ts";
import { sendAgain } from "./sent-request.ts";

const MAX_LINES_OF_ANSWER = 40;
const EXPAND = /lcm_expand$/;

export class MessageStays {
	readonly #engine: Engine;
	readonly #session: SessionRef;
	readonly #requests: SessionRequests;
	/** seqs that a compaction of the agent kept, by the number of the request after it. */
	readonly #kept = new Map<number, ReadonlySet<number>>();
	/** Reads of each file, in order, and the file that each call read. */
	readonly #reads = new Map<string, { readonly seq: number; readonly callId: string }[]>();
	readonly #fileOf = new Map<string, string>();
	/** Calls that fetched a handle back. */
	readonly #fetches = new Map<string, number[]>();
	#path: { readonly tip: number; readonly seqs: ReadonlySet<number> } = { tip: 0, seqs: new Set() };
	#after = 0;

	constructor(engine: Engine, session: SessionRef, requests: SessionRequests) {
		this.#engine = engine;
		this.#session = session;
		this.#requests = requests;
	}

	/** `handle`: of the message. `isAbandoned`: the session left its branch. */
	of(entry: TreeEntry, handle: string, { isAbandoned = false } = {}): ContextStay {
		const rows = this.#requests.rows();
		const sent = this.#sentIn(entry);
		const first = sent?.first ?? rows[partitionPoint(rows, ({ seq }) => seq <= entry.seq)]?.n ?? null;
		if (first === null) return { first, last: null, coveredBy: null, again: [] };
		const stay = sent
			? this.#leftWeft(entry, sent, rows)
			: isAbandoned
				? { last: this.#lastOfBranch(first, rows), coveredBy: { by: "branch", handle: null } as const }
				: this.#leftHost(entry, first, rows);
		if (stay.last === null) return { first, ...stay, again: [] };
		if (stay.last === 0) return { first: null, last: null, coveredBy: stay.coveredBy, again: [] };
		this.#catchUp();
		const names = [handle, ...(stay.coveredBy?.handle ? [stay.coveredBy.handle] : [])];
		return { first, ...stay, again: this.#comebacks(entry, names, stay.last, rows) };
	}

	/** Of an answer in several lines, requests name the first. */
	#sentIn(entry: TreeEntry): SentIn | undefined {
		const own = this.#requests.sentIn(entry.entry);
		if (own || entry.role !== "assistant" || this.#requests.newestItems().length === 0) return own;
		const { log, history } = this.#engine;
		const answer = answerId(log.get(entry.seq)?.payload ?? {});
		if (answer === undefined) return undefined;
		let steps = 0;
		for (const before of history.tree.upward(entry.parent)) {
			if (steps++ === MAX_LINES_OF_ANSWER) return undefined;
			const sent = before.role === "assistant" ? this.#requests.sentIn(before.entry) : undefined;
			if (sent) return answerId(log.get(before.seq)?.payload ?? {}) === answer ? sent : undefined;
		}
		return undefined;
	}

	#leftWeft(entry: TreeEntry, { last }: SentIn, rows: readonly RequestRow[]): Pick<ContextStay, "last" | "coveredBy"> {
		if (last === rows.length) return { last: null, coveredBy: null };
		const node = this.#engine.history.covering(entry.seq);
		const compaction = rows[last]?.compaction;
		if (node) return { last, coveredBy: { by: "weft", handle: node.id } };
		if (compaction) return { last, coveredBy: { by: "agent", handle: compaction.handle } };
		return { last, coveredBy: { by: rows[last]?.seal ? "weft" : "nothing", handle: rows[last]?.seal?.handle ?? null } };
	}

	/** Of words that no message has: the model got them with the next request. */
	ofWords({ seq }: TreeEntry): ContextStay {
		const rows = this.#requests.rows();
		const first = rows.find((row) => (row.answer?.seq ?? row.seq) > seq)?.n;
		if (first === undefined) return { first: null, last: null, coveredBy: null, again: [] };
		return { first, ...this.#leftHost({ seq }, first, rows), again: [] };
	}

	#leftHost(
		entry: Pick<TreeEntry, "seq">,
		first: number,
		rows: readonly RequestRow[],
	): Pick<ContextStay, "last" | "coveredBy"> {
		for (const row of rows.slice(first - 1)) {
			if (!row.compaction || row.compaction.seq < entry.seq || this.#keptAt(row).has(entry.seq)) continue;
			const coveredBy = { by: "agent", handle: row.compaction.handle } as const;
			// 0: the agent compacted before any request had it.
			return { last: row.n > first ? row.n - 1 : 0, coveredBy };
		}
		return { last: null, coveredBy: null };
	}

	/** How many messages left with the compaction before a request. */
	leftAt({ n, compaction }: RequestRow): number {
		const rows = this.#requests.rows();
		const row = rows[n - 1];
		const before = rows[n - 2];
		if (!compaction || !row || !before) return 0;
		const kept = this.#keptAt(row);
		const sent = sendAgain(this.#engine, this.#session, before).path.messages;
		return sent.filter(({ seq }) => !kept.has(seq)).length;
	}

	#keptAt(row: RequestRow): ReadonlySet<number> {
		const known = this.#kept.get(row.n);
		if (known) return known;
		const { path } = sendAgain(this.#engine, this.#session, row);
		const kept = new Set(path.messages.map(({ seq }) => seq));
		this.#kept.set(row.n, kept);
		return kept;
	}

	/** The request before the one in which the session went on elsewhere. */
	#lastOfBranch(first: number, rows: readonly RequestRow[]): number {
		const onPath = this.#pathToTip();
		const next = rows.slice(first - 1).find(({ answer }) => answer && onPath.has(answer.seq));
		return Math.max(first, (next?.n ?? rows.length + 1) - 1);
	}

	#pathToTip(): ReadonlySet<number> {
		const { tree } = this.#engine.history;
		const tip = tree.tip(this.#session) ?? 0;
		if (this.#path.tip !== tip) this.#path = { tip, seqs: new Set([...tree.upward(tip)].map(({ seq }) => seq)) };
		return this.#path.seqs;
	}

	/** `names`: by which it can be fetched, itself or within a summary. */
	#comebacks(
		entry: TreeEntry,
		names: readonly string[],
		last: number,
		rows: readonly RequestRow[],
	): ContextStay["again"] {
		const { log } = this.#engine;
		const requestAt = (seq: number) => partitionPoint(rows, (row) => row.seq <= seq);
		const made = (seq: number, how: "fetched" | "read") => {
			const request = requestAt(seq);
			const cause = log.get(seq)?.cause;
			const asked = cause === null || cause === undefined ? undefined : log.handleAt(cause);
			return request > last && asked !== undefined ? [{ request, handle: asked, how }] : [];
		};
		const fetched = names.flatMap((name) => (this.#fetches.get(name) ?? []).flatMap((seq) => made(seq, "fetched")));
		const paths = new Set([...entry.calls, ...entry.results].flatMap((id) => this.#fileOf.get(id) ?? []));
		const read = [...paths].flatMap((path) => (this.#reads.get(path) ?? []).flatMap(({ seq }) => made(seq, "read")));
		return [...fetched, ...read].sort((one, other) => one.request - other.request);
	}

	#catchUp(): void {
		const { log } = this.#engine;
		const upTo = log.newestSeq();
		if (upTo === this.#after) return;
		const types = this.#requests.newestItems().length > 0 ? ["FileRead", "ToolCalled"] : ["FileRead"];
		for (const record of log.read({ ...this.#session, types, after: this.#after, upTo })) {
			if (isA(record, "FileRead")) {
				const { path, callId } = record.payload;
				const reads = this.#reads.get(path) ?? [];
				reads.push({ seq: record.seq, callId });
				this.#reads.set(path, reads);
				this.#fileOf.set(callId, path);
			} else if (isA(record, "ToolCalled") && EXPAND.test(record.payload.tool)) {
				const input = asObject(record.payload.input) ?? {};
				const id = asName(input["summary_id"]) ?? "";
				this.#fetches.set(id, [...(this.#fetches.get(id) ?? []), record.seq]);
			}
		}
		this.#after = upTo;
	}
}
