import { EngineError } from "../../../base/error/engine-error.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import type { Engine } from "../../../engine.ts";
import { archiveLines } from "../../../log/archive.ts";
import type { Log } from "../../../log/log.ts";
import { agentSessions, findNamedSession } from "../../../state/session/find-session.ts";
import type { SessionState } from "../../../state/session/fold.ts";
import { entriesToResume, sessionMarkdown } from "../../../view/export.ts";
import { writeTo } from "../destination.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import type { Call } from "../frame.ts";
import type { DataLines, Output } from "../output.ts";

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
	if (session.host !== "pi")
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
