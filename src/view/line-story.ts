/** Why a line is as it is, for people: the edits that wrote it, each with the user's request and the agent's words. */
import { type LineStory, lineStory, renderEdit } from "../ask/line-story.ts";
import { EngineError } from "../base/error/engine-error.ts";
import { plural } from "../base/text/bytes.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatMinute } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { Engine } from "../engine.ts";
import { eventFile } from "./event.ts";
import type { TextStyle } from "./text-style.ts";

const MAX_WORDS_CHARS = 400;

/** `given`: the file as a person names it in the folder `cwd`. */
export function readLineStory({ log, project, state }: Engine, given: string, line: number, cwd: string): LineStory {
	const path = eventFile(given, cwd, project.root);
	const known = Object.keys(state().state.files.files);
	const story = lineStory({ log, within: "all", root: project.root, known }, { path, line });
	if (story.text === null) throw new EngineError("not-found", `${path} has no line ${line} on disk.`);
	return story;
}

export function* renderLineStory({ path, line, text, edits, changes }: LineStory, style: TextStyle): Generator<string> {
	yield style.paint("bold", oneLine(`${path}:${line} ${text ?? ""}`));
	if (edits.length === 0) {
		yield `No recorded edit wrote this line as it is now. ${plural(changes, "change")} of the file ${changes === 1 ? "is" : "are"} recorded.`;
	}
	for (const edit of edits) {
		yield "";
		yield oneLine(`${edit.host} session ${edit.session}, ${formatMinute(edit.ts)} [${edit.handle}]`);
		yield* wrapWords(`  ${oneLine(renderEdit(edit, MAX_WORDS_CHARS))}`, style.columns, "    ");
	}
}
