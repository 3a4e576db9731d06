import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { type ImportCandidate, knownMemoryFiles, readCandidates } from "../../../state/memory/import-candidates.ts";
import { type ImportView, importMemory, previewImport, renderImport } from "../../../view/memory-edits.ts";
import { DRY_RUN } from "../../../view/pruning.ts";
import { byCommand, type Context } from "../context.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context, args, options }: Call<"memory import">): Promise<CommandResult> {
	const { env, cwd, root } = context;
	const paths = args.map((path) => resolve(cwd, path));
	const missing = paths.find((path) => !existsSync(path));
	if (missing !== undefined) throw new EngineError("not-found", `${missing}: no such file or folder.`);
	const places = { root, env, home: env["HOME"] || homedir() };
	const candidates = readCandidates(paths.length > 0 ? paths : knownMemoryFiles(places));
	const view = options.yes && candidates.length > 0 ? take(context, candidates) : await preview(context, candidates);
	const isDry = !view.applied && view.candidates.some(({ note }) => note === undefined);
	return { data: view, lines: (out) => renderImport(view, out, args), remarks: isDry ? [DRY_RUN] : [] };
}

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
