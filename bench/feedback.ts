/**
 * `npm run bench -- feedback FOLDER`: recorded sessions as tasks of a scripted agent. Replay repeats what the recorded agent
 * did, whatever it is sent; this agent reacts. It makes the recorded calls. It writes each edit from what it is sent: where the old text is not
 * there, the edit fails, and unless the result shows the lines that it meant, it reads them from the files as the recording
 * knows them and tries again. Each of that is a request more, and a message that the planner must carry. No model is asked.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openingRoleOf } from "../src/agent/opening-role.ts";
import { findSessionFiles } from "../src/agent/recorded/session-files.ts";
import { EngineError } from "../src/base/error/engine-error.ts";
import { formatCount, plural } from "../src/base/text/bytes.ts";
import { renderTable } from "../src/base/text/table.ts";
import { HOST_SUMMARY_TOKENS } from "../src/context/mode.ts";
import { PathReader } from "../src/context/path.ts";
import { requestOf } from "../src/context/request.ts";
import { Walk } from "../src/context/walk.ts";
import { type Engine, openEngine } from "../src/engine.ts";
import type { EventRecord, NewEvent } from "../src/log/event/types.ts";
import { viewMessage } from "../src/message/view.ts";
import { demandsOf } from "../src/replay/demands.ts";
import { FailedEditResults, misremember } from "../src/replay/failed-edit-results.ts";
import { hostLimit, measureMessage, windowFor } from "../src/replay/host-facts.ts";
import { type MeasuredRequest, type ModeReport, measureRequests } from "../src/replay/mode-report.ts";
import { type ModelCall, openRecording, type Recording, rawPath } from "../src/replay/recording.ts";
import { tailRequest } from "../src/replay/requests.ts";
import { countSupport, emptyCount, type OldText, SearchableText } from "../src/replay/support.ts";
import { Calls } from "../src/state/session/calls.ts";
import { deriveEvents } from "../src/state/session/derived-events.ts";
import { placeOf } from "../src/state/session/session-state.ts";
import type { KnownLines } from "../src/state/work/file-source.ts";
import type { BenchResult } from "./bench-result.ts";

/** `tail`: the newest messages alone, in as many tokens as woven's request had at the same recorded call. */
const FEEDBACK_ROWS = ["host", "woven", "lossless", "tail"] as const;
type FeedbackRow = (typeof FEEDBACK_ROWS)[number];

export interface FeedbackCounts {
	/** Edits whose old text an earlier message had. */
	edits: number;
	/** Edits that failed because their old text was not sent. */
	failed: number;
	/** Those of them whose result showed the lines. */
	healed: number;
	/** Reads that the recorded agent did not need. */
	reads: number;
	requests: number;
	/** With 3,000 tokens of system prompt and tools, in tokens of plain input. */
	units: number;
	seals: number;
}

export interface FeedbackReport {
	readonly sessions: number;
	readonly skipped: readonly string[];
	readonly all: Readonly<Record<FeedbackRow, FeedbackCounts>>;
	readonly byHost: Readonly<Record<string, Readonly<Record<FeedbackRow, FeedbackCounts>>>>;
}

export async function runFeedbackBench(folder: string, onProgress: (what: string) => void): Promise<FeedbackReport> {
	const files = findSessionFiles(folder)
		.filter((file) => !file.endsWith(".gz"))
		.sort();
	const byHost: Record<string, Record<FeedbackRow, FeedbackCounts>> = {};
	const skipped: string[] = [];
	for (const [n, file] of files.entries()) {
		onProgress(`${n + 1} of ${files.length}: ${file.slice(folder.length + 1)}`);
		try {
			const recording = await openRecording(file);
			try {
				const host = recording.sessions[0]?.host ?? "";
				const sums = byHost[host] ?? emptyRows();
				byHost[host] = sums;
				addRows(sums, await runTask(recording));
			} finally {
				recording.close();
			}
		} catch (error) {
			if (!(error instanceof EngineError)) throw error;
			skipped.push(error.message);
		}
	}
	const sessions = files.length - skipped.length;
	if (sessions === 0) throw new EngineError("not-found", `${folder} has no session that weft can replay.`);
	const all = emptyRows();
	for (const rows of Object.values(byHost)) addRows(all, rows);
	return { sessions, skipped, all, byHost };
}

