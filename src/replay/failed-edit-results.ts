/**
 * Would the result of a failed edit show the lines that the agent meant? An edit fails when its old text is not in the
 * file, because an agent that no longer sees the text writes it from memory. To imitate that, most words of the true text
 * are removed; the lines that best match the rest must contain the whole true text.
 */
import { findBestRegion } from "../base/diff/best-region.ts";
import type { Log } from "../log/log.ts";
import { sessionPath } from "../state/session/session-path.ts";
import { placeOf } from "../state/session/session-state.ts";
import { pathPrefix, projectPath } from "../state/work/project-path.ts";
import { RecordedFiles } from "../state/work/recorded-files.ts";
import type { ModelCall } from "./recording.ts";
import type { OldText } from "./support.ts";

/** The words that the agent forgets, of every five. */
const FORGOTTEN = [0, 2, 3];

export class FailedEditResults {
	readonly #log: Log;
	readonly #files = new RecordedFiles();

	constructor(log: Log) {
		this.#log = log;
	}

	/** Calls must be passed in the order of the log. */
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
		return known.some((each) => bestLines(each, misremember(text)).includes(text));
	}
}

/** The lines that the result of the failed edit shows. */
function bestLines(file: string, wanted: string): string {
	const region = findBestRegion(file, wanted);
	return region
		? file
				.split("\n")
				.slice(region.from - 1, region.to)
				.join("\n")
		: "";
}

function misremember(text: string): string {
	let word = 0;
	return text.replace(/\S+/g, (each) => (FORGOTTEN.includes(word++ % 5) ? "" : each));
}
