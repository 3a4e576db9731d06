import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { READERS } from "../../../agent/agents.ts";
import { FileFollower } from "../../../agent/recorded/file-follower.ts";
import { withoutKnownKinds } from "../../../agent/recorded/file-kind.ts";
import { importFile, isAboutTheFile } from "../../../agent/recorded/import.ts";
import type { ImportedSession } from "../../../agent/recorded/intake.ts";
import { importTarget } from "../../../agent/recorded/intake.ts";
import type { MalformedLine } from "../../../agent/recorded/record-feed.ts";
import { discover, findSessionFiles } from "../../../agent/recorded/session-files.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { statOf } from "../../../base/file/regular-file.ts";
import { sha256 } from "../../../base/hash/sha256.ts";
import { formatCount, plural } from "../../../base/text/bytes.ts";
import { cutToWidth } from "../../../base/text/cut.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { renderTable } from "../../../base/text/table.ts";
import { projectState } from "../../../context/project-state.ts";
import type { Engine } from "../../../engine.ts";
import { projectKey } from "../../../log/home.ts";
import type { Log } from "../../../log/log.ts";
import { type RestoreReport, restoreArchive } from "../../../log/retention/restore.ts";
import { sessionKey } from "../../../log/session-ref.ts";
import { agentSessions } from "../../../state/session/find-session.ts";
import { projectNames } from "../../../view/project-name.ts";
import { REPLAYED_SESSIONS } from "../../../view/replayed-sessions.ts";
import { type HomeReport, renderReport } from "../../../view/report.ts";
import { sessionTitle, shortestNames } from "../../../view/short-session.ts";
import { askYes } from "../confirmation.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Call, CheckCall } from "../frame.ts";
import { untilInterrupted } from "../interrupt.ts";
import { keepHeapSmall } from "../node-process.ts";
import { readTime } from "../options.ts";
import { Progress } from "../progress.ts";
import {
	ask,
	findSessions,
	ImportLogs,
	noSessions,
	readAgents,
	renderFound,
	reportLinks,
	yesCommand,
} from "../session-discovery.ts";
import { isFromNpmCache, typedCommand } from "../weft-command.ts";
import { readReport } from "./report.ts";

const INDEX_STEP_MS = 200;
const MAX_TITLE_COLUMNS = 72;

interface ImportedFile {
	readonly file: string;
	readonly kind: string;
	/** The project whose log it went to. */
	readonly project: string;
	readonly sessions: readonly ImportedSession[];
	/** For an archive: events put back, added, there already, and refused. */
	readonly archive?: RestoreReport;
	readonly malformed: readonly MalformedLine[];
	readonly malformedCount: number;
	/** Of them: how many are not in the log. */
	readonly lost: number;
	/** False: an earlier import reported the same lines, or there are none. */
	readonly isNewTrouble: boolean;
}

interface FailedFile {
	readonly file: string;
	readonly code: string;
	readonly message: string;
	/** False: an earlier import reported the same. */
	readonly isNew: boolean;
}

export function check({ args: paths, options: { agent, since, yes, follow } }: CheckCall<"import">): void {
	if (paths.length > 0 && (agent !== undefined || since !== undefined))
		throw new EngineError("usage", "--agent and --since work without paths, when weft looks for sessions itself.");
	if (follow && paths.length === 0 && !yes && !process.stdin.isTTY)
		throw new EngineError("usage", "Use 'weft import --yes --follow' to import all sessions and continue.");
}