/** One recorded session as a task, once in each row. */
export async function runTask(recording: Recording): Promise<Record<FeedbackRow, FeedbackCounts>> {
	const rows = emptyRows();
	const { cacheLifetime } = recording;
	const prices = recording.pricesIn({});
	/** Tokens of woven's messages at each recorded call. */
	const sizes: number[] = [];
	const demands = demandsOf(recording);
	// The tail needs woven's sizes.
	for (const row of ["woven", "host", "lossless", "tail"] as const) {
		const agent = new ScriptedAgent(recording, row, { demands, sizes });
		try {
			const measured: ModeReport = await measureRequests(agent.run(), { prices, fixedTokens: 0, cacheLifetime });
			const { requests, costUnits3k: units, seals } = measured;
			rows[row] = { ...agent.counts, requests, units, seals };
		} finally {
			agent.close();
		}
	}
	return rows;
}

interface TaskFacts {
	readonly demands: ReturnType<typeof demandsOf>;
	readonly sizes: number[];
}

class ScriptedAgent {
	readonly counts = { edits: 0, failed: 0, healed: 0, reads: 0 };
	readonly #recording: Recording;
	readonly #row: FeedbackRow;
	readonly #facts: TaskFacts;
	readonly #task = new TaskLog();
	readonly #failing: FailedEditResults;
	readonly #walk: Walk | undefined;
	readonly #reader: PathReader;

	constructor(recording: Recording, row: FeedbackRow, facts: TaskFacts) {
		this.#recording = recording;
		this.#row = row;
		this.#facts = facts;
		this.#failing = new FailedEditResults(recording.log);
		const { history, log } = this.#task.engine;
		this.#reader = new PathReader(history);
		const window = windowFor(recording, undefined);
		const mode = row === "tail" ? "off" : row;
		const limit = hostLimit(
			mode === "host" ? recording : { ...recording, hasCompacted: false },
			recording.calls,
			window,
		);
		const settings = { mode, window, profile: "balanced", hostLimit: limit } as const;
		const openingRole = openingRoleOf(recording.sessions[0]?.host ?? "");
		if (row !== "tail") this.#walk = new Walk({ log, settings, prices: recording.pricesIn({}), openingRole });
	}

	close(): void {
		this.#task.close();
	}

	async *run(): AsyncGenerator<MeasuredRequest> {
		const { log, calls } = this.#recording;
		const records = [...log.read({})];
		let copied = 0;
		for (const call of calls) {
			while ((records[copied]?.seq ?? Number.POSITIVE_INFINITY) < call.answer.seq) this.#task.copy(records[copied++]!);
			const leaf = this.#task.now(call.leaf);
			const request = await this.#ask(call, leaf);
			yield request;
			const missed = this.#missedIn(call, request);
			if (missed.length === 0) continue;
			yield* this.#repair(call, missed);
		}
	}

