/**
 * How often the session that made a commit is found: by its subject, by its diff, and by both and its hash, as `weft why` asks. The
 * sessions of a project share one log. For the subject the text of commit commands is left out of it, or the answer would give itself
 * away.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { importTarget } from "../../src/agent/recorded/intake.ts";
import { type CommitText, commitMakers } from "../../src/ask/commit-makers.ts";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { asList, asObject, asText } from "../../src/base/json/read.ts";
import { type Engine, openEngine } from "../../src/engine.ts";

export interface CommitsReport {
	readonly commits: number;
	/** Share of commits whose session is the first answer. */
	readonly bySubject: number;
	readonly byDiff: number;
	/** As `weft why` asks: by the subject, the diff and the hash together. */
	readonly byAll: number;
	/** Share of commits whose session is among the first ten. */
	readonly bySubjectIn10: number;
	readonly byDiffIn10: number;
	readonly missed: readonly MissedCommit[];
}

export interface MissedCommit {
	readonly commit: string;
	readonly subject: string;
	readonly project: string;
	/** Its place among the answers by diff, from 1; 0: not among them. */
	readonly place: number;
	readonly sessions: readonly string[];
	readonly found: readonly string[];
}

export interface KnownCommit extends CommitText {
	readonly commit: string;
	readonly project: string;
	/** Names of the files of its sessions. */
	readonly sessions: readonly string[];
}

/** A project's sessions in one log. */
export interface ProjectLog {
	readonly engine: Engine;
	/** The file that a session came from. */
	readonly fileOf: ReadonlyMap<string, string>;
}

export interface CommitLogs {
	readonly whole: ProjectLog;
	/** Without the text of commit commands. */
	readonly withoutCommits: ProjectLog;
}

/** `file`: one commit a line, with `project`, `subject`, `diff` and `sessions`, which are files in the folders beside its own. */
export async function measureCommits(file: string, onProgress: (what: string) => void): Promise<CommitsReport> {
	const commits = readCommits(file);
	const home = mkdtempSync(join(tmpdir(), "weft-bench-"));
	const opened: Engine[] = [];
	try {
		const logs = new Map<string, CommitLogs>();
		const open = async (name: string, files: readonly string[], change: (text: string, path: string) => string) => {
			const log = await importProject(join(home, name), files, change);
			opened.push(log.engine);
			return log;
		};
		for (const [project, files] of projectFiles(file, commits)) {
			onProgress(project);
			logs.set(project, {
				whole: await open(`${logs.size}`, files, (text) => text),
				withoutCommits: await open(`${logs.size}-without`, files, withoutCommitCommands),
			});
		}
		return judgeCommits(commits, logs);
	} finally {
		for (const engine of opened) engine.close();
		rmSync(home, { recursive: true, force: true });
	}
}

export function judgeCommits(commits: readonly KnownCommit[], logs: ReadonlyMap<string, CommitLogs>): CommitsReport {
	const missed: MissedCommit[] = [];
	const places = commits.map((commit) => {
		const log = logs.get(commit.project);
		if (!log) throw new EngineError("usage", `${commit.project} has no sessions.`);
		const subject = placeOf(log.withoutCommits, commit, { subject: commit.subject, diff: "" });
		const diff = placeOf(log.whole, commit, { subject: "", diff: commit.diff });
		const all = placeOf(log.whole, commit, { subject: commit.subject, diff: commit.diff, commit: commit.commit });
		if (diff.place !== 1) missed.push({ ...commit, place: diff.place, found: diff.found });
		return { subject: subject.place, diff: diff.place, all: all.place };
	});
	const share = (name: "subject" | "diff" | "all", most: number) =>
		places.filter((each) => each[name] > 0 && each[name] <= most).length / places.length;
	return {
		commits: commits.length,
		bySubject: share("subject", 1),
		byDiff: share("diff", 1),
		byAll: share("all", 1),
		bySubjectIn10: share("subject", 10),
		byDiffIn10: share("diff", 10),
		missed,
	};
}

function placeOf({ engine, fileOf }: ProjectLog, { sessions }: KnownCommit, given: CommitText) {
	const { log, project, state } = engine;
	const known = Object.keys(state().state.files.files);
	const makers = commitMakers({ log, within: "all", root: project.root, known }, given);
	const found = [...new Set(makers.map(({ session }) => fileOf.get(session) ?? session))];
	return { found, place: found.findIndex((name) => sessions.includes(name)) + 1 };
}

export function readCommits(file: string): readonly KnownCommit[] {
	const commits = readFileSync(file, "utf8")
		.split("\n")
		.flatMap((line): KnownCommit[] => {
			const fields = line === "" ? undefined : asObject(JSON.parse(line));
			if (!fields) return [];
			const text = (name: string) => asText(fields[name]) ?? "";
			const sessions = asList(fields["sessions"]).flatMap((name) => asText(name) ?? []);
			return [
				{ commit: text("commit"), project: text("project"), subject: text("subject"), diff: text("diff"), sessions },
			];
		});
	if (commits.length === 0) throw new EngineError("usage", `${file} holds no commits.`);
	return commits;
}

/** All sessions of a project, also those that made none of the commits, where an INDEX.md says which they are. */
export function projectFiles(file: string, commits: readonly KnownCommit[]): ReadonlyMap<string, readonly string[]> {
	const beside = dirname(dirname(file));
	const folders = readdirSync(beside, { withFileTypes: true }).filter((entry) => entry.isDirectory());
	const files = folders.flatMap(({ name }) => readdirSync(join(beside, name)).map((each) => join(beside, name, each)));
	const index = files.filter((path) => basename(path) === "INDEX.md").map((path) => readFileSync(path, "utf8"));
	const rows = index.flatMap((text) => text.split("\n").filter((line) => line.startsWith("|")));
	return new Map(
		[...Map.groupBy(commits, ({ project }) => project)].map(([project, own]) => {
			const named = new Set(own.flatMap(({ sessions }) => sessions));
			const isOwn = (path: string) =>
				named.has(basename(path)) || rows.some((row) => row.includes(basename(path)) && row.includes(project));
			return [project, files.filter((path) => /\.jsonl?$/.test(path) && isOwn(path))];
		}),
	);
}

/** `change`: what is left out of a file before it is read. */
export async function importProject(
	home: string,
	files: readonly string[],
	change: (text: string, path: string) => string,
): Promise<ProjectLog> {
	mkdirSync(home, { recursive: true });
	const engine = openEngine({ cwd: home, home, host: "bench", env: {}, trusted: false });
	const fileOf = new Map<string, string>();
	for (const path of files) {
		const copy = join(home, basename(path));
		writeFileSync(copy, change(readFileSync(path, "utf8"), path));
		const { sessions } = await importFile(copy, { readers: READERS, logFor: () => importTarget(engine.log) });
		for (const { session } of sessions) fileOf.set(session, basename(path));
	}
	return { engine, fileOf };
}

function withoutCommitCommands(text: string, path: string): string {
	const strip = (json: string) =>
		JSON.stringify(JSON.parse(json), (_, value) =>
			typeof value === "string" && /\bgit\b[^\n]*\bcommit\b/.test(value) && !value.startsWith("{") ? "" : value,
		);
	if (path.endsWith(".json")) return strip(text);
	return text
		.split("\n")
		.map((line) => {
			try {
				return line.includes("commit") ? strip(line) : line;
			} catch {
				return line;
			}
		})
		.join("\n");
}
