import { checkArchives } from "../../log/archived.ts";
import { verify } from "../../log/verify.ts";
import { formatCount, plural } from "../../text/bytes.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export async function run(context: Context): Promise<ExitCode> {
	const engine = context.openExisting();
	try {
		const { out } = context;
		const report = verify(engine.log);
		const archives = await checkArchives(engine.log);
		const ok = report.problems.length === 0;
		if (out.json) {
			await out.document({ ok, ...report, archives });
		} else {
			for (const problem of report.problems) await out.line(`${out.paint("red", "✗")} ${problem}`);
			const counted = `${plural(report.events, "event")}, ${plural(report.blobs, "blob")}, ${formatCount(report.pruned)} pruned`;
			await out.line(
				ok ? `${out.paint("green", "✓")} The log is whole: ${counted}.` : `The log is damaged: ${counted}.`,
			);
			for (const { archive, state, events } of archives.filter((one) => one.state !== "whole")) {
				const what = state === "missing" ? "is not there" : "is not what was written";
				out.talk(`${archive} ${what}: ${plural(events, "event")} left the log for it. Is there another copy?`);
			}
			if (!ok) out.talk(`First copy ${engine.project.folder} to a safe place. 'weft doctor' says more.`);
		}
		return ok ? EXIT.ok : EXIT.failed;
	} finally {
		engine.close();
	}
}