export async function run({ context, args: paths, options }: Call<"import">): Promise<ExitCode> {
	keepHeapSmall();
	if (paths.length > 0) {
		const links: string[] = [];
		const files = expand(paths, (link) => links.push(link));
		reportLinks(context, links);
		const code = await importAll(context, files);
		if (!options.follow && paths.some((path) => statOf(path)?.isDirectory())) await showReport(context);
		// Listed again each time: a file may disappear and return.
		if (options.follow) await follow(context, { list: () => paths.flatMap((path) => filesAt(path)) });
		return code;
	}
	const { files, groups, links } = await findSessions(context, options);
	reportLinks(context, links);
	if (files.length === 0 && !options.follow) throw noSessions(options, context.env);
	if (!options.yes && files.length > 0) {
		if (context.out.json) await context.out.document({ found: groups, command: yesCommand(options) });
		else await context.out.lines(renderFound(context, groups));
		const answer = await ask(context, groups);
		if (answer === undefined) context.out.talk(`Nothing was imported. To import them: ${yesCommand(options)}`);
		if (answer === false) context.out.talk("Nothing was imported.");
		if (!answer) return answer === undefined ? EXIT.usage : EXIT.ok;
	}
	const code = files.length === 0 ? EXIT.ok : await importAll(context, files);
	if (!options.follow) await showReport(context);
	if (options.follow) {
		const since = readTime("--since", options.since, context.now());
		const readers = readAgents(options.agent);
		const list = () => discover({ env: context.env, readers, since }).map(({ path }) => path);
		await follow(context, { list });
	}
	return code;
}

/** For someone who has nothing recorded yet. Undefined: no agent here has a session. */
export async function offerImport(context: Context): Promise<ExitCode | undefined> {
	const { files, groups, links } = await findSessions(context, {});
	if (files.length === 0) return undefined;
	reportLinks(context, links);
	await context.out.lines([
		"weft has recorded nothing yet. Your agents have these sessions:",
		"",
		...renderFound(context, groups),
		"",
	]);
	const answer = await ask(context, groups);
	if (!answer) {
		await context.out.lines([
			`To import them into the projects they belong to: ${typedCommand()} import --yes`,
			isFromNpmCache()
				? "To record new ones: npm install -g weft-context && weft init"
				: "To record new ones: weft init",
		]);
		return EXIT.ok;
	}
	keepHeapSmall();
	const code = await importAll(context, files);
	const report = await showReport(context);
	if (report && (await askYes(context.out, "Open it in your browser?"))) await openReport(context, report);
	return code;
}

/** What a person wants to know after an import. Other programs ask for it: `weft report`. */
async function showReport(context: Context): Promise<HomeReport | undefined> {
	const { out } = context;
	if (out.json || out.columns === undefined) return undefined;
	const report = await readReport(context, { replay: REPLAYED_SESSIONS });
	await out.lines([
		"",
		...renderReport(report, out),
		"",
		`To see it in your browser: ${typedCommand()} inspect --open`,
	]);
	return report;
}

async function openReport(context: Context, { projects }: HomeReport): Promise<void> {
	const { openInspector } = await import("./inspect.ts");
	const root = projects[0]?.name ?? context.root;
	await openInspector(context, { page: `/p/${projectKey(root)}/s/-/report`, isOpened: true });
}

const LOOK_MS = 1_000;

/** Imports what is new in the files as it arrives, until Ctrl-C. */
async function follow(context: Context, { list }: { readonly list: () => readonly string[] }): Promise<void> {
	const progress = new Progress(undefined);
	const logs = new ImportLogs(context, (engine) => finish(engine, progress));
	const follower = new FileFollower({
		readers: READERS,
		files: list,
		logFor: (cwd) => importTarget(logs.for(cwd).log),
		onTrouble: (_, error) => context.out.talk(error.message),
	});
	context.out.talk("Following. Ctrl-C ends it.");
	try {
		await untilInterrupted(async (signal) => {
			while (!signal.aborted) {
				for (const { sessions } of await follower.look()) {
					for (const { session, messages, events } of sessions) {
						if (events === 0) continue;
						const row = { session, messages, events };
						if (context.out.json) await context.out.line(JSON.stringify(row));
						else
							await context.out.line(`${oneLine(session)}: ${plural(messages, "message")}, ${plural(events, "event")}`);
					}
				}
				logs.close();
				await pause(LOOK_MS, undefined, { signal }).catch(() => {});
			}
		});
	} finally {
		logs.close();
	}
}

