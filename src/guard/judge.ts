/**
 * May this call change this file? It may when the model knows the bytes that are there: they were read, not too long
 * ago, and are the same now. The order is fixed: not read, too old, stat equal, bytes equal, else changed. It reads the
 * disk and the state and changes neither; what should be remembered comes back as events. In doubt, the call passes.
 */

import { newestFirst } from "../fold/keyed.ts";
import { changesFiles } from "../session/tool-class.ts";
import type { BaseSource } from "./base-text.ts";
import { lookAt, type Target, targetsOf } from "./call-path.ts";
import { changeEvent } from "./change-event.ts";
import { type Comparison, compare } from "./compare.ts";
import { type DiffSince, diffSince } from "./diff-since.ts";
import { faultEvent } from "./fault.ts";
import { type FileRecord, type FileState, sessionKey } from "./file-record.ts";
import { fileKnown } from "./find-file.ts";
import { sayChanged, sayNotCompared, sayNotRead, sayTooOld } from "./reason.ts";
import { classOf } from "./tool-class.ts";
import { type FilePort, type GuardCall, type GuardSettings, type Outcome, PASS } from "./types.ts";
import { objectToUnseen } from "./unseen.ts";
import { inputHash, lookOf, object, refresh, warn } from "./verdict.ts";
import type { VerdictState } from "./verdict-fold.ts";

/** All that a judgement rests on. */
export interface World {
	readonly state: { readonly files: FileState; readonly verdicts: VerdictState };
	readonly files: FilePort;
	/** The text that a record stands for; left out: never known. */
	readonly base?: BaseSource;
	readonly settings: GuardSettings;
	/** ms since the epoch. */
	readonly now: number;
}

export function judge(call: GuardCall, world: World): Outcome {
	try {
		const of = classOf(call, world.settings);
		if (!changesFiles(of) || !world.settings.requireReadBeforeWrite) return PASS;
		const targets = targetsOf(call, of);
		if (targets.length === 1) return judgeFile(call, targets[0]!, world);
		return together(targets.map((target) => judgeFile(call, target, world)));
	} catch (error) {
		return { ...PASS, events: [faultEvent(call, "guard.judge", error, world.now)] };
	}
}

/** One file that may not be changed stops the call; else everything that was said of its files counts. */
export function together(outcomes: readonly Outcome[]): Outcome {
	const events = outcomes.flatMap((outcome) => outcome.events);
	const reasons = outcomes.flatMap((outcome) => (outcome.action === "block" ? [outcome.reason] : []));
	if (reasons.length > 0) return { action: "block", reason: reasons.join("\n\n"), events };
	const notes = outcomes.flatMap((outcome) => (outcome.action === "pass" ? outcome.notes : []));
	return { action: "pass", notes, events };
}

function judgeFile(call: GuardCall, named: Target, world: World): Outcome {
	const { settings, now } = world;
	const { look, target } = lookAt(named, world.files, call.cwd);
	// A new file may be written; a folder, or what we may not look at, is the tool's own affair.
	if (look.kind !== "file") return PASS;
	const found = fileKnown(world.state.files, call, target, look.stat, world.files);
	if (!found) {
		if (look.stat.size === 0) return PASS;
		return object(call, { rule: "read-first", reason: sayNotRead(target.path), target }, world);
	}
	const { record } = found;

	const age = now - record.ts;
	if (settings.maxReadAgeMs > 0 && age > settings.maxReadAgeMs) {
		const reason = sayTooOld(target.path, age, settings.maxReadAgeMs);
		return object(call, { rule: "read-age", reason, target }, world);
	}
	const comparison = compare(record, target.absolute, look.stat, world.files);
	switch (comparison.kind) {
		case "same":
			return objectToUnseen(call, target, record, world) ?? PASS;
		case "refresh":
			return refreshed(call, target, record, comparison, world);
		case "changed":
			return objectToChange(call, target, record, comparison, world);
		case "absent":
			return PASS;
		case "unknown": {
			const reason = sayNotCompared(target.path, comparison.why);
			return warn(call, { rule: "unchanged", reason, target }, settings.policyMode, now);
		}
	}
}

type Of<Kind extends Comparison["kind"]> = Extract<Comparison, { readonly kind: Kind }>;

const SAME_BY = {
	bytes: "the bytes are the same",
	"line ends": "only line ends are different",
	time: "not changed since then",
	lines: "every line that was shown is the same",
	diff: "the block before has shown what changed",
} as const;

function refreshed(
	call: GuardCall,
	target: Target,
	record: FileRecord,
	same: { readonly digest: Of<"refresh">["digest"]; readonly proof: keyof typeof SAME_BY },
	world: World,
): Outcome {
	const look = { digest: same.digest, real: world.files.realpath(target.absolute) };
	const mode = world.settings.policyMode;
	const event = refresh(call, target, look, { why: "same", reason: SAME_BY[same.proof], mode, now: world.now });
	return together([{ ...PASS, events: [event] }, objectToUnseen(call, target, record, world) ?? PASS]);
}

function objectToChange(
	call: GuardCall,
	target: Target,
	record: FileRecord,
	{ digest }: Of<"changed">,
	world: World,
): Outcome {
	const input = inputHash(call.input);
	if (record.diff?.hash === digest.hash && record.diff.input !== input) {
		return refreshed(call, target, record, { digest, proof: "diff" }, world);
	}
	const real = world.files.realpath(target.absolute);
	const diff = diffOf(call, target, record, world);
	const reason = sayChanged(target.path, record.seq, writer(call, digest.hash, real, world), diff);
	const found = { ...lookOf(digest, real), inputHash: input, diffShown: diff?.complete === true };
	const objected = object(call, { rule: "unchanged", reason, target, found }, world);
	if (record.told?.hash === digest.hash) return objected;
	const change = changeEvent(call, record.path, { look: { digest, real }, diff, actor: "other", now: world.now });
	return { ...objected, events: [change, ...objected.events] };
}

function diffOf(call: GuardCall, target: Target, record: FileRecord, world: World): DiffSince | undefined {
	const base = world.base?.(record, call);
	const content = base && world.files.read(target.absolute);
	if (!base || content?.kind !== "bytes") return undefined;
	return diffSince(target.path, base, content.bytes.toString("utf8"));
}

/** Another session of the project that left the file as it is now. */
function writer(call: GuardCall, hash: string, real: string | undefined, world: World): string | undefined {
	if (real === undefined) return undefined;
	for (const [key, session] of newestFirst(world.state.files.sessions)) {
		if (key === sessionKey(call)) continue;
		const theirs = session.files.items[`k${real}`];
		if (theirs?.by === "change" && theirs.hash === hash) return `another session (${key}, #${theirs.seq})`;
	}
	return undefined;
}
