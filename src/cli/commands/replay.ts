import { closeSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { SEED_TOKENS } from "../../context/seal/rule.ts";
import { EngineError } from "../../error/engine-error.ts";
import { writeError } from "../../file/write-error.ts";
import { Dump, openForWriting, refuseSame } from "../../replay/dump.ts";
import { renderPage } from "../../replay/page.ts";
import { openRecording, openSession, type Recording } from "../../replay/recording.ts";
import { replaySession } from "../../replay/report.ts";
import { ROWS, type RowName } from "../../replay/requests.ts";
import { tellReplay } from "../../replay/table.ts";
import { formatCount } from "../../text/bytes.ts";
import { DEFAULT_WINDOW_TOKENS } from "../../tokens/assumed.ts";
import { findSession } from "../../view/session.ts";
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

const PROFILES = Object.keys(SEED_TOKENS) as (keyof typeof SEED_TOKENS)[];
const LEAST_WINDOW_TOKENS = 20_000;

export async function run(
	context: Context,
	[file]: readonly string[],
	options: ReplayCommandOptions,
): Promise<ExitCode> {
	const { out, cwd } = context;
	const rows = rowsOf(options.mode);
	const window = wholeNumber("--window", options.window, LEAST_WINDOW_TOKENS) ?? DEFAULT_WINDOW_TOKENS;
	const { settings } = context.readSettings();
	const profile = oneOf("--profile", options.profile, PROFILES) ?? settings.profile;
	const { leafChunkTokens, condensationThreshold, maxDepth } = settings;
	const summaries = { leafChunkTokens, condensationThreshold, maxDepth };
	const [dumpPath, htmlPath] = [options.dump, options.html].map((path) => path && resolve(cwd, path));
	for (const path of [dumpPath, htmlPath]) if (path && file !== undefined) refuseSame(path, resolve(cwd, file));
	const progress = new Progress(out.progressStream);
	const onProgress = (what: string, done: number, total: number) =>
		progress.say(() => `${what}: ${formatCount(done)} of ${formatCount(total)}`);
	const recording = await open(context, file, options.session, (done, total) =>
		onProgress("reading the session", done, total),
	);
	let dump: Dump | undefined;
	try {
		dump = dumpPath ? new Dump(dumpPath) : undefined;
		const report = await replaySession(recording, {
			rows,
			window,
			profile,
			warpPer: settings.warpPer,
			summaries,
			sweep: options.sweep,
			model: options.model,
			onRequest: (row, request, tokens) => dump?.add(row, request, tokens),
			onProgress,
		});
		progress.clear();
		if (htmlPath) writePage(htmlPath, renderPage(report, file === undefined ? report.sessions[0]! : basename(file)));
		if (out.json) await out.document({ file: file && resolve(cwd, file), ...report });
		else await out.lines(tellReplay(report, { width: out.columns, dim: (text) => out.paint("dim", text) }));
		for (const written of [options.dump, options.html]) if (written !== undefined) out.talk(`Written to ${written}`);
		const invalid = Object.values(report.modes).reduce((sum, mode) => sum + mode.invalid, 0);
		return invalid > 0 ? EXIT.failed : EXIT.ok;
	} finally {
		progress.clear();
		dump?.close();
		recording.close();
	}
}

/** A file, or a session of the project's log. */
async function open(
	context: Context,
	file: string | undefined,
	session: string | undefined,
	onProgress: (done: number, total: number) => void,
): Promise<Recording> {
	if ((file === undefined) === (session === undefined)) {
		throw new EngineError("usage", "weft replay takes a FILE, or --session ID for a session of the project's log.");
	}
	if (file !== undefined) return openRecording(resolve(context.cwd, file), { onProgress });
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
