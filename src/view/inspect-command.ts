import { dirname } from "node:path";
import { quoteWord } from "../base/shell/quote-word.ts";
import type { Engine } from "../engine.ts";

/** The command that opens the inspector on a session, for places where a URL would be useless or visible to others. */
export function inspectCommand({ project }: Engine, session: string | undefined): string {
	const home = dirname(dirname(project.folder));
	const of = session === undefined ? "" : ` --session ${quoteWord(session)}`;
	return `weft inspect --home ${quoteWord(home)} --project ${quoteWord(project.root)}${of}`;
}
