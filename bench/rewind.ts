/**
 * `npm run bench -- rewind FOLDER`: is a file that weft rebuilds from a log what the agent saw next? After each recorded
 * change the text is rebuilt, once from all that the session showed and wrote, and once from the recorded changes alone,
 * as `weft rewind` does where no bytes were kept. The next recorded look at the file is the answer; with `--data COMMITS` so is
 * each commit that the session made.
 */
import { basename } from "node:path";
import { findSessionFiles } from "../src/agent/recorded/session-files.ts";
import { EngineError } from "../src/base/error/engine-error.ts";
import { asObject, asText } from "../src/base/json/read.ts";
import { fileRiskOf } from "../src/base/shell/file-risk.ts";
import { formatPercent, plural } from "../src/base/text/bytes.ts";
import { oneLine } from "../src/base/text/printable.ts";
import { renderTable } from "../src/base/text/table.ts";
import { FolderAt } from "../src/guard/rewind/file-at.ts";
import type { EventRecord } from "../src/log/event/types.ts";
import type { Log } from "../src/log/log.ts";
import { type ResultBlock, viewMessage } from "../src/message/view.ts";
import { openRecording } from "../src/replay/recording.ts";
import { Calls, type SessionCall } from "../src/state/session/calls.ts";
import { changesBy } from "../src/state/session/file-change.ts";
import { sessionPath } from "../src/state/session/session-path.ts";
import { placeOf } from "../src/state/session/session-state.ts";
import { commandText } from "../src/state/session/shell-command.ts";
import { shownSlices } from "../src/state/session/shown-slice.ts";
import { changesFiles, toolClass } from "../src/state/session/tool-class.ts";
import type { KnownLines } from "../src/state/work/file-source.ts";
import { pathPrefix, projectPath } from "../src/state/work/project-path.ts";
import { RecordedFiles, shownParts } from "../src/state/work/recorded-files.ts";
import type { BenchResult } from "./bench-result.ts";
import { type RecordedCommit, readCommits } from "./recorded-commits.ts";

type Agreement = "agreed" | "disagreed" | "unknown";
export type RebuiltFrom = "session" | "changes" | "commits";

export interface RebuildExample {
	readonly file: string;
	readonly from: RebuiltFrom;
	readonly path: string;
	/** seq of the result that shows other lines than the rebuilt text has. */
	readonly seq: number;
	readonly line: number;
	readonly rebuilt: string;
	readonly seen: string;
	/** Commands since the change. */
	readonly commands: number;
	/** Those of them that may have changed the file. */
	readonly suspects: readonly string[];
}

export interface RebuildReport {
	readonly sessions: number;
	/** Changes of files. */
	readonly changes: number;
	readonly counts: Readonly<Record<RebuiltFrom, Readonly<Record<Agreement, number>>>>;
	readonly disagreements: readonly RebuildExample[];
}

const TYPES = ["SessionStarted", "Message", "FileChanged"];

/** `commits`: a file of commits with the sessions that made them; each is a look at its files too. */
export async function runRewindBench(
	folder: string,
	onProgress: (what: string) => void,
	commits?: string,
): Promise<RebuildReport> {
	const made = commits === undefined ? undefined : readCommits(commits);
	const files = findSessionFiles(folder).sort();
	if (files.length === 0) throw new EngineError("not-found", `${folder} has no recorded session.`);
	const check = new RebuildCheck();
	for (const [n, file] of files.entries()) {
		onProgress(`${n + 1} of ${files.length}: ${file.slice(folder.length + 1)}`);
		const recording = await openRecording(file);
		try {
			check.run(file.slice(folder.length + 1), recording.log, made?.get(basename(file)) ?? []);
		} finally {
			recording.close();
		}
	}
	return { sessions: files.length, ...check.report() };
}

