import { formatCount, plural } from "../../../base/text/bytes.ts";
import { type VerifyReport, verify } from "../../../log/repair/verify.ts";
import { checkArchives } from "../../../log/retention/archived-events.ts";
import { EXIT } from "../exit-code.ts";
import type { Call, CommandResult } from "../frame.ts";
import type { Output } from "../output.ts";

export async function run({ engine: { log, project } }: Call<"verify">): Promise<CommandResult> {
	const report = verify(log);
	log.forgetLosses();
	const archives = await checkArchives(log);
	const ok = report.problems.length === 0;
	const bad = archives.filter(({ state }) => state !== "whole");
	return {
		data: { ok, ...report, archives },
		lines: (out) => reportLines(report, out),
		remarks: [
			...bad.map(({ archive, state, events }) => {
				const what = state === "missing" ? "is missing" : "has changed since it was written";
				return `${archive} ${what}: ${plural(events, "event")} left the log for it. Is there another copy?`;
			}),
			...(ok
				? []
				: [
						`First copy ${project.folder} to a safe place.`,
						"'weft repair' restores everything it finds a copy of. 'weft doctor' says more.",
					]),
		],
		code: ok ? EXIT.ok : EXIT.failed,
	};
}

function* reportLines(report: VerifyReport, out: Output): Generator<string> {
	for (const problem of report.problems) yield `${out.paint("red", "✗")} ${problem}`;
	for (const sentence of report.malformed) yield `${out.paint("yellow", "!")} ${sentence}; it is skipped`;
	const sizes = counted(report);
	yield report.problems.length === 0
		? `${out.paint("green", "✓")} The log is whole: ${sizes}.`
		: `The log is damaged: ${sizes}.`;
}

function counted({ events, blobs, pruned, malformedCount, lost }: VerifyReport): string {
	const parts = [plural(events, "event"), plural(blobs, "blob"), `${formatCount(pruned)} pruned`];
	if (malformedCount > 0) parts.push(`${formatCount(malformedCount)} malformed`);
	if (lost > 0) parts.push(`${formatCount(lost)} lost and set aside`);
	return parts.join(", ");
}
