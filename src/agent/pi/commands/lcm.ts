/** `/lcm`: the whole history and its summaries. It answers a person as the model's tools answer the model. */
import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { makePrivateFolder } from "../../../log/home.ts";
import { findSession } from "../../../state/session/find-session.ts";
import { lcmGrep } from "../../../tool/grep.ts";
import { sessionMarkdown } from "../../../view/export.ts";
import { renderHistoryStats, renderTree, viewTree } from "../../../view/history.ts";
import { historyWithParents, logBytes } from "../../../view/live-status.ts";
import { contextOf } from "../tools.ts";
import { type CommandInput, firstWord, LCM_CHOICES, splitWords } from "./command-input.ts";
import { browse } from "./history-browser.ts";

const ALL_LEVELS = Number.POSITIVE_INFINITY;
const MAX_TREE_LINES = 200;

export async function run(input: CommandInput): Promise<string> {
	const [word, rest] = firstWord(input.args);
	const { live } = input;
	switch (word) {
		case "stats":
			return [...renderHistoryStats(historyWithParents(live.engine, live.session), logBytes(live.engine.log))].join(
				"\n",
			);
		case "tree":
			return tree(input);
		case "search":
			if (input.ctx.mode === "tui") return browse(input, rest);
			return rest === "" ? "Say what to search for: /lcm search WORDS" : search(input, rest);
		case "export":
			return exportSession(input, splitWords(rest)[0]);
		case "compact":
			return compact(input, rest);
		default:
			return help(word);
	}
}

async function search({ live }: CommandInput, query: string): Promise<string> {
	const { text } = await lcmGrep.run(contextOf(live), { query });
	return text;
}

function tree({ live }: CommandInput): string {
	const view = viewTree(live.engine.history, live.session, { levels: ALL_LEVELS, leaf: live.leaf() });
	const lines = [...renderTree(view).take(MAX_TREE_LINES + 1)];
	if (lines.length <= MAX_TREE_LINES) return lines.join("\n");
	return [...lines.slice(0, MAX_TREE_LINES), "│  … more: 'weft tree' prints them all"].join("\n");
}

/** Writes the session as Markdown, with known credentials masked, to a new file that only its owner can read. */
async function exportSession({ live }: CommandInput, file: string | undefined): Promise<string> {
	const { engine, session, cwd } = live;
	const { folder } = engine.project;
	const path = resolve(cwd, file ?? join(folder, "export", `${session.session}.md`));
	const state = findSession(engine.log, session.session);
	if (path.startsWith(folder)) makePrivateFolder(dirname(path));
	const handle = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
		throw new EngineError(
			"refused",
			error.code === "EEXIST"
				? `${path} already exists. Name another file: /lcm export FILE`
				: `${path} cannot be written: ${error.message}`,
			{ cause: error },
		);
	});
	try {
		for await (const part of sessionMarkdown(engine.log, state, maskSecrets)) await handle.write(`${part}\n`);
	} finally {
		await handle.close();
	}
	return `Written to ${path}`;
}

/** Compacts through Pi, so that the session holds the compaction. Where Pi has nothing to compact, weft writes summaries. */
async function compact({ live, ctx }: CommandInput, instructions: string): Promise<string> {
	const before = historyWithParents(live.engine, live.session).nodes;
	// In `off` Pi's history stays Pi's own: the summaries do not enter it.
	const refusal = live.mode() === "off" ? "the mode is off" : await compactInPi(ctx, instructions);
	if (refusal === undefined) {
		const { nodes, depth } = historyWithParents(live.engine, live.session);
		return `Compacted: ${plural(nodes - before, "new summary", "new summaries")}, ${nodes} in all (depth ${depth}).`;
	}
	const { compacted, leaves, condensed, ended, tried } = await live.compact({
		instructions: instructions || undefined,
	});
	const models = tried.length === 0 ? "" : ` Rejected ${plural(tried.length, "answer")} from models.`;
	if (!compacted) return `Nothing to summarise yet (${refusal}).${models}`;
	const made = leaves.length + condensed.length;
	return `${plural(made, "new summary", "new summaries")} (${ended}); Pi's own list stays as it is, because ${refusal}.${models}`;
}

/** Gives the reason why Pi did not compact; undefined: it did. */
function compactInPi(ctx: CommandInput["ctx"], customInstructions: string): Promise<string | undefined> {
	return new Promise((resolve) => {
		ctx.compact({
			...(customInstructions === "" ? {} : { customInstructions }),
			onComplete: () => resolve(undefined),
			onError: ({ message }) => resolve(message.replace(/\.$/, "")),
		});
	});
}

function help(word: string): string {
	const rows = Object.entries(LCM_CHOICES).map(([choice, what]) => `  /lcm ${choice.padEnd(8)} ${what}`);
	return [
		...(word === "" ? [] : [`Unknown command '/lcm ${word.slice(0, 40)}'.`]),
		"Lossless context management:",
		...rows,
	].join("\n");
}