class RebuildCheck {
	#changes = 0;
	readonly #counts = {
		session: { agreed: 0, disagreed: 0, unknown: 0 },
		changes: { agreed: 0, disagreed: 0, unknown: 0 },
		commits: { agreed: 0, disagreed: 0, unknown: 0 },
	};
	readonly #disagreements: RebuildExample[] = [];

	report(): Omit<RebuildReport, "sessions"> {
		return { changes: this.#changes, counts: this.#counts, disagreements: this.#disagreements };
	}

	run(file: string, log: Log, commits: readonly RecordedCommit[]): void {
		const known = new RecordedFiles();
		const calls = new Map<string, Calls>();
		/** Changed files that were not seen since, with the commands since. */
		const open = new Map<string, { commands: number; readonly suspects: string[] }>();
		for (const record of log.read({ types: TYPES })) {
			const { session, host } = record;
			const of = calls.get(session) ?? new Calls();
			calls.set(session, of);
			const { cwd, root } = placeOf(log, { session, host });
			const nameOf = (path: string) => projectPath(sessionPath(path, cwd), pathPrefix(cwd, root || undefined));
			const ran = record.type === "Message" ? [...resultsIn(record, of)] : [];
			// A command counts from its call: its result may be missing, as when the agent compacts meanwhile.
			for (const line of record.type === "Message" ? linesIn(record) : []) {
				for (const since of open.values()) {
					since.commands++;
					if (fileRiskOf(line) === "any") since.suspects.push(line);
				}
			}
			for (const { call, result } of ran) {
				for (const [path, seen] of looksIn(call, result)) {
					const name = nameOf(path);
					const since = open.get(name);
					if (!since) continue;
					open.delete(name);
					const rebuilt = { session: linesOf(known, name), changes: changedLines(log, root, record.seq - 1, name) };
					for (const from of ["session", "changes"] as const) {
						const wrong = compareLines(rebuilt[from], seen);
						this.#counts[from][typeof wrong === "string" ? wrong : "disagreed"]++;
						if (typeof wrong === "string") continue;
						this.#disagreements.push({ file, from, path: name, seq: record.seq, ...since, ...wrong });
					}
				}
				for (const [path, parts] of committedBy(call, commits)) {
					const rebuilt = linesOf(known, path);
					for (const seen of parts) {
						const wrong = compareLines(rebuilt, seen);
						this.#counts.commits[typeof wrong === "string" ? wrong : "disagreed"]++;
						if (typeof wrong === "string") continue;
						const { commands = 0, suspects = [] } = open.get(path) ?? {};
						const of = { file, from: "commits" as const, path, seq: record.seq };
						this.#disagreements.push({ ...of, commands, suspects, ...wrong });
					}
				}
				if (!changesFiles(call.class)) continue;
				for (const change of changesBy(call, result)) {
					this.#changes++;
					if (change.kind !== "delete") open.set(nameOf(change.path), { commands: 0, suspects: [] });
				}
			}
			known.apply(record);
		}
	}
}

/** A commit is the one that a command line makes with its subject. */
function committedBy(call: SessionCall, commits: readonly RecordedCommit[]): RecordedCommit["files"] {
	const line = call.class === "shell" ? (commandText(call.input) ?? "") : "";
	const commit = /\bgit\b.*\bcommit\b/s.test(line) ? commits.find(({ subject }) => line.includes(subject)) : undefined;
	return commit?.files ?? new Map();
}

function linesIn(record: EventRecord): string[] {
	return viewMessage(record.payload).blocks.flatMap((block) =>
		block.kind === "call" && toolClass(block.tool) === "shell" ? (commandText(asObject(block.input) ?? {}) ?? []) : [],
	);
}

function* resultsIn(record: EventRecord, calls: Calls): Generator<{ call: SessionCall; result: ResultBlock }> {
	for (const block of viewMessage(record.payload).blocks) {
		if (block.kind === "call") {
			const call = { tool: block.tool, class: toolClass(block.tool), input: asObject(block.input) ?? {} };
			calls.open(block.id, call, {});
		} else if (block.kind === "result") {
			const call = calls.get(block.callId);
			if (call && (!block.isError || call.class === "shell")) yield { call, result: block };
		}
	}
}