async function importAll(
	context: Context,
	files: readonly { readonly path: string; readonly bytes: number }[],
): Promise<ExitCode> {
	const progress = new Progress(context.out.progressStream);
	const titles = new Map<string, string>();
	const logs = new ImportLogs(context, (engine) => {
		finish(engine, progress);
		for (const each of agentSessions(engine.log)) titles.set(sessionKey(each), sessionTitle(each));
	});
	const imported: ImportedFile[] = [];
	const failed: FailedFile[] = [];
	const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
	let doneBytes = 0;
	try {
		for (const { path, bytes } of files) {
			try {
				const onProgress = (done: number): void => progress.update(doneBytes + done, totalBytes, oneLine(path));
				const result = await importOne(path, logs, onProgress);
				imported.push(result);
			} catch (error) {
				progress.clear();
				// One bad file must not keep the others out; a full disk or a locked log affects them all.
				if (!(error instanceof EngineError) || files.length === 1 || !isAboutTheFile(error, path)) throw error;
				const isNew = isNewTrouble(logs.for(undefined).log, path, [error.message]);
				// Print the long list of known kinds once.
				const isFirst = failed.every(({ code }) => code !== "unknown-format");
				failed.push({ file: path, code: error.code, message: error.message, isNew });
				if (!context.out.json) context.out.talk(isFirst ? error.message : withoutKnownKinds(error.message));
			}
			doneBytes += bytes;
		}
	} finally {
		logs.close();
		progress.clear();
	}
	if (context.out.json) await context.out.document({ files: imported, failed });
	else {
		await context.out.lines(summary(context, imported, titles));
		for (const each of imported) reportMalformed(context, each);
	}
	const isTroubled = ({ isNewTrouble, lost, archive }: ImportedFile) =>
		(isNewTrouble && lost > 0) || (archive?.refused ?? 0) > 0;
	return imported.some(isTroubled) || failed.some(({ isNew }) => isNew) ? EXIT.failed : EXIT.ok;
}

function expand(
	paths: readonly string[],
	onOutside: (link: string) => void,
): { readonly path: string; readonly bytes: number }[] {
	const files = paths.flatMap((given) => {
		const found = filesAt(given, onOutside);
		if (found.length > 0) return found;
		const what = statOf(given)?.isDirectory()
			? "no session files and no archives in this folder"
			: "there is no such file or folder";
		throw new EngineError("not-found", `${given}: ${what}. Nothing was imported.`);
	});
	return [...new Set(files)].map((path) => ({ path, bytes: statOf(path)?.size ?? 0 }));
}

function filesAt(given: string, onOutside?: (link: string) => void): string[] {
	const path = resolve(given);
	const stat = statOf(path);
	if (!stat) return [];
	return stat.isDirectory() ? findSessionFiles(path, undefined, onOutside) : [path];
}

async function importOne(path: string, logs: ImportLogs, onProgress: (done: number) => void): Promise<ImportedFile> {
	let engine: Engine | undefined;
	let archived: ImportedFile | undefined;
	const report = await importFile(path, {
		readers: READERS,
		logFor: (cwd) => {
			engine = logs.for(cwd);
			return importTarget(engine.log);
		},
		restore: async (archive) => {
			archived = await restore(archive, logs);
		},
		onProgress,
	});
	if (archived) return archived;
	const troubles = report.malformed.map(({ line, message }) => `${line} ${message}`);
	const isNew = isNewTrouble((engine ?? logs.for(undefined)).log, path, troubles);
	return { ...report, project: engine?.project.root ?? "", isNewTrouble: isNew };
}

async function restore(path: string, logs: ImportLogs): Promise<ImportedFile> {
	const engine = logs.for(undefined);
	const archive = await restoreArchive(engine.log, path);
	if (archive.restored > 0) projectState(engine.log).snapshots.dropIncomplete();
	// Events restored into the middle of the log are in no derived table yet.
	if (archive.restored > 0) engine.log.rebuild();
	return {
		file: path,
		kind: "weft",
		project: engine.project.root,
		sessions: [],
		archive,
		malformed: [],
		malformedCount: 0,
		lost: 0,
		isNewTrouble: false,
	};
}

