import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { READERS } from "../../../agent/agents.ts";
import { importFile } from "../../../agent/recorded/import.ts";
import { readRecords } from "../../../agent/recorded/session-store.ts";
import { formatCount } from "../../../base/text/bytes.ts";
import { openEngine } from "../../../engine.ts";
import { recover, renderRecovery } from "../../../view/recover.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { Progress } from "../progress.ts";

export interface RecoverCommandOptions {
	readonly maxTokens?: string;
}

/** Imports a session into a temporary folder and fetches every byte of it back through the tool. */
export async function run(
	{ out }: Context,
	[path = ""]: readonly string[],
	options: RecoverCommandOptions,
): Promise<ExitCode> {
	const maxTokens = wholeNumber("--max-tokens", options.maxTokens, 100);
	const home = mkdtempSync(join(tmpdir(), "weft-recover-"));
	const progress = new Progress(out.progressStream);
	try {
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
				onProgress: (messages) => progress.say(() => `${formatCount(messages)} messages fetched`),
				maxTokens,
			});
			progress.clear();
			const whole = recovery.missing.length === 0;
			if (out.json) await out.document({ whole, kind, malformed: malformedCount, ...recovery });
			else await out.lines(renderRecovery(recovery));
			return whole ? EXIT.ok : EXIT.failed;
		} finally {
			engine.close();
		}
	} finally {
		progress.clear();
		rmSync(home, { recursive: true, force: true });
	}
}
