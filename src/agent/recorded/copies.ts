/** Copies of lost events, from files that others wrote: sessions as their hosts keep them, archives and exports of weft. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Log } from "../../log/log.ts";
import type { Repair } from "../../log/repair/repair.ts";
import { readArchive } from "../../log/retention/archive.ts";
import { discover } from "./discover.ts";
import { importFile } from "./import.ts";

/** Where the agents keep these sessions: a file's name, or that of its folder, holds the session's id; a database may hold any. */
export function sessionFilesOf(sessions: ReadonlySet<string>, env: NodeJS.ProcessEnv): string[] {
	const ids = [...sessions].flatMap((session) => session.split("/")).filter((id) => id !== "");
	const named = (path: string) => {
		const name = join(basename(dirname(path)), basename(path));
		return ids.some((id) => name.includes(id)) || /\.(?:db|sqlite)$/.test(path);
	};
	return discover({ env })
		.map(({ path }) => path)
		.filter(named);
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
