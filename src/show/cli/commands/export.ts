import { EngineError } from "../../../base/error/engine-error.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import type { Engine } from "../../../engine.ts";
import type { Log } from "../../../log/log.ts";
import { archiveLines } from "../../../log/retention/archive.ts";
import { agentSessions, findSession } from "../../../state/session/find-session.ts";
import type { SessionState } from "../../../state/session/session-state.ts";
import { entriesToResume, sessionMarkdown } from "../../../view/export.ts";
import { oneOf } from "../arguments.ts";
import type { Context } from "../context.ts";
import { writeTo } from "../destination.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export interface ExportOptions {
	readonly format?: string;
	readonly session?: string;
	readonly out?: string;
}

export async function run(context: Context, _args: readonly string[], options: ExportOptions): Promise<ExitCode> {
	const format = oneOf("--format", options.format, ["jsonl", "pi", "md"]) ?? "jsonl";
	const engine = context.openExisting();
	try {
		const { log } = engine;
		const session = options.session === undefined ? undefined : findSession(log, options.session);
		switch (format) {
			case "jsonl":
				await writeTo(context, options.out, archiveLines(log, log.readStored({ session: session?.session })));
				break;
			case "pi":
				await writeTo(context, options.out, entriesOf(context, engine, session ?? onlySession(log)));
				break;
			case "md":
				await writeTo(context, options.out, sessionMarkdown(log, session ?? onlySession(log), maskSecrets));
				break;
		}
		// What could be read is written; what is lost is told when the log is closed.
		return log.losses().length === 0 ? EXIT.ok : EXIT.failed;
	} finally {
		engine.close();
	}
}

function entriesOf({ out }: Context, { log, project }: Engine, session: SessionState): Iterable<string | Buffer> {
	if (session.host !== "pi")
		out.talk(`${session.session} is a session of ${session.host}: its entries are in that form.`);
	return entriesToResume(log, session.session, project.root);
}

/** A log of one session needs no --session. */
function onlySession(log: Log): SessionState {
	const sessions = agentSessions(log);
	if (sessions.length === 1) return sessions[0]!;
	if (sessions.length === 0) throw new EngineError("not-found", "The log holds no session yet.");
	throw new EngineError(
		"usage",
		`The log holds ${sessions.length} sessions. Name one with --session ID; 'weft sessions' lists them.`,
	);
}
