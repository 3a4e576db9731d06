/** `/rewind`: the moments of this project, and the way back to one. Shows the same view as `weft rewind`. */
import { parseCommand } from "../../../base/shell/parse.ts";
import { viewRewind } from "../../../view/rewind.ts";
import type { LivePi } from "../live.ts";

const MAX_MOMENTS = 30;

export async function run({
	live,
	args,
}: {
	readonly live: Pick<LivePi, "engine" | "cwd">;
	readonly args: string;
}): Promise<string> {
	const { log, settings, project } = live.engine;
	const request = readWords(parseCommand(`rewind ${args}`).commands[0]?.words.slice(1) ?? []);
	if (typeof request === "string") return request;
	const place = { cwd: live.cwd, root: project.root, now: Date.now(), maxBytes: settings.keepBytes };
	const { lines, remarks } = viewRewind(log, { ...request, ...place, limit: MAX_MOMENTS });
	return [...lines, ...remarks.map((remark) => remark.replace(/^weft rewind/, "/rewind"))].join("\n");
}

/** The problem in words, if there is one. */
function readWords(words: readonly string[]) {
	const files: string[] = [];
	let to: string | undefined;
	let before: string | undefined;
	let diff = false;
	let yes = false;
	for (let at = 0; at < words.length; at++) {
		const word = words[at] ?? "";
		if (word === "--yes") yes = true;
		else if (word === "--diff") diff = true;
		else if (word === "--to") to = words[++at];
		else if (word === "--before") before = words[++at];
		else if (word.startsWith("-")) return `Unknown option '${word}'. /rewind takes --to, --before, --diff and --yes.`;
		else files.push(word);
	}
	return { files, to, before, diff, yes };
}
