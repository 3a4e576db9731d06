/** A session file, imported into a temporary home that is gone when the recording is closed. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "../engine.ts";
import { EngineError } from "../error/engine-error.ts";
import { importFile } from "../hosts/import.ts";
import type { SessionReport } from "../hosts/intake.ts";
import type { Log } from "../log/log.ts";
import type { Form } from "../message/view.ts";
import { demandsOf } from "./demands.ts";
import { fixedTokens } from "./fixed-tokens.ts";
import { type RecordedCall, readCalls } from "./recording.ts";
import type { Demand } from "./support.ts";

export interface Recording {
	/** As it was imported: modes that write to a log get a copy of it. */
	readonly log: Log;
	readonly calls: readonly RecordedCall[];
	/** What each call relies on. */
	readonly demands: readonly Demand[];
	/** The form in which its messages go out. */
	readonly format: Form;
	/** Tokens of the system prompt and tools. */
	readonly fixed: number;
	readonly sessions: readonly string[];
	/** Lines that could not be read. */
	readonly malformed: number;
	readonly rootOf: (session: string) => string;
	/** A copy of the log, for work that writes; to be closed. */
	readonly fork: () => LogCopy;
	readonly close: () => void;
}

export interface LogCopy {
	readonly log: Log;
	readonly close: () => void;
}

export interface OpenOptions {
	readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
	/** False: what the calls rely on is not looked for. */
	readonly demands?: boolean;
}

export async function openRecording(file: string, options: OpenOptions = {}): Promise<Recording> {
	const home = newHome();
	const { log, close } = openLog(home, home);
	try {
		const report = await importFile(file, {
			logFor: () => ({
				append: (events) => log.append(events, { packed: true }),
				read: (query) => log.read(query),
			}),
			...(options.onProgress ? { onProgress: options.onProgress } : {}),
		});
		const sessions = mainSessions(report.sessions).map(({ session }) => session);
		const format = report.kind === "claude-code" ? "anthropic" : "pi";
		const calls = readCalls(log, sessions, format);
		if (calls.length === 0) {
			throw new EngineError("not-found", `${file} holds no call of a model: there is nothing to replay.`);
		}
		const roots = new Map(report.sessions.map(({ session, cwd }) => [session, cwd]));
		return {
			log,
			calls,
			demands: options.demands === false ? [] : demandsOf(calls),
			format,
			fixed: fixedTokens(calls),
			sessions,
			malformed: report.malformedCount,
			rootOf: (session) => roots.get(session) ?? "",
			fork: () => {
				log.flush();
				const copy = newHome();
				cpSync(home, copy, { recursive: true });
				return openLog(copy, home);
			},
			close,
		};
	} catch (error) {
		close();
		throw error;
	}
}

function newHome(): string {
	return mkdtempSync(join(tmpdir(), "weft-replay-"));
}

function openLog(home: string, project: string): LogCopy {
	const engine = openEngine({ cwd: project, home, host: "replay", env: {}, trusted: false });
	const close = () => {
		engine.close();
		rmSync(home, { recursive: true, force: true });
	};
	return { log: engine.log, close };
}

/** Without side chains, which are named after the session that began them; a file of nothing else is replayed itself. */
function mainSessions(sessions: readonly SessionReport[]): readonly SessionReport[] {
	const ids = new Set(sessions.map(({ session }) => session));
	const main = sessions.filter(({ session }) => !ids.has(session.slice(0, Math.max(0, session.lastIndexOf("/")))));
	return main.length > 0 ? main : sessions;
}
