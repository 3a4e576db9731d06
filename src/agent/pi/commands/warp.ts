/** Warp Engine's commands: the state, the computed context, snapshots, pruning and the repository map. */
import { parseArgs } from "node:util";
import { EngineError } from "../../../base/error/engine-error.ts";
import { logBytes, logPlace, renderLogPlace } from "../../../view/live-status.ts";
import {
	DRY_RUN,
	pruneEvents,
	pruneSnapshots,
	renderPrune,
	renderSnapshot,
	renderSnapshotPruning,
	writeSnapshot,
} from "../../../view/pruning.ts";
import { mapRepository, renderRepo } from "../../../view/repo.ts";
import { renderState, type StateView, viewState } from "../../../view/state.ts";
import { PLAIN } from "../../../view/text-style.ts";
import { type CommandInput, PRUNE_EVENTS_FLAGS, splitWords, wholeNumber } from "./command-input.ts";

const KEPT_SNAPSHOTS = 5;
const SCREEN_COLUMNS = 160;

export async function showState(input: CommandInput): Promise<string> {
	const { log } = input.live.engine;
	const style = { ...PLAIN, columns: SCREEN_COLUMNS };
	const place = renderLogPlace(logPlace(log), logBytes(log));
	const lines = renderState(readState(input), style, { now: Date.now(), all: "/warp-dump" });
	return [...lines, "", `Log: ${place}`].join("\n");
}

export async function dumpState(input: CommandInput): Promise<string> {
	return JSON.stringify(readState(input), null, 2);
}

/** The context that the planner would compute now, whatever the session's mode is. */
export async function showContext({ live }: CommandInput): Promise<string> {
	const { opening } = live.engine.plan({ ...live.input(), mode: "warp", decide: true });
	return opening?.text ?? "This session has no messages yet, so there is nothing to compute.";
}

export async function takeSnapshot({ live }: CommandInput): Promise<string> {
	return renderSnapshot(writeSnapshot(live.engine.log));
}

/** Needs no dry run: a snapshot only saves time, and the log can rebuild any of them. */
export async function dropSnapshots({ live, args }: CommandInput): Promise<string> {
	const keep = wholeNumber("/warp-prune", args) ?? KEPT_SNAPSHOTS;
	return renderSnapshotPruning(pruneSnapshots(live.engine.log, keep, { apply: true }));
}

export async function dropEvents({ live, args }: CommandInput): Promise<string> {
	const { archive, gzip, vacuum, ...options } = parseFlags(splitWords(args));
	const report = await pruneEvents(live.engine.log, live.engine.settings, {
		now: Date.now(),
		days: wholeNumber("--days", options.days),
		minEvents: wholeNumber("--min-events", options["min-events"]),
		archive,
		gzip,
		vacuum,
		apply: options.yes === true && options["dry-run"] !== true,
	});
	const lines = [...renderPrune(report)];
	if (!report.applied && report.events > 0) lines.push(DRY_RUN);
	return lines.join("\n");
}

export async function mapRepo({ live }: CommandInput): Promise<string> {
	const map = await mapRepository(live.engine.project.root, () => live.engine, live.session);
	return [...renderRepo(map, PLAIN)].join("\n");
}

function readState({ live }: CommandInput): StateView {
	return viewState(live.engine.stateFor(live.session), live.session.session);
}

function parseFlags(words: string[]) {
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
