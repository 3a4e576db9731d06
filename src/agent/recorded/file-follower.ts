/**
 * Follows sessions that grow. Reads a file of lines on from where it ended, with everything its translator knew; of a
 * database only the sessions with something new; and a file that its program rewrites, again as a whole. Holds nothing open
 * between two looks, so no writer has to wait.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { type ImportOptions, type ImportReport, importFile, LineImport } from "./import.ts";
import { lastChange, sizeOf } from "./session-files.ts";
import type { SessionReader } from "./session-reader.ts";
import { openStore } from "./session-store.ts";
import { statOf } from "../../base/file/regular-file.ts";

export interface FileFollowerOptions extends Omit<ImportOptions, "skips" | "onProgress"> {
	/** The files to look at, asked again for each look. */
	readonly files: () => readonly string[];
	/** Called for a file that cannot be read. The next look after a change tries again. */
	readonly onTrouble?: ((path: string, error: EngineError) => void) | undefined;
}

interface FollowedFile {
	readonly look: string;
	readonly size: number;
	readonly ino: number;
	/** For a file of lines. */
	readonly lines?: LineImport | undefined;
}

/** How many files keep their translators. Any other is read again from its beginning, which adds only new events. */
const MAX_OPEN = 200;

export class FileFollower {
	readonly #options: FileFollowerOptions;
	readonly #followed = new Map<string, FollowedFile>();
	readonly #stamps = new Map<string, string | undefined>();

	constructor(options: FileFollowerOptions) {
		this.#options = options;
	}

	/** Reads everything new since the last look. */
	async look(): Promise<ImportReport[]> {
		const reports: ImportReport[] = [];
		for (const path of this.#options.files()) {
			const before = this.#followed.get(path);
			const stat = statOf(path);
			const size = sizeOf(path);
			const look = `${lastChange(path)} ${size}`;
			if (!stat || before?.look === look) continue;
			// A shorter file, another file of the same name or a rewritten one is read from its beginning.
			const isSame = before !== undefined && before.ino === stat.ino && size >= before.size;
			const known = isSame && before.lines?.isAsRead() ? before.lines : undefined;
			const lines = known ?? (isLines(path, this.#options.readers) ? new LineImport(path) : undefined);
			this.#keep(path, { look, size, ino: stat.ino, lines });
			try {
				reports.push(lines ? await lines.run(this.#options) : await this.#readAgain(path));
			} catch (error) {
				if (!(error instanceof EngineError)) throw error;
				this.#followed.delete(path);
				this.#options.onTrouble?.(path, error);
				this.#followed.set(path, { look, size, ino: stat.ino });
			}
		}
		return reports;
	}

	#readAgain(path: string): Promise<ImportReport> {
		return importFile(path, {
			...this.#options,
			skips: (session, stamp) => {
				const key = `${path} ${session}`;
				const isKnown = stamp !== undefined && this.#stamps.get(key) === stamp;
				this.#stamps.set(key, stamp);
				return isKnown;
			},
		});
	}

	#keep(path: string, followed: FollowedFile): void {
		this.#followed.delete(path);
		this.#followed.set(path, followed);
		let open = 0;
		for (const [key, each] of [...this.#followed].reverse()) {
			if (each.lines && ++open > MAX_OPEN) this.#followed.set(key, { ...each, lines: undefined });
		}
	}
}

function isLines(path: string, readers: readonly SessionReader[]): boolean {
	try {
		const store = openStore(path, readers);
		store?.close();
		return store === undefined;
	} catch {
		return false;
	}
}
