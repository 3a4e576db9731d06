/** The whole history and its summaries. The questions are those of the model's tools; here a person asks them. */
import { join } from "node:path";
import { lcmGrep } from "../../../tool/grep.ts";
import { renderHistoryStats, renderTree, viewTree } from "../../../view/history.ts";
import { logBytes } from "../../../view/live-status.ts";
import { toolContext } from "../tools.ts";
import { firstWord, splitWords } from "./arguments.ts";
import { type Asked, LCM_CHOICES } from "./asked.ts";
import { browse } from "./browse.ts";
import { compactNow } from "./compact.ts";
import { exportSession } from "./export.ts";

const ALL_LEVELS = Number.POSITIVE_INFINITY;
const MAX_TREE_LINES = 200;

export async function run(asked: Asked): Promise<string> {
	const [word, rest] = firstWord(asked.args);
	const { live } = asked;
	switch (word) {
		case "stats":
			return [...renderHistoryStats(live.engine.history.stats(live.session), logBytes(live.engine.log))].join("\n");
		case "tree":
			return tree(asked);
		case "search":
			if (asked.ctx.mode === "tui") return browse(asked, rest);
			return rest === "" ? "Say what to search for: /lcm search WORDS" : search(asked, rest);
		case "export":
			return exportSession(
				live,
				splitWords(rest)[0] ?? join(live.engine.project.folder, "export", `${live.session.session}.md`),
			);
		case "compact":
			return compactNow(asked, rest);
		default:
			return help(word);
	}
}

async function search({ live }: Asked, query: string): Promise<string> {
	const { text } = await lcmGrep.run(toolContext(live), { query });
	return text;
}

function tree({ live }: Asked): string {
	const view = viewTree(live.engine.history, live.session, { levels: ALL_LEVELS, leaf: live.leaf() });
	const lines = [...renderTree(view).take(MAX_TREE_LINES + 1)];
	if (lines.length <= MAX_TREE_LINES) return lines.join("\n");
	return [...lines.slice(0, MAX_TREE_LINES), "│  … more: 'weft tree' prints them all"].join("\n");
}

function help(word: string): string {
	const rows = Object.entries(LCM_CHOICES).map(([choice, what]) => `  /lcm ${choice.padEnd(8)} ${what}`);
	return [
		...(word === "" ? [] : [`There is no '/lcm ${word.slice(0, 40)}'.`]),
		"Lossless context management:",
		...rows,
	].join("\n");
}
