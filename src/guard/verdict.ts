/** The guard's events: verdicts and their meaning for the call, changes found on disk, and its own failures. */

import { errorText } from "../base/error/error-text.ts";
import { sha256 } from "../base/hash/sha256.ts";
import { cutStart } from "../base/text/cut.ts";
import type { GivenPayload } from "../log/event/types.ts";
import type { Target } from "./call.ts";
import type { DiffSince } from "./diff-since.ts";
import { renderPassedAnyway } from "./reason.ts";
import type { LineRange } from "./shown-lines.ts";
import {
	type FileDigest,
	type GuardCall,
	type GuardEvent,
	type GuardRule,
	type GuardSettings,
	type Outcome,
	PASS,
	type VerdictPayload,
} from "./types.ts";
import { blocksInRow, type VerdictState } from "./verdict-fold.ts";

type PolicyMode = GuardSettings["policyMode"];

export interface Objection {
	readonly rule: GuardRule;
	readonly reason: string;
	readonly target?: Target;
	readonly found?: Partial<VerdictPayload>;
	/** How often it blocks before it only warns. */
	readonly blocks?: number;
}

/** The facts needed to object to a call. */
export interface Judging {
	readonly state: { readonly verdicts: VerdictState };
	readonly settings: Pick<GuardSettings, "policyMode" | "toolClasses">;
	readonly now: number;
}

const BLOCKS_BEFORE_WARNING = 2;

/** A block; the third in a row for the same reason passes with a warning, so that no agent is caught in a loop. */
export function object(call: GuardCall, objection: Objection, { state, settings, now }: Judging): Outcome {
	const { rule, target, found, blocks = BLOCKS_BEFORE_WARNING } = objection;
	const before = blocksInRow(state.verdicts, call, { path: target?.path, rule, hash: found?.hash });
	if (before < blocks) return block(call, objection, settings.policyMode, now);
	return warn(call, { ...objection, reason: renderPassedAnyway(objection.reason) }, settings.policyMode, now);
}

/** When enforced, the call does not run; when reported, it runs as if there were no objection. */
function block(call: GuardCall, objection: Objection, mode: PolicyMode, now: number): Outcome {
	const events = [verdict(call, "block", objection, mode, now)];
	return mode === "enforce" ? { action: "block", reason: objection.reason, events } : { ...PASS, events };
}

export function warn(call: GuardCall, objection: Objection, mode: PolicyMode, now: number): Outcome {
	const events = [verdict(call, "warn", objection, mode, now)];
	return { action: "pass", notes: mode === "enforce" ? [objection.reason] : [], events };
}

/** From now on the model counts as knowing these bytes. */
export function refresh(
	call: GuardCall,
	target: Target,
	look: { readonly digest: FileDigest; readonly real: string | undefined },
	of: {
		readonly why: NonNullable<VerdictPayload["why"]>;
		readonly reason: string;
		readonly mode: PolicyMode;
		readonly now: number;
		/** Lines that the model has been shown; left out: as before. */
		readonly shown?: readonly LineRange[] | undefined;
		/** Lines changed and not shown; left out: as before, or none where the bytes differ. */
		readonly unread?: readonly LineRange[] | undefined;
	},
): GuardEvent {
	const shown = of.shown?.map(([from, to]): [number, number | null] => [from, to]);
	const unread = of.unread?.map(([from, to]): [number, number | null] => [from, to]);
	const found = { ...lookOf(look.digest, look.real), lines: look.digest.lines, why: of.why, shown, unread };
	return verdict(call, "refresh", { rule: "unchanged", reason: of.reason, target, found }, of.mode, of.now);
}

/** The disk's answer, as events hold it. */
export function lookOf(digest: FileDigest, real: string | undefined) {
	return {
		hash: digest.hash,
		textHash: digest.textHash === digest.hash ? undefined : digest.textHash,
		stat: digest.stat,
		real,
	};
}

/** A hash of the arguments in 16 hex digits, independent of the order of keys. */
export function inputHash(input: unknown): string {
	return sha256(JSON.stringify(sorted(input)) ?? "").slice(0, 16);
}

function verdict(
	call: GuardCall,
	said: VerdictPayload["verdict"],
	{ rule, reason, target, found }: Objection,
	mode: PolicyMode,
	now: number,
): GuardEvent {
	const payload: VerdictPayload = {
		verdict: said,
		rule,
		mode,
		reason,
		path: target?.path,
		tool: call.tool,
		callId: call.callId,
		...found,
	};
	return { type: "Verdict", session: call.session, host: call.host, ts: now, payload };
}

const DEEPEST_LEVEL = 32;

function sorted(value: unknown, level = 0): unknown {
	if (value === null || typeof value !== "object" || level > DEEPEST_LEVEL) return level > DEEPEST_LEVEL ? null : value;
	if (Array.isArray(value)) return value.map((item) => sorted(item, level + 1));
	const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
	return Object.fromEntries(fields.map(([key, field]) => [key, sorted(field, level + 1)]));
}

export interface SeenChange {
	readonly kind?: "edit" | "write";
	/** The file now; left out: it is gone. */
	readonly look?: { readonly digest: FileDigest; readonly real: string | undefined };
	readonly diff: Pick<DiffSince, "added" | "removed" | "whole"> | undefined;
	readonly actor: GivenPayload<"FileChanged">["actor"];
	readonly now: number;
}

/** A change found on disk. If the old text is unknown, so are the removed lines. */
export function changeEvent(
	call: GuardCall,
	path: string,
	{ look, diff, actor, now, kind = "edit" }: SeenChange,
): GuardEvent {
	const payload: GivenPayload<"FileChanged"> = {
		path,
		kind: look ? kind : "delete",
		added: diff?.added ?? 0,
		removed: diff?.removed ?? null,
		diff: diff?.whole,
		actor,
		...(look && lookOf(look.digest, look.real)),
		...(actor !== "other" && { tool: call.tool, callId: call.callId }),
	};
	return { type: "FileChanged", session: call.session, host: call.host, ts: now, payload };
}

const MAX_MESSAGE_CHARS = 500;

/** A failure of the guard itself: the call passes, and this event records it. */
export function faultEvent(call: GuardCall, where: string, error: unknown, now: number): GuardEvent {
	const code = String((error as { code?: unknown } | null)?.code ?? (error instanceof Error ? error.name : "unknown"));
	const message = cutStart(errorText(error), MAX_MESSAGE_CHARS).toWellFormed();
	return { type: "Fault", session: call.session, host: call.host, ts: now, payload: { where, code, message } };
}
