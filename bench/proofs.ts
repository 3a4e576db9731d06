/**
 * `npm run bench -- proofs FOLDER`: does what the thread calls done and proved hold in the tree? A second reading of the log: which files
 * changed while each item of a plan was worked on, and what was in them before, at the proof and at every later request of the user.
 */
import { findSessionFiles } from "../src/agent/recorded/session-files.ts";
import { EngineError } from "../src/base/error/engine-error.ts";
import { plural } from "../src/base/text/bytes.ts";
import { oneLine } from "../src/base/text/printable.ts";
import type { EventRecord } from "../src/log/event/types.ts";
import { numberIn, textIn } from "../src/log/fold/state-fold.ts";
import type { Log } from "../src/log/log.ts";
import { openRecording } from "../src/replay/recording.ts";
import { mayProve } from "../src/state/thread/plan-items.ts";
import { isFailedRun } from "../src/state/thread/proofs.ts";
import { type PlanItem, type Proof, type ThreadState, threadIn } from "../src/state/thread/thread.ts";
import { threadFold } from "../src/state/thread/thread-fold.ts";
import { RecordedFiles } from "../src/state/work/recorded-files.ts";
import type { BenchResult } from "./bench-result.ts";

export interface FalseProof {
	readonly file: string;
	/** The event after which the item was called proved. */
	readonly seq: number;
	readonly item: string;
	readonly proof: string;
	readonly says: string;
}

export interface ProofReport {
	readonly sessions: number;
	/** Items that were done at some request of the user, and of them those with a proof. */
	readonly done: number;
	readonly proved: number;
	readonly wrong: readonly FalseProof[];
}

export async function runProofBench(folder: string, onProgress: (what: string) => void): Promise<ProofReport> {
	const files = findSessionFiles(folder).sort();
	if (files.length === 0) throw new EngineError("not-found", `${folder} has no recorded session.`);
	const reports: Omit<ProofReport, "sessions">[] = [];
	for (const [n, file] of files.entries()) {
		onProgress(`${n + 1} of ${files.length}: ${file.slice(folder.length + 1)}`);
		const recording = await openRecording(file);
		try {
			reports.push(checkProofs(file.slice(folder.length + 1), recording.log));
		} finally {
			recording.close();
		}
	}
	return {
		sessions: files.length,
		done: reports.reduce((sum, { done }) => sum + done, 0),
		proved: reports.reduce((sum, { proved }) => sum + proved, 0),
		wrong: reports.flatMap(({ wrong }) => wrong),
	};
}

/** What changed while an item was worked on; of one that was never called begun, since it was planned. */
interface ItemWork {
	/** Text of each file before its first change for the item; undefined: not known. */
	readonly before: Map<string, string | undefined>;
	/** When a file changed for it last. */
	changedAt: number;
	isBegun: boolean;
}

export function checkProofs(file: string, log: Pick<Log, "read">): Omit<ProofReport, "sessions"> {
	const state: ThreadState = threadFold.initial();
	const now = new RecordedFiles();
	/** The files before the newest message: a change is recorded after the message that made it. */
	const before = new RecordedFiles();
	let message: EventRecord | undefined;
	const work = new Map<string, ItemWork>();
	/** Names that were added to a commit, by the message with its result; undefined: everything, or not known. */
	const staged = new Map<number, ReadonlySet<string> | undefined>();
	let added: readonly string[] = [];
	const [done, proved] = [new Set<string>(), new Set<string>()];
	const wrong = new Map<string, FalseProof>();
	const sessions = new Set<string>();
	let newest = -1;
	const check = (session: string) => {
		for (const item of threadIn(state, session)?.plan ?? []) {
			if (item.state !== "done") continue;
			const key = `${session} ${item.text}`;
			done.add(key);
			if (item.proof === null) continue;
			proved.add(key);
			const says = faultOf(item.proof, item, { work: work.get(key), now, staged: staged.get(item.proof.seq) });
			if (says !== undefined && !wrong.has(key))
				wrong.set(key, { file, seq: newest, item: item.text, proof: item.proof.text, says });
		}
	};
	for (const record of log.read({})) {
		const { session, seq, type, payload } = record;
		sessions.add(session);
		const path = type === "FileChanged" && textIn(payload, "actor") !== "other" ? textIn(payload, "path") : null;
		if (type === "Message") {
			if (message) before.apply(message);
			message = record;
		} else if (type === "SessionStarted") before.apply(record);
		const command = type === "CommandRun" ? (textIn(payload, "command") ?? "") : "";
		added = [...added, ...addedBy(command)];
		if (record.cause !== null && / commit\b/.test(command) && numberIn(payload, "exit") === 0) {
			staged.set(
				record.cause,
				added.every((name) => /\.\w+$/.test(name)) && !/ -\w*a/.test(command) ? namesOf(added) : undefined,
			);
			added = [];
		}
		for (const item of path === null ? [] : (threadIn(state, session)?.plan ?? []))
			noteChange(work, `${session} ${item.text}`, item, path ?? "", { seq, before });
		threadFold.step(state, record);
		now.apply(record);
		newest = seq;
		if (type === "UserIntent") check(session);
	}
	for (const session of sessions) check(session);
	return { done: done.size, proved: proved.size, wrong: [...wrong.values()] };
}

