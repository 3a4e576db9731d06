import { resolve } from "node:path";
import { EngineError } from "../../../base/error/engine-error.ts";
import { plural } from "../../../base/text/bytes.ts";
import { formatAgo } from "../../../base/text/time.ts";
import type { Moment } from "../../../guard/rewind/moments.ts";
import { diffsOf, momentsOf, openRewind, renderCommand } from "../../../guard/rewind/request.ts";
import { renderSteps } from "../../../guard/rewind/rewind.ts";
import { DRY_RUN } from "../../../view/pruning.ts";
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

export function run({ context, engine, args: [file], options }: Call<"rewind">): CommandResult {
	const { log, settings, project } = engine;
	const { to, before, into, yes } = options;
	const now = context.now();
	const request = { file, to, before, cwd: context.folder, root: project.root, now, isElsewhere: into !== undefined };
	if (to === undefined && before === undefined) return listing(momentsOf(log, request, options.limit), now);
	const rewind = openRewind(log, request);
	const { plan } = rewind;
	const diffs = options.diff ? [...diffsOf(rewind)] : [];
	if (into !== undefined) {
		const folder = resolve(context.cwd, into);
		if (yes) rewind.writeInto(folder);
		const written = plan.steps.filter(({ how }) => how === "write").length;
		const did = yes ? "written to" : "would be written to";
		return {
			data: { ...plan, into: folder, applied: yes, diffs },
			lines: () => [...renderSteps(plan), ...diffs, `${plural(written, "file")} ${did} ${folder}.`],
			remarks: yes ? [] : [DRY_RUN],
		};
	}
	const isEmpty = plan.steps.every(({ how }) => how === "leave");
	const isApplied = yes && !isEmpty;
	const undo = isApplied
		? rewind.apply({ maxBytes: settings.keepBytes, now: () => context.now(), command: renderCommand(request) })
		: undefined;
	const undoing = undo === undefined ? [] : [`Done. To undo it: ${renderCommand({ file, to: String(undo) })} --yes`];
	return {
		data: { ...plan, applied: isApplied, undo, diffs },
		lines: () => [...renderSteps(plan), ...diffs, ...(isEmpty ? ["Nothing to change."] : undoing)],
		remarks: isApplied || isEmpty ? [] : [DRY_RUN],
	};
}

function listing(moments: readonly Moment[], now: number): CommandResult {
	return {
		data: { moments },
		lines: () =>
			moments.map(({ seq, ts, host, what, files }) => {
				const kept = files === 0 ? "" : ` (${plural(files, "file")} kept)`;
				return `${String(seq).padStart(6)}  ${formatAgo(ts, now)}  ${host}  ${what}${kept}`;
			}),
		remarks:
			moments.length === 0
				? ["Nothing was kept yet. weft keeps files before an agent's commands and changes."]
				: ["weft rewind [FILE] --to NUMBER shows what would change; --yes does it."],
	};
}
