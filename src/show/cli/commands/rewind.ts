import { resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { viewRewind } from "../../../view/rewind.ts";
import type { Call, CheckCall, CommandResult } from "../frame.ts";

export function check({ options: { to, before, into, yes, diff } }: CheckCall<"rewind">): void {
	if (to !== undefined && before !== undefined) {
		throw new EngineError("usage", "weft rewind takes --to or --before, not both.");
	}
	if (to === undefined && before === undefined && (into !== undefined || yes || diff)) {
		throw new EngineError(
			"usage",
			"weft rewind needs --to MOMENT or --before COMMAND. Without them it lists the moments.",
		);
	}
}

export function run({ context, engine, args: files, options }: Call<"rewind">): CommandResult {
	const { log, settings, project } = engine;
	const into = options.into === undefined ? undefined : resolve(context.cwd, options.into);
	const place = { cwd: context.folder, root: project.root, now: context.now(), maxBytes: settings.keepBytes };
	const { data, lines, remarks } = viewRewind(log, { ...options, ...place, files, into });
	return { data, lines: () => lines, remarks };
}
