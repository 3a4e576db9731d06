import { formatCount, plural } from "../../../base/text/bytes.ts";
import { type VerifyReport, verify } from "../../../log/repair/verify.ts";
import { checkArchives } from "../../../log/retention/archived-events.ts";
import type { Context } from "../context.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export async function run(context: Context): Promise<ExitCode> {
	const engine = context.openExisting();
	try {
		const { out } = context;
		const report = verify(engine.log);
		engine.log.forgetLosses();
		const archives = await checkArchives(engine.log);
		const ok = report.problems.length === 0;
		if (out.json) {
			await out.document({ ok, ...report, archives });
		} else {
			for (const problem of report.problems) await out.line(`${out.paint("red", "✗")} ${problem}`);
			for (const sentence of report.malformed)
				await out.line(`${out.paint("yellow", "!")} ${sentence}; it is passed over`);
			const whole = `${out.paint("green", "✓")} The log is whole: ${counted(report)}.`;
			await out.line(ok ? whole : `The log is damaged: ${counted(report)}.`);
			for (const { archive, state, events } of archives.filter((one) => one.state !== "whole")) {
				const what = state === "missing" ? "is not there" : "is not what was written";
				out.talk(`${archive} ${what}: ${plural(events, "event")} left the log for it. Is there another copy?`);
			}
			if (!ok) {
				out.talk(`First copy ${engine.project.folder} to a safe place.`);
				out.talk("'weft repair' brings back what it finds a copy of. 'weft doctor' says more.");
			}
		}
		return ok ? EXIT.ok : EXIT.failed;
	} finally {
		engine.close();
	}
}

function counted({ events, blobs, pruned, malformedCount, lost }: VerifyReport): string {
	const parts = [plural(events, "event"), plural(blobs, "blob"), `${formatCount(pruned)} pruned`];
	if (malformedCount > 0) parts.push(`${formatCount(malformedCount)} malformed`);
	if (lost > 0) parts.push(`${formatCount(lost)} lost and put aside`);
	return parts.join(", ");
}
