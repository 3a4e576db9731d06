import { parseArgs } from "node:util";
import { projectState } from "../../../context/project-state.ts";
import { EngineError } from "../../../error/engine-error.ts";
import { type PruneReport, prune } from "../../../log/prune.ts";
import { formatBytes, formatCount, plural } from "../../../text/bytes.ts";
import { splitWords, wholeNumber } from "./arguments.ts";
import { type Asked, PRUNE_EVENTS_FLAGS } from "./asked.ts";

export async function run({ live, args }: Asked): Promise<string> {
	const options = parse(splitWords(args));
	const { log, settings } = live.engine;
	const report = await prune(log, {
		now: Date.now(),
		days: wholeNumber("--days", options.days, settings.pruneDays),
		minEvents: wholeNumber("--min-events", options["min-events"], settings.minEventsToKeep),
		gzip: options.gzip ?? false,
		vacuum: options.vacuum ?? false,
		before: () => projectState(log).writeSnapshot({ base: true }),
		apply: options.yes === true && options["dry-run"] !== true,
		...(options.archive === undefined ? {} : { archive: options.archive }),
	});
	return describe(report).join("\n");
}

function parse(words: string[]) {
	try {
		const { values } = parseArgs({
			args: words,
			options: {
				days: { type: "string" },
				"min-events": { type: "string" },
				"dry-run": { type: "boolean" },
				archive: { type: "string" },
				gzip: { type: "boolean" },
				vacuum: { type: "boolean" },
				yes: { type: "boolean" },
			},
		});
		return values;
	} catch (error) {
		const known = Object.keys(PRUNE_EVENTS_FLAGS).join(" ");
		throw new EngineError("usage", `${(error as Error).message.split(". ")[0]}. It takes ${known}.`);
	}
}

function describe({ events, bytes, kept, applied, archive, byType }: PruneReport): string[] {
	if (events === 0) return [`Nothing to prune: ${plural(kept, "event")} stay${kept === 1 ? "s" : ""}.`];
	const what = `${plural(events, "event")} (${formatBytes(bytes)} of JSON)`;
	return [
		applied ? `${what} left for ${archive}:` : `${what} would leave for an archive:`,
		...Object.entries(byType).map(([type, count]) => `  ${type} ${formatCount(count)}`),
		applied
			? `${plural(kept, "event")} stay. 'weft import ${archive}' brings them back.`
			: `${plural(kept, "event")} would stay. Nothing was changed; --yes does it.`,
	];
}