function noteChange(
	work: Map<string, ItemWork>,
	key: string,
	item: PlanItem,
	path: string,
	{ seq, before }: { readonly seq: number; readonly before: RecordedFiles },
): void {
	if (item.state !== "doing" && item.state !== "open") return;
	const isDoing = item.state === "doing";
	const known = work.get(key);
	// What changed before it was begun was for other items.
	const own = known && (known.isBegun || !isDoing) ? known : { before: new Map(), changedAt: -1, isBegun: isDoing };
	if (own.isBegun && !isDoing) return;
	if (!own.before.has(path)) own.before.set(path, textOf(before, path));
	own.changedAt = seq;
	work.set(key, own);
}

function textOf(files: RecordedFiles, path: string): string | undefined {
	const content = files.read(path);
	return content.kind === "text" ? content.text : undefined;
}

interface ProofFacts {
	readonly work: ItemWork | undefined;
	readonly now: RecordedFiles;
	/** Names of the files in the commit; undefined: not known. */
	readonly staged: ReadonlySet<string> | undefined;
}

/** What a command stages, as it names it. */
function addedBy(command: string): string[] {
	return [...command.replaceAll("\\\n", " ").matchAll(/\bgit add ([^&;|\n]+)/g)].flatMap(([, names = ""]) =>
		names.trim().split(/\s+/),
	);
}

function namesOf(paths: Iterable<string>): Set<string> {
	return new Set([...paths].map((path) => path.slice(path.lastIndexOf("/") + 1)));
}

/** Why the proof does not hold. */
function faultOf(proof: Proof, item: PlanItem, { work, now, staged }: ProofFacts): string | undefined {
	if (isFailedRun(proof)) return "the run failed";
	if (mayProve(proof, { text: item.text, hasChanges: false })) return undefined;
	if (!work) return "nothing changed for it";
	if (work.changedAt > proof.seq) return "files changed for it after the proof";
	if (proof.kind === "commit" && staged && staged.size > 0) {
		if (![...namesOf(work.before.keys())].some((name) => staged.has(name))) return "the commit has other files";
	}
	const known = [...work.before].filter(([path, text]) => text !== undefined && textOf(now, path) !== undefined);
	if (known.length === work.before.size && known.every(([path, text]) => textOf(now, path) === text))
		return "its files are as they were before";
	return undefined;
}

const MAX_EXAMPLES = 40;
const MAX_CHARS = 70;

export function proofResult(report: ProofReport): BenchResult {
	return { report, lines: () => renderProofs(report) };
}

function* renderProofs({ sessions, done, proved, wrong }: ProofReport): Generator<string> {
	yield `${plural(sessions, "session")}: ${plural(done, "item")} done, ${proved} with a proof, ${wrong.length} of them false.`;
	for (const { file, seq, item, proof, says } of wrong.slice(0, MAX_EXAMPLES)) {
		yield `${file} #${seq}: ${says}`;
		yield `  item:  ${oneLine(item).slice(0, MAX_CHARS)}`;
		yield `  proof: ${oneLine(proof).slice(0, MAX_CHARS)}`;
	}
}
