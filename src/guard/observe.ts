/**
 * What a read or a change of the model's own left on the disk, looked at as soon as the call is done: from then on the
 * model counts as knowing these bytes.
 */

import type { ResultBlock } from "../message/view.ts";
import { type Change, changesBy } from "../session/derive-change.ts";
import { shownBy } from "../session/derive-read.ts";
import { locate, lookAt } from "./call-path.ts";
import { changeEvent } from "./change-event.ts";
import { faultEvent } from "./fault.ts";
import { findRecord } from "./file-record.ts";
import type { World } from "./judge.ts";
import type { Aftermath } from "./look-again.ts";
import { otherWriter } from "./other-writer.ts";
import { holdsText } from "./slice.ts";
import { sameStat } from "./stat.ts";
import { classOf } from "./tool-class.ts";
import type { FileStat, GuardCall, GuardEvent } from "./types.ts";
import { refresh } from "./verdict.ts";

const NOTHING: Aftermath = { notes: [], events: [] };

/**
 * After a read. `before` is the stat from when the call began: equal to that of now, what the tool read is what is there.
 * Without it, or where it is another one, the text that was shown must stand where it is said to stand; if it does not,
 * nothing is claimed.
 */
export function observeRead(
	call: GuardCall,
	result: ResultBlock,
	before: FileStat | undefined,
	world: World,
): Aftermath {
	try {
		const shown = shownBy({ tool: call.tool, class: "read", input: call.input }, result);
		if (!shown || result.isError) return NOTHING;
		const named = locate(shown.path, call.cwd);
		const { target } = lookAt(named, world.files, call.cwd);
		const digest = world.files.digest(target.absolute);
		if (digest.kind !== "digest") return NOTHING;
		if (!before || !sameStat(before, digest.stat)) {
			const content = world.files.read(target.absolute);
			if (content.kind !== "bytes" || !holdsText(content.bytes.toString("utf8"), shown.from, shown.text))
				return NOTHING;
		}
		const real = world.files.realpath(target.absolute);
		const of = { why: "read", reason: "read", mode: world.settings.policyMode, now: world.now } as const;
		return { notes: [], events: [refresh(call, named, { digest, real }, of)] };
	} catch (error) {
		return { notes: [], events: [faultEvent(call, "guard.observe", error, world.now)] };
	}
}

/** After a change that succeeded. When somebody else wrote at the same time, the model is told. */
export function observeChange(call: GuardCall, result: ResultBlock, world: World): Aftermath {
	try {
		const changes = changesBy({ tool: call.tool, class: classOf(call, world.settings), input: call.input }, result);
		const seen = changes.map((change) => observed(call, change, result, world));
		return { notes: seen.flatMap(({ notes }) => notes), events: seen.flatMap(({ events }) => events) };
	} catch (error) {
		return { notes: [], events: [faultEvent(call, "guard.observe", error, world.now)] };
	}
}

function observed(call: GuardCall, change: Change, result: ResultBlock, world: World): Aftermath {
	if (change.kind === "delete") return NOTHING;
	const named = locate(change.path, call.cwd);
	const { target } = lookAt(named, world.files, call.cwd);
	const digest = world.files.digest(target.absolute);
	if (digest.kind !== "digest") return NOTHING;
	const real = world.files.realpath(target.absolute);
	const of = {
		why: "change",
		reason: "changed by this call",
		mode: world.settings.policyMode,
		now: world.now,
	} as const;
	const events: GuardEvent[] = [refresh(call, named, { digest, real }, of)];

	const record = findRecord(world.state.files, call, named.path) ?? findRecord(world.state.files, call, "", real ?? "");
	const note = otherWriter({ call, change, result, record, target, digest }, world);
	if (note === undefined) return { notes: [], events };
	const other = changeEvent(call, named.path, {
		look: { digest, real },
		diff: undefined,
		actor: "other",
		now: world.now,
	});
	return { notes: [note], events: [other, ...events] };
}
