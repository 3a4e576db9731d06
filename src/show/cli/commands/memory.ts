import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { explainRecall } from "../../../agent/live/recall-block.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { type ImportCandidate, knownMemoryFiles, readCandidates } from "../../../state/memory/import-candidates.ts";
import { findNamedSession } from "../../../state/session/find-session.ts";
import { renderFound, renderMemory, searchMemory, viewMemory } from "../../../view/memory.ts";
import {
	addMemory,
	editMemory,
	forgetMemory,
	type ImportView,
	importMemory,
	previewImport,
	renderImport,
} from "../../../view/memory-edits.ts";
import { renderRecall, viewRecall } from "../../../view/memory-recall.ts";
import { memoryHistory, memoryStory, renderMemoryHistory, renderStory } from "../../../view/memory-story.ts";
import { DRY_RUN } from "../../../view/pruning.ts";
import { byCommand, type Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import type { CommandModule } from "../frame.ts";

/** `weft memory` and `weft memory show`. */
export const memoryCommand: CommandModule<"memory" | "memory show"> = {
	run({ engine, options }) {
		const view = viewMemory(engine, findNamedSession(engine.log, options.session));
		return { data: view, lines: (out) => renderMemory(view, out) };
	},
};

export const memorySearchCommand: CommandModule<"memory search"> = {
	check({ args }) {
		if (args.join("").trim() === "") throw new EngineError("usage", "Say what to look for: weft memory search WORD.");
	},
	run({ engine, args }) {
		const found = searchMemory(engine, args.join(" ").trim().split(/\s+/));
		return {
			data: found,
			lines: (out) => renderFound(found, out),
			code: found.bullets.length > 0 ? EXIT.ok : EXIT.failed,
		};
	},
};

/** Shows what recall would add before such a message. Writes nothing. */
export const memoryRecallCommand: CommandModule<"memory recall"> = {
	check({ args }) {
		if (args.join("").trim() === "") throw new EngineError("usage", 'Give a question: weft memory recall "question".');
	},
	async run({ context, engine, args, options: { explain } }) {
		const question = args.join(" ");
		const view = viewRecall(question, await explainRecall(engine, question, context.now()));
		return { data: view, lines: (out) => renderRecall(view, out, { explain }) };
	},
};

const DEFAULT_SECTION = "Facts";

export const memoryAddCommand: CommandModule<"memory add"> = {
	check({ args }) {
		if (args.join("").trim() === "") throw new EngineError("usage", "Say what to remember: weft memory add TEXT.");
	},
	run({ context, engine, args, options }) {
		const added = { text: args.join(" ").trim(), section: options.section ?? DEFAULT_SECTION };
		const { path, ops } = addMemory(engine, added, byCommand(context.now()));
		const id = ops.at(-1)?.id;
		return { data: { id, path }, lines: () => [`${id}: written to ${path}`] };
	},
};

export const memoryEditCommand: CommandModule<"memory edit"> = {
	check({ args: [, ...words] }) {
		if (words.join("").trim() === "")
			throw new EngineError("usage", "Say what it should be: weft memory edit ID TEXT.");
	},
	run({ context, engine, args: [id = "", ...words] }) {
		const { path, ops } = editMemory(engine, id, words.join(" ").trim(), byCommand(context.now()));
		const next = ops.at(-1)?.id;
		return {
			data: { id: next, replaces: id, path },
			lines: () => [`${next}: written to ${path}, in place of ${id}`],
		};
	},
};

export const memoryForgetCommand: CommandModule<"memory forget"> = {
	run({ context, engine, args: [id = ""] }) {
		const { path, text } = forgetMemory(engine, id, byCommand(context.now()));
		return { data: { id, text, path }, lines: () => [`Forgotten: ${oneLine(text)}`] };
	},
};

export const memoryWhyCommand: CommandModule<"memory why"> = {
	run({ engine, args: [id = ""] }) {
		const story = memoryStory(engine, id);
		return { data: story, lines: (out) => renderStory(story, out) };
	},
};

export const memoryHistoryCommand: CommandModule<"memory history"> = {
	run({ engine, options }) {
		const history = memoryHistory(engine, options.limit);
		return { data: history, lines: (out) => renderMemoryHistory(history, out) };
	},
};

export const memoryImportCommand: CommandModule<"memory import"> = {
	async run({ context, args, options }) {
		const { env, cwd, root } = context;
		const paths = args.map((path) => resolve(cwd, path));
		const missing = paths.find((path) => !existsSync(path));
		if (missing !== undefined) throw new EngineError("not-found", `${missing}: no such file or folder.`);
		const places = { root, env, home: env["HOME"] || homedir() };
		const candidates = readCandidates(paths.length > 0 ? paths : knownMemoryFiles(places));
		const view = options.yes && candidates.length > 0 ? take(context, candidates) : await preview(context, candidates);
		const isDry = !view.applied && view.candidates.some(({ note }) => note === undefined);
		return { data: view, lines: (out) => renderImport(view, out, args), remarks: isDry ? [DRY_RUN] : [] };
	},
};

function take(context: Context, candidates: readonly ImportCandidate[]): ImportView {
	const engine = context.openForWriting();
	try {
		return importMemory(engine, candidates, { ...byCommand(context.now()), why: "import" });
	} finally {
		engine.close();
	}
}

/** A preview does not create a log. */
async function preview(context: Context, candidates: readonly ImportCandidate[]): Promise<ImportView> {
	if (!existsSync(context.places().logPath)) return previewImport(undefined, candidates);
	return context.withLog((engine) => previewImport(engine, candidates));
}
