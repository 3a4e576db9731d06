/**
 * Would the result of a failed edit show the lines that the agent meant? An edit fails when its old text is not in the
 * file, because an agent that no longer sees the text writes it from memory. To imitate that, most words of the true text
 * are removed; the lines that best match the rest must contain the whole true text.
 */
import { findBestRegions } from "../base/diff/best-region.ts";
import type { Log } from "../log/log.ts";
import { sessionPath } from "../state/session/session-path.ts";
import { placeOf } from "../state/session/session-state.ts";
import type { KnownLines } from "../state/work/file-source.ts";
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
	holds(call: ModelCall, edit: OldText): boolean {
		const wanted = misremember(edit.text);
		return this.#known(call, edit).some((part) =>
			regionsIn(part, wanted).some(({ lines }) => lines.join("\n").includes(edit.text)),
		);
	}

	/** The lines that the result of the failed edit shows; undefined: none are like the text. */
	shown(call: ModelCall, edit: OldText): KnownLines | undefined {
		const wanted = misremember(edit.text);
		const found = this.#known(call, edit).flatMap((part) => regionsIn(part, wanted));
		return found.find(({ lines }) => lines.join("\n").includes(edit.text)) ?? found[0];
	}

	/** The lines that a read of the right place shows. The recording had the text, so it is there even if no file is known. */
	linesToRead(call: ModelCall, edit: OldText): KnownLines {
		const around = this.#known(call, edit).flatMap((part) => regionsIn(part, edit.text));
		const found = around.find(({ lines }) => lines.join("\n").includes(edit.text));
		return found ?? { from: 1, lines: edit.text.split("\n") };
	}

	#known({ session, upTo }: ModelCall, { path }: OldText): readonly KnownLines[] {
		if (path === undefined) return [];
		this.#files.advance(this.#log, upTo);
		const { cwd, root } = placeOf(this.#log, session);
		const file = this.#files.read(projectPath(sessionPath(path, cwd), pathPrefix(cwd, root)));
		if (file.kind === "text") return [{ from: 1, lines: file.text.split("\n") }];
		return file.kind === "partial" ? file.parts : [];
	}
}

/** The lines most like a text, the best first. */
function regionsIn(part: KnownLines, wanted: string): KnownLines[] {
	const regions = findBestRegions(part.lines.join("\n"), wanted);
	return regions.map(({ from, to }) => ({ from: part.from + from - 1, lines: part.lines.slice(from - 1, to) }));
}

/** A text as an agent writes it that no longer sees it. */
export function misremember(text: string): string {
	let word = 0;
	return text.replace(/\S+/g, (each) => (FORGOTTEN.includes(word++ % 5) ? "" : each));
}
