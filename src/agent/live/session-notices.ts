/**
 * Notices of a session whose hooks are processes of their own: which the user has seen, and which wait for a hook that may
 * speak. They are kept in the system's folder for temporary files, because it may be the data folder that cannot be written.
 */
import { appendFileSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBounded } from "../../base/file/regular-file.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asList, asText } from "../../base/json/read.ts";

const MAX_BYTES = 64 * 1024;

type NoticeState = "waiting" | "shown";

export class SessionNotices {
	readonly #folder: string;
	readonly #file: string;

	/** `name`: names the session among all of this user's. */
	constructor(name: string) {
		this.#folder = join(tmpdir(), `weft-notices-${process.getuid?.() ?? "user"}`);
		this.#file = join(this.#folder, sha256(name).slice(0, 16));
	}

	/** Keeps notices for the session's next hook that may speak. */
	keep(notices: readonly string[]): void {
		const known = this.#read();
		this.#write(
			"waiting",
			notices.filter((notice) => !known.has(notice)),
		);
	}

	/** The notices that the user has not seen, those that wait and these. From now on they count as seen. */
	take(notices: readonly string[]): string[] {
		const known = this.#read();
		const waiting = [...known].flatMap(([notice, state]) => (state === "waiting" ? [notice] : []));
		const fresh = [...new Set([...waiting, ...notices])].filter((notice) => known.get(notice) !== "shown");
		this.#write("shown", fresh);
		return fresh;
	}

	/** Hooks of one session run side by side: each only appends. */
	#write(state: NoticeState, notices: readonly string[]): void {
		if (notices.length === 0) return;
		try {
			mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
			if (!this.#isOurs()) return;
			const lines = notices.map((notice) => `${JSON.stringify([state, notice])}\n`);
			appendFileSync(this.#file, lines.join(""), { mode: 0o600 });
		} catch {
			// The user sees the notice again, which is better than never.
		}
	}

	#read(): Map<string, NoticeState> {
		const known = new Map<string, NoticeState>();
		const reading = this.#isOurs() ? readBounded(this.#file, MAX_BYTES) : undefined;
		if (reading?.kind !== "bytes") return known;
		for (const line of reading.bytes.toString("utf8").split("\n")) {
			const [state, notice] = parseLine(line);
			if (notice !== undefined && (state === "waiting" || state === "shown")) known.set(notice, state);
		}
		return known;
	}

	/** Another user could have made the folder first, and put words into it. */
	#isOurs(): boolean {
		const stat = lstatSync(this.#folder, { throwIfNoEntry: false });
		if (!stat?.isDirectory()) return false;
		return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o022) === 0);
	}
}

function parseLine(line: string): [state: string | undefined, notice: string | undefined] {
	try {
		const [state, notice] = asList(JSON.parse(line));
		return [asText(state), asText(notice)];
	} catch {
		// Another process is still writing it.
		return [undefined, undefined];
	}
}
