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
import { EXIT } from "../exit-code.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context, out, engine: { log }, args }: Call<"repair">): Promise<CommandResult> {
	const given = args.flatMap((path) => filesOf(resolve(context.cwd, path)));
	if (log.readOnly) throw new EngineError("read-only", `${log.path} is read-only, so it cannot be repaired.`);
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
			out.talk(`${oneLine(file)} was skipped: ${error.message}`);
		}
	}
	const report = repair.isolate();
	// Restored or isolated events change everything derived from them.
	if (report.restored + report.isolated > 0) log.rebuild();
	const view: RepairView = { ...report, files, damaged: join(log.folder, "damaged") };
	return {
		data: view,
		lines: () => renderRepair(view, out),
		code: report.left.length === 0 ? EXIT.ok : EXIT.failed,
	};
}

function filesOf(path: string): string[] {
	if (!existsSync(path)) throw new EngineError("not-found", `${path}: no such file or folder.`);
	const found = findSessionFiles(path);
	return found.length > 0 ? found : [path];
}
