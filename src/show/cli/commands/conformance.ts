import { type CaseResult, runConformance } from "../../../agent/openclaw/conformance/run.ts";
import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { EXIT } from "../exit-code.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context, args: [specifier = ""], options }: Call<"conformance">): Promise<CommandResult> {
	const results: CaseResult[] = [];
	for await (const result of runConformance(specifier, { cwd: context.cwd, only: options.only })) results.push(result);
	if (results.length === 0) throw new EngineError("usage", `No case has '${options.only}' in its title.`);
	const failed = results.filter(({ passed }) => passed === false);
	return {
		data: { module: specifier, within: failed.length === 0, cases: results },
		*lines(out) {
			const dim = (text: string) => out.paint("dim", text);
			for (const { title, passed, reason } of results) {
				if (passed === undefined) yield dim(`- ${title} (not needed: it is the host's own engine)`);
				else yield `${passed ? "✓" : "✗"} ${title}`;
				if (reason !== undefined) for (const line of reason.split("\n").slice(0, 3)) yield dim(`    ${line}`);
			}
			yield "";
			yield failed.length === 0
				? `${plural(results.length, "case")}, none failed`
				: `${failed.length} of ${plural(results.length, "case")} failed`;
		},
		code: failed.length === 0 ? EXIT.ok : EXIT.failed,
	};
}
