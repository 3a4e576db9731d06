import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { type ImportCandidate, knownMemoryFiles, readCandidates } from "../../../state/memory/import-candidates.ts";
import { type ImportView, importMemory, previewImport, renderImport } from "../../../view/memory-by-hand.ts";
import { DRY_RUN } from "../../../view/upkeep.ts";
import { type Context, HOST } from "../context.ts";

export async function run(
	context: Context,
	given: readonly string[],
	options: { readonly yes?: boolean },
): Promise<void> {
	const { env, cwd, root } = context;
	const paths = given.map((path) => resolve(cwd, path));
	const missing = paths.find((path) => !existsSync(path));
	if (missing !== undefined) throw new EngineError("not-found", `${missing}: there is no such file or folder.`);
	const places = { root, env, home: env["HOME"] || homedir() };
	const candidates = readCandidates(paths.length > 0 ? paths : knownMemoryFiles(places));
	const apply = options.yes === true && candidates.length > 0;
	if (!apply) return await show(context, preview(context, candidates), given);
	const engine = context.openForWriting();
	try {
		const by = { session: HOST, host: HOST };
		await show(context, importMemory(engine, candidates, { now: context.now(), why: "import", by }), given);
	} finally {
		engine.close();
	}
}

function preview(context: Context, candidates: readonly ImportCandidate[]): ImportView {
	if (!existsSync(context.places().logPath)) return previewImport(undefined, candidates);
	const engine = context.openExisting();
	try {
		return previewImport(engine, candidates);
	} finally {
		engine.close();
	}
}

async function show({ out }: Context, view: ImportView, named: readonly string[]): Promise<void> {
	if (out.json) return await out.document(view);
	await out.lines(renderImport(view, out, named));
	if (!view.applied && view.candidates.some(({ note }) => note === undefined)) out.talk(DRY_RUN);
}
