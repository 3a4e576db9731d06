/**
 * Keeps up with sessions that grow. A file of lines is read on from where it ended, with what its translator knew; of a
 * database only the sessions with something new are read; a file that is rewritten as a whole is read again. Nothing is
 * held open between two looks, so nobody who writes has to wait.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { statOf } from "../../base/file/regular-file.ts";
import { cutFile } from "./cut-file.ts";
import { lastChange, sizeOf } from "./discover.ts";
import { type ImportOptions, type ImportReport, importFile, LineImport } from "./import.ts";

export interface FollowOptions extends Omit<ImportOptions, "skips" | "onProgress"> {
	/** The files to look at, asked again at each look. */
	readonly files: () => readonly string[];
	/** What of a file could not be read; it is tried again when it has changed. */
	readonly onTrouble?: ((path: string, error: EngineError) => void) | undefined;
}

interface Followed {
	readonly look: string;
	readonly size: number;
	readonly ino: number;
	/** For a file of lines. */
	readonly lines?: LineImport | undefined;
}

/** Of how many files the translators are kept. What falls out is read from its beginning, and adds only what is new. */
const MAX_OPEN = 200;

export class Follower {
	readonly #options: FollowOptions;
	readonly #followed = new Map<string, Followed>();
	readonly #stamps = new Map<string, string | undefined>();

	constructor(options: FollowOptions) {
		this.#options = options;
	}

	/** Reads what is new since the last look. */
	async look(): Promise<ImportReport[]> {
		const reports: ImportReport[] = [];
		for (const path of this.#options.files()) {
			const before = this.#followed.get(path);
			const stat = statOf(path);
			const size = sizeOf(path);
			const look = `${lastChange(path)} ${size}`;
			if (!stat || before?.look === look) continue;
			// A shorter file, another one under the same name, or one that was written anew is not the one that was read.
			const isSame = before !== undefined && before.ino === stat.ino && size >= before.size;
			const known = isSame && before.lines?.isAsRead() ? before.lines : undefined;
			const lines = known ?? (isLines(path) ? new LineImport(path) : undefined);
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

	#keep(path: string, followed: Followed): void {
		this.#followed.delete(path);
		this.#followed.set(path, followed);
		let open = 0;
		for (const [key, each] of [...this.#followed].reverse()) {
			if (each.lines && ++open > MAX_OPEN) this.#followed.set(key, { ...each, lines: undefined });
		}
	}
}

function isLines(path: string): boolean {
	try {
		const cut = cutFile(path);
		cut?.close();
		return cut === undefined;
	} catch {
		return false;
	}
}