	/** The edits fail, their lines are read where the results do not show them, and then they are made as recorded. */
	async *#repair(call: ModelCall, missed: readonly OldText[]): AsyncGenerator<MeasuredRequest> {
		const heals = this.#row === "woven" || this.#row === "lossless";
		const shown = heals ? missed.filter((edit) => this.#failing.holds(call, edit)) : [];
		this.counts.failed += missed.length;
		this.counts.healed += shown.length;
		let leaf = this.#task.round(
			call,
			this.#task.now(call.leaf),
			missed.map((edit) => failedEdit(edit, heals ? this.#failing.shown(call, edit) : undefined)),
		);
		yield await this.#ask(call, leaf);
		const unread = missed.filter((edit) => !shown.includes(edit));
		if (unread.length > 0) {
			this.counts.reads += unread.length;
			leaf = this.#task.round(
				call,
				leaf,
				unread.map((edit) => readOf(edit, this.#failing.linesToRead(call, edit))),
			);
			yield await this.#ask(call, leaf);
		}
		this.#task.continueAt(call, leaf);
	}

	#missedIn(call: ModelCall, { envelope: { messages } }: MeasuredRequest): OldText[] {
		const edits = this.#facts.demands[call.index]?.edits ?? [];
		this.counts.edits += edits.length;
		if (edits.length === 0) return [];
		const texts = [...messages.cached, ...messages.uncached].map(
			(each) => new SearchableText(measureMessage(each).text),
		);
		return countSupport(emptyCount(), { edits, paths: [], terms: [] }, texts);
	}

	async #ask(call: ModelCall, leaf: number | undefined): Promise<MeasuredRequest> {
		const { sizes } = this.#facts;
		const { session, model } = call;
		const upTo = this.#task.engine.log.newestSeq();
		const asked = { session, leaf, upTo, model };
		if (!this.#walk) {
			this.#task.engine.history.catchUp();
			return tailRequest(call, rawPath(this.#reader, asked), sizes[call.index] ?? 0);
		}
		const planned = await this.#walk.request(asked);
		const request = requestOf(planned, { isAsked: true, model });
		const { plan } = planned;
		const { cached, uncached } = request.envelope.messages;
		if (this.#row === "woven")
			sizes[call.index] = [...cached, ...uncached].reduce((sum, each) => sum + measureMessage(each).tokens, 0);
		const isSealed = plan.seal !== undefined;
		const summariserTokens = this.#row === "host" && isSealed ? HOST_SUMMARY_TOKENS : 0;
		return { ...request, call, isSealed, summariserTokens, isAsSent: true };
	}
}

/** A call that the recording does not have, and its result. */
interface AddedCall {
	readonly kind: "edit" | "read";
	readonly path: string;
	readonly text: string;
	readonly from: number;
	readonly lines: number;
	readonly result: string;
}

function failedEdit({ text, path = "" }: OldText, shown: KnownLines | undefined): AddedCall {
	const near = shown ? `\nThe lines most like it:\n${numbered(shown)}` : "";
	const result = `The text to replace is not in ${path}.${near}`;
	return { kind: "edit", path, text: misremember(text), from: 0, lines: 0, result };
}

function readOf({ path = "" }: OldText, { from, lines }: KnownLines): AddedCall {
	return { kind: "read", path, text: "", from, lines: lines.length, result: lines.join("\n") };
}

function numbered({ from, lines }: KnownLines): string {
	return lines.map((line, at) => `${from + at}\t${line}`).join("\n");
}

/** The log of a task: the recorded events, and between them what the scripted agent did besides. */
class TaskLog {
	readonly engine: Engine;
	readonly #home = mkdtempSync(join(tmpdir(), "weft-feedback-"));
	/** Recorded seq to its seq here. */
	readonly #seqs = new Map<number, number>();
	/** The entry that a recorded answer follows, where rounds were added before it. */
	readonly #parents = new Map<number, string>();
	#rounds = 0;

	constructor() {
		this.engine = openEngine({ cwd: this.#home, home: this.#home, host: "bench", env: {}, trusted: false });
	}

	close(): void {
		this.engine.close();
		rmSync(this.#home, { recursive: true, force: true });
	}

	/** Where a recorded entry is here. */
	now(seq: number | undefined): number | undefined {
		return seq === undefined ? undefined : this.#seqs.get(seq);
	}

	copy({ seq, session, host, ts, type, v, cause, entry, payload }: EventRecord): void {
		const parent = this.#parents.get(seq);
		const event = {
			...{ session, host, ts, type, v },
			payload: parent === undefined ? payload : { ...payload, parent },
			...(cause !== null && { cause: this.#seqs.get(cause) }),
			...(entry !== null && { entry }),
		} as NewEvent;
		const [made] = this.engine.log.append([event], { packed: true }).seqs;
		if (made !== undefined) this.#seqs.set(seq, made);
	}

	/** The recorded answer follows an added round. */
	continueAt({ answer }: ModelCall, leaf: number | undefined): void {
		const entry = leaf === undefined ? undefined : this.engine.log.get(leaf)?.entry;
		if (typeof entry === "string") this.#parents.set(answer.seq, entry);
	}

	/** Adds an answer with these calls after an entry, and their results; returns the newest entry. */
	round(
		{ session, answer: { ts } }: ModelCall,
		after: number | undefined,
		calls: readonly AddedCall[],
	): number | undefined {
		const { log } = this.engine;
		const before = after === undefined ? undefined : log.get(after);
		const form = before?.payload["form"] === "anthropic" ? "anthropic" : "pi";
		const name = `added ${++this.#rounds}`;
		const { cwd } = placeOf(log, session);
		const known = new Calls();
		let parent = before?.entry ?? undefined;
		let newest = after;
		for (const { role, tool, raw } of form === "anthropic" ? anthropicRound(name, calls) : piRound(name, calls)) {
			const entry = `${name} ${role}${role === "toolResult" ? ` ${newest}` : ""}`;
			const payload = { role, form, parent, tool };
			const message = { type: "Message", ...session, ts, entry, payload, raw: JSON.stringify(raw) } as const;
			const view = viewMessage({ ...payload, raw });
			const derived = deriveEvents(view, { entry, cwd, calls: known }).map((event) => ({ ...event, ...session, ts }));
			[newest] = log.append([message, ...derived], { packed: true }).seqs;
			parent = entry;
		}
		return newest;
	}
}

interface AddedMessage {
	readonly role: "assistant" | "toolResult";
	readonly tool?: string | undefined;
	/** As the agent would write it. */
	readonly raw: object;
}

function anthropicRound(name: string, calls: readonly AddedCall[]): AddedMessage[] {
	const uses = calls.map(({ kind, path, text, from, lines }, at) => ({
		type: "tool_use",
		id: `${name}/${at}`,
		...(kind === "edit"
			? { name: "Edit", input: { file_path: path, old_string: text, new_string: "" } }
			: { name: "Read", input: { file_path: path, offset: from, limit: lines } }),
	}));
	const results = calls.map(({ kind, result }, at) => ({
		type: "tool_result",
		tool_use_id: `${name}/${at}`,
		content: result,
		is_error: kind === "edit",
	}));
	return [
		{ role: "assistant", raw: { type: "assistant", message: { id: name, role: "assistant", content: uses } } },
		{ role: "toolResult", raw: { type: "user", message: { role: "user", content: results } } },
	];
}

function piRound(name: string, calls: readonly AddedCall[]): AddedMessage[] {
	const content = calls.map(({ kind, path, text, from, lines }, at) => ({
		type: "toolCall",
		id: `${name}/${at}`,
		name: kind,
		arguments: kind === "edit" ? { path, oldText: text, newText: "" } : { path, offset: from, limit: lines },
	}));
	const results = calls.map(({ kind, result }, at) => ({
		role: "toolResult" as const,
		tool: kind,
		raw: {
			role: "toolResult",
			toolCallId: `${name}/${at}`,
			toolName: kind,
			content: [{ type: "text", text: result }],
			isError: kind === "edit",
		},
	}));
	return [{ role: "assistant", raw: { role: "assistant", content } }, ...results];
}

function emptyRows(): Record<FeedbackRow, FeedbackCounts> {
	const empty = () => ({ edits: 0, failed: 0, healed: 0, reads: 0, requests: 0, units: 0, seals: 0 });
	return { host: empty(), woven: empty(), lossless: empty(), tail: empty() };
}

function addRows(
	into: Record<FeedbackRow, FeedbackCounts>,
	more: Readonly<Record<FeedbackRow, Readonly<FeedbackCounts>>>,
): void {
	for (const row of FEEDBACK_ROWS) {
		for (const key of Object.keys(into[row]) as (keyof FeedbackCounts)[]) into[row][key] += more[row][key];
	}
}

export function feedbackResult(report: FeedbackReport): BenchResult {
	return { report, lines: ({ width }) => renderFeedback(report, width) };
}

function* renderFeedback(
	{ sessions, skipped, all, byHost }: FeedbackReport,
	width: number | undefined,
): Generator<string> {
	yield `${plural(sessions, "session")} as tasks of a scripted agent, ${plural(all.host.edits, "edit")}:`;
	yield "";
	const hosts = Object.entries(byHost);
	const tables = hosts.length > 1 ? [["all", all] as const, ...hosts] : hosts;
	const rows = tables.flatMap(([name, rows]) =>
		FEEDBACK_ROWS.map((row) => {
			const { failed, healed, reads, requests, units, seals } = rows[row];
			// A tail breaks the cache with every request, so its cost says nothing.
			const ofHost = row === "tail" ? "" : (units / rows.host.units).toFixed(3);
			return [name, row, failed, healed, reads, requests, ofHost, row === "tail" ? "" : seals].map(String);
		}),
	);
	yield* renderTable(COLUMNS, rows, { style: "ruled", width });
	yield "";
	yield "failed: edits without their old text. healed: their result showed the lines. reads: more than recorded. cost: of the host's input, at 3k.";
	for (const says of skipped) yield `Skipped: ${says}`;
	yield `Cost of the host: ${formatCount(Math.round(all.host.units))} tokens of plain input.`;
}

const COLUMNS = [
	{ title: "agent" },
	{ title: "row" },
	...["failed", "healed", "reads", "requests", "cost", "seals"].map((title) => ({ title, align: "right" as const })),
];
