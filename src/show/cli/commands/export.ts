import { createWriteStream, rmSync } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { readerOf } from "../../../agent/agents.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { requireNewFile, writeError } from "../../../base/file/atomic-write.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import type { Engine } from "../../../engine.ts";
import type { Log } from "../../../log/log.ts";
import { archiveLines } from "../../../log/retention/archive.ts";
import { agentSessions, findNamedSession } from "../../../state/session/find-session.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import { entriesToResume, sessionMarkdown } from "../../../view/export.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Call } from "../frame.ts";
import { type DataLines, LINE_END, type Output } from "../output.ts";

export async function run({ out, engine, options }: Call<"export">): Promise<ExitCode> {
	const { log } = engine;
	const session = findNamedSession(log, options.session);
	await writeTo(out, options.out, linesOf(out, engine, options.format, session));
	// Everything readable is written; closing the log reports what was lost.
	return log.losses().length === 0 ? EXIT.ok : EXIT.failed;
}

function linesOf(
	out: Output,
	engine: Engine,
	format: "jsonl" | "pi" | "md",
	session: SessionState | undefined,
): DataLines {
	const { log } = engine;
	if (format === "jsonl") return archiveLines(log, log.readStored({ session: session?.session }));
	const one = session ?? onlySession(log);
	return format === "pi" ? entriesOf(out, engine, one) : sessionMarkdown(log, one, maskSecrets);
}

function entriesOf(out: Output, { log, project }: Engine, session: SessionState): Iterable<string | Buffer> {
	if (!readerOf(session.host)?.resumesFromEntries)
		out.talk(`${session.session} is a session of ${session.host}: its entries are in that form.`);
	return entriesToResume(log, session.session, project.root);
}

/** A log of one session needs no --session. */
function onlySession(log: Log): SessionState {
	const sessions = agentSessions(log);
	const [only, ...others] = sessions;
	if (!only) throw new EngineError("not-found", "The log has no session yet.");
	if (others.length === 0) return only;
	throw new EngineError(
		"usage",
		`The log has ${sessions.length} sessions. Name one with --session ID; 'weft sessions' lists them.`,
	);
}

/** Writes lines to stdout, or to a new file that only its owner can read; compressed if its name ends in .gz. */
async function writeTo(out: Output, file: string | undefined, lines: DataLines): Promise<void> {
	if (file === undefined) return out.dataLines(lines);
	const path = resolve(file);
	requireNewFile(path);
	const sink = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
	let isMade = false;
	sink.once("open", () => {
		isMade = true;
	});
	const source = Readable.from(withLineEnds(lines));
	try {
		if (path.endsWith(".gz")) await pipeline(source, createGzip(), sink);
		else await pipeline(source, sink);
	} catch (cause) {
		// Only what this command has made itself.
		if (isMade) rmSync(path, { force: true });
		throw cause instanceof EngineError ? cause : writeError(cause, path);
	}
	out.talk(`Written to ${path}`);
}

async function* withLineEnds(lines: DataLines): AsyncGenerator<string | Buffer> {
	for await (const line of lines) yield typeof line === "string" ? `${line}\n` : Buffer.concat([line, LINE_END]);
}
