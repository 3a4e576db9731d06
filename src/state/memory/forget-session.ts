/** Forgets a session: removes its SESSION.md, and what was learnt from it in the other files. The user's own bullets stay. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Log } from "../../log/log.ts";
import { listSessions } from "../session/sessions.ts";
import { HISTORY, keyOf, MEMORY, newestPath, sessionFile } from "./memory-file.ts";
import { MemoryFiles } from "./memory-files.ts";
import type { MemoryOp } from "./operation.ts";

const WRITER = { session: "cli", host: "cli" };

/** Call this while the log still has the session's events: they tell which bullets came from it. */
export function forgetSessionMemory(log: Log, sessions: readonly string[], now: number): void {
	const files = new MemoryFiles({ log });
	for (const file of [MEMORY, HISTORY]) {
		const known = files.store.bullets(keyOf(file));
		const learnt = known.filter(({ by, seq }) => by !== "user" && sessions.includes(log.get(seq)?.session ?? ""));
		if (learnt.length === 0) continue;
		const ids = new Set(learnt.map(({ id }) => id));
		files.write({
			file,
			why: "command",
			session: WRITER,
			ts: now,
			build: (current) =>
				current
					.filter(({ id }) => ids.has(id))
					.map(({ id }): MemoryOp => ({ op: "invalidate", id, by: "user", reason: "its session was forgotten" })),
		});
	}
	// Backups have the same words.
	rmSync(join(files.folder, "backup"), { recursive: true, force: true });
	for (const of of listSessions(log).filter(({ session }) => sessions.includes(session))) {
		rmSync(dirname(files.pathOf(sessionFile(of))), { recursive: true, force: true });
	}
	if (files.store.files().length > 0) rmSync(newestPath(files.folder), { force: true });
}