/** Compares the unreadable parts of a file with those that an earlier import reported, and remembers them. */
function isNewTrouble(log: Log, path: string, troubles: readonly string[]): boolean {
	const key = `trouble ${sha256(path).slice(0, 16)}`;
	const hash = troubles.length === 0 ? undefined : sha256(troubles.join("\n"));
	if (log.meta(key) === hash) return false;
	log.setMeta(key, hash ?? "");
	return hash !== undefined;
}

/** Packs, folds and indexes the new events now, so that the first question does not wait for it. */
function finish({ log }: Engine, progress: Progress): void {
	log.settle({ all: true });
	progress.show(() => "Counting new events");
	log.foldMissing();
	for (let left = 1; left > 0; ) {
		left = log.search.catchUp({ deadlineMs: INDEX_STEP_MS }).left;
		progress.show(() => `Indexing: ${plural(left, "event")} left`);
	}
}

function reportMalformed({ out }: Context, imported: ImportedFile): void {
	const { file, malformed, malformedCount, lost, isNewTrouble, archive } = imported;
	if (out.json) return;
	for (const { line, what, events, reason } of archive?.refusals ?? []) {
		const others = events > 1 ? ` ${plural(events - 1, "event")} next to it cannot be verified without it.` : "";
		out.talk(`${file}:${line}: ${oneLine(what)} was refused: ${oneLine(reason)}.${others}`);
	}
	if (malformedCount > 0 && !isNewTrouble) {
		out.talk(`${oneLine(file)}: ${plural(malformedCount, "line")} cannot be read, as reported before.`);
		return;
	}
	const [first] = malformed;
	if (!first) return;
	const more = malformedCount > 1 ? `, and ${plural(malformedCount - 1, "more line")} like it` : "";
	const kept = lost === 0 ? "; kept as it is" : `; ${plural(lost, "line")} not imported`;
	out.talk(oneLine(`${file}:${first.line}: ${first.message}${more}${kept}`));
}

/** `titles`: by session and agent. */
function* summary(
	{ out }: Context,
	files: readonly ImportedFile[],
	titles: ReadonlyMap<string, string>,
): Generator<string> {
	const rows: string[][] = [];
	// A sub-agent's file also names the session that it works for.
	const withNews = new Set(
		files.flatMap(({ sessions }) => sessions.flatMap(({ session, events }) => (events > 0 ? [session] : []))),
	);
	const nameOf = shortestNames(files.flatMap(({ sessions }) => sessions.map(({ session }) => session)));
	const projects = projectNames(files.map(({ project }) => project));
	const projectOf = (project: string) => oneLine(out.columns === undefined ? project : (projects.get(project) ?? ""));
	let sessionCount = 0;
	let messages = 0;
	for (const { kind, sessions, archive, project } of files) {
		for (const row of sessions) {
			if (row.events === 0 && withNews.has(row.session)) continue;
			sessionCount++;
			messages += row.messages;
			rows.push([
				cutToWidth(oneLine(titles.get(sessionKey({ session: row.session, host: kind })) ?? ""), MAX_TITLE_COLUMNS),
				oneLine(nameOf(row.session)),
				oneLine(kind),
				formatCount(row.messages),
				formatCount(row.duplicates),
				projectOf(project),
			]);
		}
		if (archive) {
			const restored = formatCount(archive.restored + archive.appended);
			rows.push([`${restored} archived events`, "", "", "", formatCount(archive.known), projectOf(project)]);
		}
	}
	if (rows.length === 0) return;
	const columns = [
		{ title: "title", shrink: true },
		{ title: "session" },
		{ title: "agent" },
		{ title: "messages", align: "right" },
		{ title: "known", align: "right" },
		{ title: "project", shrink: true },
	] as const;
	yield* renderTable(columns, rows, {
		style: "ruled",
		width: out.columns,
		paintHead: (text) => out.paint("dim", text),
	});
	if (sessionCount < 2) return;
	yield "";
	yield `${plural(sessionCount, "session")} of ${plural(projects.size, "project")}: ${plural(messages, "new message")}`;
}
