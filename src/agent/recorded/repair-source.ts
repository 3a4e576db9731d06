/** Looks for lost events in files outside the log: the agents' session files, and weft's archives and exports. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Log } from "../../log/log.ts";
import type { Repair } from "../../log/repair/repair.ts";
import { readArchive } from "../../log/retention/archive.ts";
import { importFile } from "./import.ts";
import { discover } from "./session-files.ts";
import type { SessionReader } from "./session-reader.ts";

/** The agents' files that may hold these sessions: the file's name or its folder's has the id, and a database may hold any. */
export function sessionFilesOf(
	sessions: ReadonlySet<string>,
	readers: readonly SessionReader[],
	env: NodeJS.ProcessEnv,
): string[] {
	const ids = [...sessions].flatMap((session) => session.split("/")).filter((id) => id !== "");
	const mayHold = (path: string) => {
		const name = join(basename(dirname(path)), basename(path));
		return ids.some((id) => name.includes(id)) || /\.(?:db|sqlite)$/.test(path);
	};
	return discover({ readers, env })
		.map(({ path }) => path)
		.filter(mayHold);
}

/** Offers every event of a file to the repair. Returns how many of them were lost ones. */
export async function offerFile(repair: Repair, path: string, readers: readonly SessionReader[]): Promise<number> {
	const folder = mkdtempSync(join(tmpdir(), "weft-repair-"));
	let taken = 0;
	try {
		using log = new Log({ folder, origin: "copy" });
		await importFile(path, {
			readers,
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
