import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { READERS } from "../../../agent/agents.ts";
import { importFile } from "../../../agent/recorded/import.ts";
import { readRecords } from "../../../agent/recorded/session-store.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import { openEngine } from "../../../engine.ts";
import { recover, renderRecovery } from "../../../view/recover.ts";
import { EXIT } from "../exit-code.ts";
import type { Call, CommandResult } from "../frame.ts";
import { Progress } from "../progress.ts";

/** Imports a session into a temporary folder and fetches every byte of it back through the tool. */
export async function run({ out, args: [path = ""], options }: Call<"recover">): Promise<CommandResult> {
	const home = mkdtempSync(join(tmpdir(), "weft-recover-"));
	const progress = new Progress(out.progressStream);
	const engine = openEngine({ cwd: home, host: "cli", home: join(home, "data"), env: {}, trusted: false });
	try {
		const { kind, malformedCount } = await importFile(path, {
			readers: READERS,
			logFor: () => ({
				append: (events) => engine.log.append(events, { packed: true }),
				read: (query) => engine.log.read(query),
				putBlob: (bytes) => engine.log.putBlob(bytes),
			}),
		});
		const recovery = await recover(engine.log, {
			lines: readRecords(path, READERS),
			onProgress: (messages) => progress.show(() => `${formatCount(messages)} messages fetched`),
			maxTokens: options.maxTokens,
		});
		const whole = recovery.missing.length === 0;
		return {
			data: { whole, kind, malformed: malformedCount, ...recovery },
			lines: () => renderRecovery(recovery),
			code: whole ? EXIT.ok : EXIT.failed,
		};
	} finally {
		progress.clear();
		engine.close();
		rmSync(home, { recursive: true, force: true });
	}
}
