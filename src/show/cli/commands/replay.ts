import { basename, resolve } from "node:path";
import { withoutKnownKinds } from "../../../agent/recorded/file-kind.ts";
import { isAboutTheFile } from "../../../agent/recorded/import.ts";
import { findSessionFiles } from "../../../agent/recorded/session-files.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { statOf } from "../../../base/file/regular-file.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { readExam } from "../../../replay/exam.ts";
import { openRecording, openSession, type Recording } from "../../../replay/recording.ts";
import { type ReplayOptions, replaySession } from "../../../replay/report.ts";
import { type ReplayedFile, renderAnswer, renderReport, renderTotals } from "../../../replay/report-text.ts";
import { RequestDump, refuseSame } from "../../../replay/request-dump.ts";
import { ROWS, type RowName } from "../../../replay/requests.ts";
import { replayOptions } from "../../../replay/session-saving.ts";
import { totalsOf } from "../../../replay/totals.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";
import { openNamedSession } from "../named-session.ts";
import type { Output } from "../output.ts";
import { Progress } from "../progress.ts";
import { reportLinks } from "../session-discovery.ts";

const MAX_NAMED = 8;

export function check({ args, options }: CheckCall<"replay">): void {
	if (args.length === 0 && options.session === undefined) {
		throw new EngineError("usage", "weft replay takes a FILE, or --session ID for a session of a log.");
	}
	if (args.length > 1 && (options.dump !== undefined || options.session !== undefined)) {
		throw new EngineError("usage", "--dump and --session go with one session. Give one FILE, or none.");
	}
}

export async function run({ context, out, args, options }: Call<"replay">): Promise<CommandResult> {
	const { cwd } = context;
	const links: string[] = [];
	const files = args.flatMap((path) => filesAt(resolve(cwd, path), path, (link) => links.push(link)));
	reportLinks(context, links, "To replay its target, name it: weft replay FILE.");
	if (args.length > 0 && files.length === 0) throw new EngineError("not-found", "There are no session files in it.");
	const [file, ...others] = files;
	if (others.length > 0 && options.dump !== undefined)
		throw new EngineError("usage", "--dump goes with one session. Give one FILE.");
	const dumpPath = options.dump && resolve(cwd, options.dump);
	if (dumpPath && file !== undefined) refuseSame(dumpPath, resolve(cwd, file));
	const asked = readOptions(context, options);
	const progress = new Progress(out.progressStream);
	let dump: RequestDump | undefined;
	const replayed: ReplayedFile[] = [];
	const failed: { readonly file: string; readonly code: string; readonly message: string }[] = [];
	try {
		for (const each of files.length === 0 ? [undefined] : files) {
			const name = each === undefined ? "" : `${basename(each)}, `;
			const onProgress = (what: string, done: number, total: number) =>
				progress.show(() => `${name}${what}: ${formatCount(done)} of ${formatCount(total)}`);
			let recording: Recording;
			try {
				recording = await open(context, each, options.session, (done, total) =>
					onProgress("reading the session", done, total),
				);
			} catch (error) {
				const path = resolve(cwd, each ?? "");
				if (!(error instanceof EngineError) || files.length < 2 || !isAboutTheFile(error, path)) throw error;
				progress.clear();
				// Print the long list of known kinds once.
				const isFirst = failed.every(({ code }) => code !== "unknown-format");
				out.talk(`Skipped: ${isFirst ? error.message : withoutKnownKinds(error.message)}`);
				failed.push({ file: path, code: error.code, message: error.message });
				if (failed.length === files.length) throw error;
				continue;
			}
			try {
				dump ??= dumpPath ? new RequestDump(dumpPath) : undefined;
				const onRequest: ReplayOptions["onRequest"] = (row, request, tokens) => dump?.add(row, request, tokens);
				const exam = options.exam === undefined ? undefined : readExam(resolve(cwd, options.exam), each ?? "");
				const report = await replaySession(recording, { ...asked, exam, onRequest, onProgress });
				replayed.push({ file: each ?? report.sessions[0] ?? "", report });
				progress.clear();
				if (each !== undefined) reportSessions(out, each, report.sessions);
			} finally {
				recording.close();
			}
		}
	} finally {
		progress.clear();
		dump?.close();
	}
	if (options.dump !== undefined) out.talk(`Written to ${options.dump}`);
	const modes = replayed.flatMap(({ report }) => Object.values(report.modes));
	const code = failed.length > 0 || modes.some(({ invalid }) => invalid > 0) ? EXIT.failed : EXIT.ok;
	const hasTable = options.table || options.sweep || options.exam !== undefined;
	const result = replayResult(replayed, { files, cwd, hasTable });
	return { ...result, data: failed.length > 0 ? { ...result.data, failed } : result.data, code };
}

function replayResult(
	replayed: readonly ReplayedFile[],
	{ files, cwd, hasTable }: { readonly files: readonly string[]; readonly cwd: string; readonly hasTable: boolean },
): CommandResult & { readonly data: object } {
	const styleOf = (out: Output) => ({ width: out.columns, dim: (text: string) => out.paint("dim", text) });
	const [only] = replayed;
	const [file, ...others] = files;
	if (only && others.length === 0) {
		return {
			data: { file: file && resolve(cwd, file), ...only.report },
			lines: (out) => (hasTable ? renderReport : renderAnswer)(only.report, styleOf(out)),
		};
	}
	const totals = totalsOf(replayed.map(({ report }) => report));
	return {
		data: { sessions: replayed.map((each) => ({ file: resolve(cwd, each.file), ...each.report })), totals },
		lines: (out) => renderTotals(replayed, totals, styleOf(out)),
	};
}

/** The sessions in a folder, or the file as it was named. */
function filesAt(path: string, named: string, onOutside: (link: string) => void): string[] {
	if (!statOf(path)?.isDirectory()) return [named];
	return findSessionFiles(path, undefined, onOutside).filter((file) => !file.endsWith(".gz"));
}

function readOptions(context: Context, options: Call<"replay">["options"]): ReplayOptions {
	const { settings } = context.readSettings();
	const usual = replayOptions(settings);
	const { window, sweep, model } = options;
	return {
		...usual,
		rows: rowsOf(options.mode),
		window,
		profile: options.profile ?? usual.profile,
		seal: options.seal ?? usual.seal,
		sweep,
		classes: true,
		model,
	};
}

/** A file usually holds one session; an agent's database holds all of them. */
function reportSessions(out: Output, file: string, sessions: readonly string[]): void {
	if (sessions.length < 2) return;
	const shown = sessions.slice(0, MAX_NAMED).map((session) => oneLine(session));
	const more = sessions.length > shown.length ? ` and ${sessions.length - shown.length} more` : "";
	out.talk(
		`${oneLine(file)} holds ${sessions.length} sessions, replayed here as one: ${shown.join(", ")}${more}. To replay one alone, add --session ID.`,
	);
}

/** A file, a session in it, or a session of a log: of this project, or else of any other. */
async function open(
	context: Context,
	file: string | undefined,
	session: string | undefined,
	onProgress: (done: number, total: number) => void,
): Promise<Recording> {
	if (file !== undefined) return openRecording(resolve(context.cwd, file), { session, onProgress });
	const { engine, session: found } = await openNamedSession(context, session);
	try {
		const recording = openSession(engine.history, { session: found.session, host: found.host });
		return { ...recording, close: () => engine.close() };
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
