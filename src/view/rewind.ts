/** Lists the moments, plans a rewind, or carries it out: the same for the command line and for agents' own commands. */
import { plural } from "../base/text/bytes.ts";
import { formatAgo } from "../base/text/time.ts";
import type { RewindMoment } from "../guard/rewind/moments.ts";
import { diffsOf, momentsOf, openRewind, type RewindRequest, renderCommand } from "../guard/rewind/request.ts";
import { renderSteps } from "../guard/rewind/rewind.ts";
import type { Log } from "../log/log.ts";
import { DRY_RUN } from "./pruning.ts";

export interface RewindOptions extends Omit<RewindRequest, "isElsewhere"> {
	/** Shows what would change in each text. */
	readonly diff?: boolean | undefined;
	/** Absolute: writes the files there instead. */
	readonly into?: string | undefined;
	readonly limit: number;
	readonly yes: boolean;
	/** Space for what is kept, in bytes. */
	readonly maxBytes: number;
}

export interface RewindView {
	readonly data: unknown;
	readonly lines: readonly string[];
	readonly remarks: readonly string[];
}

export function viewRewind(log: Log, options: RewindOptions): RewindView {
	const { files = [], to, before, into, yes, now } = options;
	const request = { ...options, isElsewhere: into !== undefined };
	if (to === undefined && before === undefined) return listing(momentsOf(log, request, options.limit), now);
	const rewind = openRewind(log, request);
	const { plan } = rewind;
	const diffs = options.diff ? [...diffsOf(rewind)] : [];
	if (into !== undefined) {
		if (yes) rewind.writeInto(into);
		const written = plan.steps.filter(({ how }) => how === "write").length;
		const did = yes ? "written to" : "would be written to";
		return {
			data: { ...plan, into, applied: yes, diffs },
			lines: [...renderSteps(plan), ...diffs, `${plural(written, "file")} ${did} ${into}.`],
			remarks: yes ? [] : [DRY_RUN],
		};
	}
	const isEmpty = plan.steps.every(({ how }) => how === "leave");
	const isOnlyGit = plan.staged.length + plan.stashes.length > 0;
	const isApplied = yes && !isEmpty;
	const undo = isApplied
		? rewind.apply({ maxBytes: options.maxBytes, now: Date.now, command: renderCommand(request) })
		: undefined;
	const undoing = undo === undefined ? [] : [`Done. To undo it: ${renderCommand({ files, to: String(undo) })} --yes`];
	return {
		data: { ...plan, applied: isApplied, undo, diffs },
		lines: [
			...renderSteps(plan),
			...diffs,
			...(isEmpty ? [isOnlyGit ? "No file to change." : "Nothing to change."] : undoing),
		],
		remarks: isApplied || isEmpty ? [] : [DRY_RUN],
	};
}

function listing(moments: readonly RewindMoment[], now: number): RewindView {
	const lines = moments.map(({ seq, ts, host, what, files, staged, stashes }) => {
		const counts = [
			...(files > 0 ? [plural(files, "file")] : []),
			...(staged > 0 ? [plural(staged, "staged text")] : []),
			...(stashes > 0 ? [plural(stashes, "stash", "stashes")] : []),
		];
		const kept = counts.length === 0 ? "" : ` (${counts.join(", ")} kept)`;
		return `${String(seq).padStart(6)}  ${formatAgo(ts, now)}  ${host}  ${what}${kept}`;
	});
	const remark =
		moments.length === 0
			? "Nothing was kept yet. weft keeps files before an agent's commands and changes."
			: "weft rewind [FILE ...] --to NUMBER shows what would change; --yes does it.";
	return { data: { moments }, lines, remarks: [remark] };
}
