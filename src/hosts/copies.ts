/** Copies of lost events, from files that others wrote: sessions as their hosts keep them, archives and exports of weft. */
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readArchive } from "../log/archive.ts";
import { Log } from "../log/log.ts";
import type { Repair } from "../log/repair.ts";
import { importFile } from "./import.ts";
import { findSessionFiles } from "./session-files.ts";

/** Where Pi and Claude Code keep the files of these sessions; the file's name holds the session's id. */
export function sessionFilesOf(sessions: ReadonlySet<string>, env: NodeJS.ProcessEnv): string[] {
	const home = env["HOME"] ?? homedir();
	const pi = env["PI_CODING_AGENT_DIR"] ?? join(home, ".pi", "agent");
	const folders = [join(pi, "sessions"), join(home, ".claude", "projects")];
	return folders
		.flatMap(findSessionFiles)
		.filter((path) => [...sessions].some((session) => session !== "" && basename(path).includes(session)));
}

/** Offers all that a file holds. Returns how much of it was what was lost. */
export async function offerFile(repair: Repair, path: string): Promise<number> {
	const folder = mkdtempSync(join(tmpdir(), "weft-repair-"));
	let taken = 0;
	try {
		using log = new Log({ folder, origin: "copy" });
		await importFile(path, {
			logFor: () => log,
			restore: async (archive) => {
				taken += await offerArchive(repair, archive);
			},
		});
		for (const { session, host, type, entry, text } of log.readStored()) {
			if (repair.offer({ session, host, type, entry, text })) taken++;
		}
		return taken;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function offerArchive(repair: Repair, path: string): Promise<number> {
	let taken = 0;
	for await (const line of readArchive(path)) {
		if (line.kind === "blob" && line.bytes && repair.offerBlob(line.bytes)) taken++;
		if (line.kind === "event" && repair.offer({ ...line.event, stored: line.event })) taken++;
	}
	return taken;
}
