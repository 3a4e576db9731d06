/**
 * Would the result of a failing edit show the place that the edit is about? An edit fails when its old text is not in the
 * file; an agent that no longer sees the text writes it from memory. Here most words of the true text are taken away, and
 * the lines that match the rest best must hold the true text whole.
 */
import { findBestRegion } from "../base/diff/best-region.ts";
import type { Log } from "../log/log.ts";
import { sessionPath } from "../state/session/session-path.ts";
import { placeOf } from "../state/session/session-place.ts";
import { pathPrefix, projectPath } from "../state/work/project-path.ts";
import { RecordedFiles } from "../state/work/recorded-files.ts";
import type { ModelCall } from "./recording.ts";
import type { OldText } from "./support.ts";

/** Of five words, these are forgotten. */
const FORGOTTEN = [0, 2, 3];

export class FailingResults {
	readonly #log: Log;
	readonly #files = new RecordedFiles();

	constructor(log: Log) {
		this.#log = log;
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
		return known.some((each) => bestLines(each, misremember(text)).includes(text));
	}
}

/** What the result of the failing edit shows. */
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
