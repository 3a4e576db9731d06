/**
 * What a read or a change of the model's own left on the disk, looked at as soon as the call is done: from then on the
 * model counts as knowing these bytes.
 */
import { applyPatch, reversePatch } from "diff";
import { sha256 } from "../hash/sha256.ts";
import { asObject, asText } from "../json/read.ts";
import type { ResultBlock } from "../message/view.ts";
import { type Change, changesBy } from "../session/derive-change.ts";
import { findShownSlice } from "../session/derive-read.ts";
import { plainText } from "../text/line-ends.ts";
import { classOf, locate, lookAt, type Target } from "./call.ts";
import { holdsText, sameStat } from "./compare.ts";
import { diffSince } from "./diff-since.ts";
import { type FileRecord, findRecord } from "./file-record.ts";
import type { World } from "./judge.ts";
import type { Aftermath } from "./look-again.ts";
import type { Digest, FileStat, GuardCall, GuardEvent } from "./types.ts";
import { changeEvent, faultEvent, refresh } from "./verdict.ts";

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
		const shown = findShownSlice({ tool: call.tool, class: "read", input: call.input }, result);
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
		const seen = changes.map((change) => observeFile(call, change, result, world));
		return { notes: seen.flatMap(({ notes }) => notes), events: seen.flatMap(({ events }) => events) };
	} catch (error) {
		return { notes: [], events: [faultEvent(call, "guard.observe", error, world.now)] };
	}
}

function observeFile(call: GuardCall, change: Change, result: ResultBlock, world: World): Aftermath {
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
	const note = findOtherWriter({ call, change, result, record, target, digest }, world);
	if (note === undefined) return { notes: [], events };
	const other = changeEvent(call, named.path, {
		look: { digest, real },
		diff: undefined,
		actor: "other",
		now: world.now,
	});
	return { notes: [note], events: [other, ...events] };
}

interface Written {
	readonly call: GuardCall;
	readonly change: Change;
	readonly result: ResultBlock;
	/** What was known before the call. */
	readonly record: FileRecord | undefined;
	readonly target: Target;
	readonly digest: Extract<Digest, { readonly kind: "digest" }>;
}

/**
 * A remark when somebody else has written the file between the check of a call and its end. A file that was written must
 * be what the call said; an edited one, with the edit taken back, must be what the model knew. Where neither can be
 * computed, nothing is said.
 */
function findOtherWriter(written: Written, world: World): string | undefined {
	return written.change.kind === "write" ? checkWritten(written) : checkEdited(written, world);
}

function checkWritten({ call, target, digest }: Written): string | undefined {
	const content = asText(call.input["content"]);
	if (content === undefined || sha256(content) === digest.hash) return undefined;
	if (sha256(plainText(content)) === digest.textHash) return undefined;
	return `${target.path} is not what this call wrote: a formatter, or somebody else, has written it since then. Read it again before you edit it.`;
}

function checkEdited({ call, change, result, record, target }: Written, world: World): string | undefined {
	// Passed although it had changed, and the model was told so already.
	const warned = world.state.verdicts.recent.some(({ callId, rule }) => callId === call.callId && rule === "unchanged");
	if (!record?.hash || warned || !change.hunks || !saysWhere(result)) return undefined;
	const content = world.files.read(target.absolute);
	if (content.kind !== "bytes") return undefined;
	const before = undoEdit(plainText(content.bytes.toString("utf8")), change);
	if (before === undefined || sha256(before) === (record.textHash ?? record.hash)) return undefined;
	const base = world.base?.(record, call);
	const diff = base && diffSince(target.path, base, before);
	const size = diff ? ` (+${diff.added}/−${diff.removed})` : "";
	return `While this call ran, somebody else changed ${target.path} too${size}. Read it again before you edit it.`;
}

/** Hunks made from the arguments alone have no line numbers of the real file. */
function saysWhere(result: ResultBlock): boolean {
	const details = asObject(result.details);
	return ["patch", "diff", "structuredPatch", "originalFile"].some((key) => details?.[key] !== undefined);
}

function undoEdit(text: string, change: Change): string | undefined {
	try {
		const patch = {
			oldFileName: "",
			newFileName: "",
			oldHeader: undefined,
			newHeader: undefined,
			hunks: [...change.hunks!],
		};
		const before = applyPatch(text, reversePatch(patch));
		return before === false ? undefined : before;
	} catch {
		return undefined;
	}
}