/** What a result shows of files as they were when the call began. */
function* looksIn(call: SessionCall, result: ResultBlock): Generator<readonly [path: string, seen: KnownLines]> {
	const before = asText(asObject(result.details)?.["originalFile"]);
	const [change] = before === undefined || !changesFiles(call.class) ? [] : changesBy(call, result);
	if (change && before !== undefined) yield [change.path, { from: 1, lines: textLines(before) }];
	if (call.class !== "read") return;
	for (const slice of shownSlices(call, result)) {
		for (const seen of shownParts(slice)) yield [slice.path, seen];
	}
}

function linesOf(known: RecordedFiles, path: string): readonly KnownLines[] {
	const content = known.read(path);
	if (content.kind === "text") return [{ from: 1, lines: textLines(content.text) }];
	return content.kind === "partial" ? content.parts : [];
}

function changedLines(log: Log, root: string, seq: number, path: string): readonly KnownLines[] {
	const found = new FolderAt(log, root, seq).files([path]).get(path);
	const bytes = found?.kind === "file" ? found.read() : undefined;
	return bytes instanceof Buffer ? [{ from: 1, lines: textLines(bytes.toString("utf8")) }] : [];
}

function textLines(text: string): string[] {
	return text.replace(/\r\n/g, "\n").replace(/\n$/, "").split("\n");
}

/** Compares the lines that both have. A difference names the first line. */
function compareLines(
	rebuilt: readonly KnownLines[],
	seen: KnownLines,
): "agreed" | "unknown" | Pick<RebuildExample, "line" | "rebuilt" | "seen"> {
	let compared = 0;
	for (const part of rebuilt) {
		for (const [at, line] of seen.lines.entries()) {
			const number = seen.from + at;
			const other = part.lines[number - part.from];
			if (other === undefined) continue;
			compared++;
			if (other !== line) return { line: number, rebuilt: other, seen: line };
		}
	}
	return compared === 0 ? "unknown" : "agreed";
}

const FROM: Readonly<Record<RebuiltFrom, string>> = {
	session: "all that the session shows",
	changes: "the recorded changes alone",
	commits: "all that it shows, hunks of its commits",
};
const MAX_EXAMPLES = 20;
const MAX_LINE_CHARS = 60;
const MAX_SUSPECTS = 2;

export function rewindResult(report: RebuildReport): BenchResult {
	return { report, lines: () => renderRebuilds(report) };
}

function* renderRebuilds({ sessions, changes, counts, disagreements }: RebuildReport): Generator<string> {
	yield `${plural(sessions, "session")}, ${plural(changes, "change")}`;
	const columns = [
		{ title: "rebuilt from" },
		...(["agreed", "disagreed", "unknown", "right"] as const).map((title) => ({ title, align: "right" as const })),
	];
	const rows = Object.entries(counts).map(([from, { agreed, disagreed, unknown }]) => [
		FROM[from as RebuiltFrom],
		String(agreed),
		String(disagreed),
		String(unknown),
		agreed + disagreed === 0 ? "" : formatPercent(agreed / (agreed + disagreed)),
	]);
	yield* renderTable(columns, rows, { style: "ruled" });
	const after = disagreements.filter(({ suspects }) => suspects.length > 0).length;
	if (disagreements.length > 0)
		yield `${after} of ${disagreements.length} disagreements follow a command that may change files.`;
	for (const { file, from, path, seq, line, rebuilt, seen, commands, suspects } of disagreements.slice(
		0,
		MAX_EXAMPLES,
	)) {
		yield `${file} #${seq} ${oneLine(path)}:${line} (${from}, ${plural(commands, "command")} since)`;
		for (const suspect of suspects.slice(-MAX_SUSPECTS))
			yield `  after:   ${oneLine(suspect).slice(0, MAX_LINE_CHARS)}`;
		yield `  rebuilt: ${oneLine(rebuilt).slice(0, MAX_LINE_CHARS)}`;
		yield `  seen:    ${oneLine(seen).slice(0, MAX_LINE_CHARS)}`;
	}
}
