/**
 * What the guard would have said about the recorded calls in report mode. It judges only what the recording shows: a file
 * that was never read or written counts as new, and changes by commands are invisible.
 */
import { resolve } from "node:path";
import { asObject } from "../base/json/read.ts";
import { guardState, projectState } from "../context/project-state.ts";
import { digestBytes } from "../guard/disk.ts";
import { Guard } from "../guard/guard.ts";
import { loopNote } from "../guard/loop.ts";
import {
	DEFAULT_GUARD_SETTINGS,
	type Digest,
	type DiskContent,
	type DiskLook,
	type FilePort,
	type FileStat,
	type GuardCall,
} from "../guard/types.ts";
import { logOf, logUpTo } from "../log/fold/partial-log.ts";
import { type ResultBlock, viewMessage } from "../message/view.ts";
import { pathOf } from "../state/session/file-change.ts";
import { sessionPath } from "../state/session/session-path.ts";
import { placeOf } from "../state/session/session-state.ts";
import { toolClass } from "../state/session/tool-class.ts";
import type { FileSource } from "../state/work/file-source.ts";
import { RecordedFiles } from "../state/work/recorded-files.ts";
import type { ModelCall, Recording } from "./recording.ts";

export interface Verdicts {
	/** Tool calls that were judged. */
	readonly calls: number;
	readonly blocks: number;
	readonly warnings: number;
	readonly byRule: Readonly<Record<string, number>>;
}

export function countVerdicts(recording: Recording): Verdicts {
	const { log, calls, scope } = recording;
	const results = resultsOf(recording);
	const counts = { calls: 0, blocks: 0, warnings: 0 };
	const byRule: Record<string, number> = {};
	const count = (rule: string, kind: "blocks" | "warnings") => {
		counts[kind]++;
		byRule[rule] = (byRule[rule] ?? 0) + 1;
	};
	let upTo = 0;
	let now = 0;
	const runner = projectState(
		logUpTo(log, () => upTo, scope),
		{ snapshots: false },
	);
	const state = () => guardState(runner.current().state);
	const events = logOf(log, scope);
	const files = new RecordedFiles();
	let port: FilePort = new RecordedFilePort(files, "/", new Set());
	const guard = new Guard({
		state,
		files: currentPort(() => port),
		settings: { ...DEFAULT_GUARD_SETTINGS, policyMode: "report" },
		powers: { canChangeInput: true },
		now: () => now,
	});
	for (const call of calls) {
		upTo = call.answer.seq - 1;
		now = call.answer.ts;
		files.advance(events, upTo);
		const { cwd } = placeOf(log, call.session);
		for (const judged of toolCalls(call, cwd)) {
			counts.calls++;
			const result = results.get(judged.callId);
			port = new RecordedFilePort(files, cwd, provenBy(judged, result));
			for (const { type, payload } of guard.before(judged).events) {
				if (type !== "Verdict" || payload.verdict === "refresh") continue;
				count(payload.rule, payload.verdict === "block" ? "blocks" : "warnings");
			}
			if (result && loopNote(state().loop, judged, result.text) !== undefined) count("loop", "warnings");
		}
	}
	return { ...counts, byRule };
}

function toolCalls({ answer, session }: ModelCall, cwd: string): GuardCall[] {
	return answer.calls.map(({ id, tool, input }) => ({
		...session,
		cwd,
		tool,
		callId: id,
		input: asObject(input) ?? {},
	}));
}

function resultsOf({ log, sessions }: Recording): Map<string, ResultBlock> {
	const results = new Map<string, ResultBlock>();
	for (const { session, host } of sessions) {
		for (const { payload } of log.read({ session, host, types: ["Message"] })) {
			for (const block of viewMessage(payload).blocks) {
				if (block.kind === "result" && !results.has(block.callId)) results.set(block.callId, block);
			}
		}
	}
	return results;
}

/** The file of a successful edit must have existed. */
function provenBy({ tool, input, cwd }: GuardCall, result: ResultBlock | undefined): ReadonlySet<string> {
	const path = toolClass(tool) === "edit" && result && !result.isError ? pathOf(input) : undefined;
	return new Set(path === undefined ? [] : [resolve(cwd, path)]);
}

/** One guard for all calls, while the files behind the port change from call to call. */
function currentPort(port: () => FilePort): FilePort {
	return {
		stat: (path) => port().stat(path),
		read: (path) => port().read(path),
		digest: (path) => port().digest(path),
		realpath: (path) => port().realpath(path),
	};
}

/** Older than any read: only the recording itself changes a file. */
const TIMELESS = { mtimeNs: "0", ctimeNs: "0", dev: "0", at: 0 } as const;

/**
 * The files of a recording for the guard: their text as the log knows it, without times. Lines that were never shown are
 * empty; a file that is known only from a successful edit has no text.
 */
class RecordedFilePort implements FilePort {
	readonly #files: FileSource;
	readonly #cwd: string;
	readonly #proven: ReadonlySet<string>;

	/** `proven`: absolute paths that must exist, because an edit of them succeeded. */
	constructor(files: FileSource, cwd: string, proven: ReadonlySet<string>) {
		this.#files = files;
		this.#cwd = cwd;
		this.#proven = proven;
	}

	stat(path: string): DiskLook {
		const bytes = this.#bytes(path);
		if (bytes) return { kind: "file", stat: statOf(path, bytes) };
		return this.#proven.has(path) ? { kind: "file", stat: statOf(path, Buffer.from("?")) } : { kind: "absent" };
	}

	read(path: string): DiskContent {
		const bytes = this.#bytes(path);
		return bytes ? { kind: "bytes", bytes } : { kind: "absent" };
	}

	digest(path: string): Digest {
		const bytes = this.#bytes(path);
		return bytes ? digestBytes(bytes, statOf(path, bytes)) : { kind: "absent" };
	}

	realpath(path: string): string | undefined {
		return this.stat(path).kind === "file" ? path : undefined;
	}

	#bytes(path: string): Buffer | undefined {
		const content = this.#files.read(sessionPath(path, this.#cwd));
		if (content.kind === "text") return Buffer.from(content.text, "utf8");
		if (content.kind !== "partial") return undefined;
		const lines: string[] = [];
		for (const part of content.parts) {
			while (lines.length < part.from - 1) lines.push("");
			lines.push(...part.lines);
		}
		return Buffer.from(`${lines.join("\n")}\n`, "utf8");
	}
}

function statOf(path: string, bytes: Buffer): FileStat {
	return { ...TIMELESS, ino: path, size: bytes.length };
}
