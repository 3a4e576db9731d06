/** The whole history and its summaries. The questions are those of the model's tools; here a person asks them. */
import { join } from "node:path";
import type { HistoryStats } from "../../../history/history.ts";
import type { Node } from "../../../history/types.ts";
import { nodeRow } from "../../../history/unfold.ts";
import { formatBytes, formatCount, plural } from "../../../text/bytes.ts";
import { lcmGrep } from "../../../tool/grep.ts";
import { diskUse } from "../../../view/disk.ts";
import { toolContext } from "../tools.ts";
import { firstWord, splitWords } from "./arguments.ts";
import { type Asked, LCM_CHOICES } from "./asked.ts";
import { compactNow } from "./compact.ts";
import { exportSession } from "./export.ts";

const MOST_TREE_LINES = 200;

export async function run(asked: Asked): Promise<string> {
	const [word, rest] = firstWord(asked.args);
	const { live } = asked;
	switch (word) {
		case "stats":
			return stats(live.engine.history.stats(live.session), diskUse(live.engine.log).total);
		case "tree":
			return tree(asked);
		case "search":
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

function stats({ messages, nodes, depth, byDepth }: HistoryStats, bytes: number): string {
	return [
		`LCM: ${formatCount(messages)} msgs | ${plural(nodes, "summary", "summaries")} (depth ${depth}) | ${formatBytes(bytes)}`,
		...byDepth.map((count, at) => `  depth ${at}: ${plural(count, "summary", "summaries")}`),
	].join("\n");
}

async function search({ live }: Asked, query: string): Promise<string> {
	const { text } = await lcmGrep.run(toolContext(live), { query });
	return text;
}

function tree({ live }: Asked): string {
	const { history } = live.engine;
	const path = history.path(live.session, live.leaf());
	const verbatim = path.runs.reduce((sum, { length }) => sum + length, 0);
	const lines: string[] = [];
	const walk = (node: Node, indent: string, last: boolean): void => {
		if (lines.length > MOST_TREE_LINES) return;
		lines.push(`${indent}${last ? "└─" : "├─"} ${nodeRow(history, node)}`);
		const children = history.children(node);
		for (const [at, child] of children.entries())
			walk(child, `${indent}${last ? "   " : "│  "}`, at === children.length - 1);
	};
	for (const node of path.nodes) walk(node, "", false);
	const cut =
		lines.length > MOST_TREE_LINES ? [...lines.slice(0, MOST_TREE_LINES), "│  … more: /lcm stats counts them"] : lines;
	return [...cut, `└─ ${plural(verbatim, "message")} verbatim`].join("\n");
}

function help(word: string): string {
	const rows = Object.entries(LCM_CHOICES).map(([choice, what]) => `  /lcm ${choice.padEnd(8)} ${what}`);
	return [
		...(word === "" ? [] : [`There is no '/lcm ${word.slice(0, 40)}'.`]),
		"Lossless context management:",
		...rows,
	].join("\n");
}
