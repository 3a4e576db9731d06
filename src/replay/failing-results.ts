/**
 * Would the result of a failing edit show the place that the edit is about? An edit fails when its old text is not in the
 * file; an agent that no longer sees the text writes it from memory. Here most words of the true text are taken away, and
 * the lines that match the rest best must hold the true text whole.
 */
import type { Log } from "../log/log.ts";
import { sessionPath } from "../session/path.ts";
import { placeOf } from "../session/place.ts";
import { pathPrefix, projectPath } from "../work/project-path.ts";
import { RecordedFiles } from "../work/recorded-files.ts";
import type { ModelCall } from "./recording.ts";
import type { OldText } from "./support.ts";

/** The lines of a file that match an old text best, as a failing edit's result shows them; undefined: none does. */
export type BestLines = (file: string, oldText: string) => string | undefined;

/** Of five words, these are forgotten. */
const FORGOTTEN = [0, 2, 3];

export class FailingResults {
	readonly #log: Log;
	readonly #best: BestLines;
	readonly #files = new RecordedFiles();

	constructor(log: Log, best: BestLines) {
		this.#log = log;
		this.#best = best;
	}

	/** Calls must come in the order of the log. */
	holds({ session, upTo }: ModelCall, { text, path }: OldText): boolean {
		if (path === undefined) return false;
		this.#files.advance(this.#log, upTo);
		const { cwd, root } = placeOf(this.#log, session);
		const file = this.#files.read(projectPath(sessionPath(path, cwd), pathPrefix(cwd, root)));
		const known =
			file.kind === "text"
				? [file.text]
				: file.kind === "partial"
					? file.parts.map(({ lines }) => lines.join("\n"))
					: [];
		return known.some((each) => this.#best(each, misremember(text))?.includes(text));
	}
}

function misremember(text: string): string {
	let word = 0;
	return text.replace(/\S+/g, (each) => (FORGOTTEN.includes(word++ % 5) ? "" : each));
}
