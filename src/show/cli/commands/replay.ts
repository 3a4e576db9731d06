import { closeSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { writeError } from "../../../base/file/write-error.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { readPriceList } from "../../../base/tokens/prices.ts";
import { PROFILES, type Profile } from "../../../context/seal/rule.ts";
import { renderPage } from "../../../replay/page.ts";
import { openRecording, openSession, type Recording } from "../../../replay/recording.ts";
import { type ReplayOptions, replaySession } from "../../../replay/report.ts";
import { renderReport } from "../../../replay/report-text.ts";
import { openForWriting, RequestDump, refuseSame } from "../../../replay/request-dump.ts";
import { ROWS, type RowName } from "../../../replay/requests.ts";
import { totalsOf } from "../../../replay/totals.ts";
import { type ReplayedFile, renderTotals } from "../../../replay/totals-text.ts";
import { findSession } from "../../../state/session/find-session.ts";
import { oneOf, wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { Progress } from "../progress.ts";

export interface ReplayCommandOptions {
	readonly session?: string;
	readonly mode?: string;
	readonly model?: string;
	readonly window?: string;
	readonly profile?: string;
	readonly dump?: string;
	readonly html?: string;
	readonly sweep?: boolean;
}

const PROFILE_NAMES = Object.keys(PROFILES) as Profile[];
const MAX_NAMED = 8;
const MIN_WINDOW_TOKENS = 20_000;

export async function run(
	context: Context,
	files: readonly string[],
	options: ReplayCommandOptions,
): Promise<ExitCode> {
	const { out, cwd } = context;
	const [file] = files;
	const [dumpPath, htmlPath] = [options.dump, options.html].map((path) => path && resolve(cwd, path));
	if (files.length > 1 && (dumpPath || htmlPath || options.session !== undefined)) {
		throw new EngineError("usage", "--dump, --html and --session go with one session. Give one FILE, or none.");
	}
	for (const path of [dumpPath, htmlPath]) if (path && file !== undefined) refuseSame(path, resolve(cwd, file));
	const asked = readOptions(context, options);
	const progress = new Progress(out.progressStream);
	let dump: RequestDump | undefined;
	const replayed: ReplayedFile[] = [];
	try {
		for (const each of files.length === 0 ? [undefined] : files) {
			const onProgress = (what: string, done: number, total: number) =>
				progress.say(
					() => `${each ? `${basename(each)}, ` : ""}${what}: ${formatCount(done)} of ${formatCount(total)}`,
				);
			const recording = await open(context, each, options.session, (done, total) =>
				onProgress("reading the session", done, total),
			);
			try {
				dump ??= dumpPath ? new RequestDump(dumpPath) : undefined;
				const onRequest: ReplayOptions["onRequest"] = (row, request, tokens) => dump?.add(row, request, tokens);
				const report = await replaySession(recording, { ...asked, onRequest, onProgress });
				replayed.push({ file: each ?? report.sessions[0]!, report });
				progress.clear();
				if (each !== undefined) tellSessions(context, each, report.sessions);
			} finally {
				recording.close();
			}
		}
		progress.clear();
		const { report } = replayed[0]!;
		const told = { width: out.columns, dim: (text: string) => out.paint("dim", text) };
		if (htmlPath) writePage(htmlPath, renderPage(report, file === undefined ? report.sessions[0]! : basename(file)));
		if (files.length > 1) {
			const totals = totalsOf(replayed.map((each) => each.report));
			const sessions = replayed.map((each) => ({ file: resolve(cwd, each.file), ...each.report }));
			if (out.json) await out.document({ sessions, totals });
			else await out.lines(renderTotals(replayed, totals, told));
		} else if (out.json) await out.document({ file: file && resolve(cwd, file), ...report });
		else await out.lines(renderReport(report, told));
		for (const written of [options.dump, options.html]) if (written !== undefined) out.talk(`Written to ${written}`);
		const modes = replayed.flatMap((each) => Object.values(each.report.modes));
		return modes.some(({ invalid }) => invalid > 0) ? EXIT.failed : EXIT.ok;
	} finally {
		progress.clear();
		dump?.close();
	}
}

function readOptions(context: Context, options: ReplayCommandOptions): ReplayOptions {
	const { settings } = context.readSettings();
	const { leafChunkTokens, condensationThreshold, maxDepth, warpPer, maxSummaryTokens } = settings;
	return {
		rows: rowsOf(options.mode),
		window: wholeNumber("--window", options.window, MIN_WINDOW_TOKENS),
		profile: oneOf("--profile", options.profile, PROFILE_NAMES) ?? settings.profile,
		warpPer,
		maxSummaryTokens,
		summaries: { leafChunkTokens, condensationThreshold, maxDepth },
		sweep: options.sweep,
		model: options.model,
		prices: readPriceList(settings.prices),
	};
}

/** A file holds one session, as a rule; the database of an agent holds them all. */
function tellSessions({ out }: Context, file: string, sessions: readonly string[]): void {
	if (sessions.length < 2) return;
	const shown = sessions.slice(0, MAX_NAMED).map((session) => oneLine(session));
	const more = sessions.length > shown.length ? ` and ${sessions.length - shown.length} more` : "";
	out.talk(
		`${oneLine(file)} holds ${sessions.length} sessions, replayed here as one: ${shown.join(", ")}${more}. To replay one alone, add --session ID.`,
	);
}

/** A file, a session in it, or a session of the project's log. */
async function open(
	context: Context,
	file: string | undefined,
	session: string | undefined,
	onProgress: (done: number, total: number) => void,
): Promise<Recording> {
	if (file === undefined && session === undefined) {
		throw new EngineError("usage", "weft replay takes a FILE, or --session ID for a session of the project's log.");
	}
	if (file !== undefined) return openRecording(resolve(context.cwd, file), { session, onProgress });
	const engine = context.openExisting();
	try {
		const found = findSession(engine.log, session!);
		const recording = openSession(engine.history, { session: found.session, host: found.host });
		return { ...recording, close: engine.close };
	} catch (error) {
		engine.close();
		throw error;
	}
}

function rowsOf(given: string | undefined): readonly RowName[] | undefined {
	if (given === undefined) return undefined;
	const names = given.split(",").map((name) => name.trim());
	const rows = names.flatMap((name) => ROWS.find((row) => row === name) ?? []);
	if (rows.length === names.length && rows.length > 0) return [...new Set(rows)];
	throw new EngineError("usage", `--mode takes ${ROWS.join(", ")}, separated by commas, not '${given}'.`);
}

function writePage(path: string, page: string): void {
	const file = openForWriting(path);
	try {
		writeFileSync(file, page);
	} catch (cause) {
		throw writeError(cause, path);
	} finally {
		closeSync(file);
	}
}
