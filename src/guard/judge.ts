/**
 * May this call change this file? It may when the model knows the bytes that are there: they were read, not too long
 * ago, and are the same now. The order is fixed: not read, too old, stat equal, bytes equal, else changed. It reads the
 * disk and the state and changes neither; what should be remembered comes back as events. In doubt, the call passes.
 */

import { newestFirst } from "../fold/keyed.ts";
import { editsOf } from "../session/derive-change.ts";
import { changesFiles } from "../session/tool-class.ts";
import { isBinary, plainText } from "../text/line-ends.ts";
import type { BaseSource } from "./base-text.ts";
import { classOf, findKnownFile, lookAt, type Target, targetsOf } from "./call.ts";
import { type Comparison, compare } from "./compare.ts";
import { type DiffSince, diffSince } from "./diff-since.ts";
import { type FileRecord, type GuardedFiles, sessionKey } from "./file-record.ts";
import {
	sayChanged,
	sayNotCompared,
	sayNotRead,
	sayTooOld,
	sayUnseenEdit,
	sayUnseenOverwrite,
	sayUnseenReplaceAll,
} from "./reason.ts";
import { covers, isWhole, type LineRange, missing, sayLines } from "./shown-lines.ts";
import { type FilePort, type GuardCall, type GuardSettings, type Outcome, PASS } from "./types.ts";
import { changeEvent, faultEvent, inputHash, type Judging, lookOf, object, refresh, warn } from "./verdict.ts";
import type { VerdictState } from "./verdict-fold.ts";

/** All that a judgement rests on. */
export interface World {
	readonly state: { readonly files: GuardedFiles; readonly verdicts: VerdictState };
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
		return joinOutcomes(targets.map((target) => judgeFile(call, target, world)));
	} catch (error) {
		return { ...PASS, events: [faultEvent(call, "guard.judge", error, world.now)] };
	}
}

/** One file that may not be changed stops the call; else everything that was said of its files counts. */
export function joinOutcomes(outcomes: readonly Outcome[]): Outcome {
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
	const record = findKnownFile(world.state.files, call, target, look.stat, world.files);
	if (!record) {
		if (look.stat.size === 0) return PASS;
		return object(call, { rule: "read-first", reason: sayNotRead(target.path), target }, world);
	}
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
			return passSame(call, target, record, comparison, world);
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

function passSame(
	call: GuardCall,
	target: Target,
	record: FileRecord,
	same: { readonly digest: Of<"refresh">["digest"]; readonly proof: keyof typeof SAME_BY },
	world: World,
): Outcome {
	const look = { digest: same.digest, real: world.files.realpath(target.absolute) };
	const mode = world.settings.policyMode;
	const event = refresh(call, target, look, { why: "same", reason: SAME_BY[same.proof], mode, now: world.now });
	return joinOutcomes([{ ...PASS, events: [event] }, objectToUnseen(call, target, record, world) ?? PASS]);
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
		return passSame(call, target, record, { digest, proof: "diff" }, world);
	}
	const real = world.files.realpath(target.absolute);
	const diff = diffOf(call, target, record, world);
	const reason = sayChanged(target.path, record.seq, findWriter(call, digest.hash, real, world), diff);
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
function findWriter(call: GuardCall, hash: string, real: string | undefined, world: World): string | undefined {
	if (real === undefined) return undefined;
	for (const [key, session] of newestFirst(world.state.files.sessions)) {
		if (key === sessionKey(call)) continue;
		const theirs = session.files.items[`k${real}`];
		if (theirs?.by === "change" && theirs.hash === hash) return `another session (${key}, #${theirs.seq})`;
	}
	return undefined;
}

const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;
const MOST_PLACES = 1_000;

/** An edit in lines that the model was never shown: fine where the old text names one place, with a remark. */
function objectToUnseen(
	call: GuardCall,
	target: Target,
	record: FileRecord,
	world: Judging & { readonly files: FilePort },
): Outcome | undefined {
	// Nothing shown at all means that it is not known which lines were: there is no reason for a remark.
	if (isWhole(record.shown) || record.shown.length === 0) return undefined;
	const { policyMode } = world.settings;
	const of = classOf(call, world.settings);
	if (of !== "edit" && of !== "write") return undefined;
	const content = world.files.read(target.absolute);
	if (content.kind !== "bytes" || content.bytes.length > MAX_SEARCHED_BYTES || isBinary(content.bytes))
		return undefined;
	const text = plainText(content.bytes.toString("utf8"));
	const say = (reason: string) => ({ rule: "lines-shown", reason, target }) as const;
	if (of === "write") {
		const unseen = missing(record.shown, text.split("\n").length - (text.endsWith("\n") ? 1 : 0));
		if (unseen.length === 0) return undefined;
		return warn(call, say(sayUnseenOverwrite(target.path, sayLines(unseen))), policyMode, world.now);
	}
	const unseen: LineRange[] = [];
	for (const edit of editsOf(call.input)) {
		const places = findPlaces(text, plainText(edit.before));
		const hidden = places.filter(([from, to]) => !covers(record.shown, from, to ?? from));
		// More places than one, and not meant so: the tool refuses it by itself.
		if (hidden.length === 0 || (places.length > 1 && !edit.all)) continue;
		if (places.length > 1) {
			return object(call, say(sayUnseenReplaceAll(target.path, sayLines(hidden))), world);
		}
		unseen.push(...hidden);
	}
	if (unseen.length === 0) return undefined;
	return warn(call, say(sayUnseenEdit(target.path, sayLines(unseen))), policyMode, world.now);
}

/** The lines of each occurrence. */
function findPlaces(text: string, part: string): LineRange[] {
	if (part === "") return [];
	const height = part.split("\n").length - (part.endsWith("\n") ? 2 : 1);
	const places: LineRange[] = [];
	let line = 1;
	let from = 0;
	for (
		let at = text.indexOf(part);
		at !== -1 && places.length < MOST_PLACES;
		at = text.indexOf(part, at + part.length)
	) {
		for (let next = text.indexOf("\n", from); next !== -1 && next < at; next = text.indexOf("\n", next + 1)) {
			line++;
			from = next + 1;
		}
		places.push([line, line + height]);
	}
	return places;
}
