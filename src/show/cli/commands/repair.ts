import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { READERS } from "../../../agent/agents.ts";
import { offerFile, sessionFilesOf } from "../../../agent/recorded/repair-source.ts";
import { findSessionFiles } from "../../../agent/recorded/session-files.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { oneLine } from "../../../base/text/printable.ts";
import { Repair } from "../../../log/repair/repair.ts";
import { archiveFolder } from "../../../log/retention/archive.ts";
import { type RepairView, renderRepair } from "../../../view/repair.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export async function run(context: Context, paths: readonly string[]): Promise<ExitCode> {
	const { out } = context;
	const given = paths.flatMap((path) => filesOf(resolve(context.cwd, path)));
	const engine = context.openExisting();
	try {
		const { log } = engine;
		if (log.readOnly) throw new EngineError("read-only", `${log.path} cannot be written, so it cannot be repaired.`);
		const repair = new Repair(log);
		const places = repair.isNeeded
			? [archiveFolder(log), ...sessionFilesOf(repair.sessions(), READERS, context.env)]
			: [];
		const files: { file: string; restored: number }[] = [];
		for (const file of new Set([...given, ...places.filter(existsSync).flatMap(filesOf)])) {
			if (!repair.isNeeded) break;
			try {
				files.push({ file, restored: await offerFile(repair, file, READERS) });
			} catch (error) {
				if (!(error instanceof EngineError)) throw error;
				out.talk(`${oneLine(file)} was passed over: ${error.message}`);
			}
		}
		const report = repair.isolate();
		// What came back, or is known to be lost, changes what is made from it.
		if (report.restored + report.isolated > 0) log.rebuild();
		const view: RepairView = { ...report, files, damaged: join(log.folder, "damaged") };
		if (out.json) await out.document(view);
		else await out.lines(renderRepair(view, out));
		return report.left.length === 0 ? EXIT.ok : EXIT.failed;
	} finally {
		engine.close();
	}
}

function filesOf(path: string): string[] {
	if (!existsSync(path)) throw new EngineError("not-found", `${path}: there is no such file or folder.`);
	const found = findSessionFiles(path);
	return found.length > 0 ? found : [path];
}
