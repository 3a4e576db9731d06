/**
 * After a call that may have changed anything: which of the files that the session knows are different now? What changed
 * while the call ran is its doing; what changed before, somebody else's. Bounded: the files known most recently.
 */
import { getRecent, newestFirst } from "../fold/keyed.ts";
import { classOf, locate } from "./call.ts";
import { changedAfter, compare } from "./compare.ts";
import { type DiffSince, diffSince } from "./diff-since.ts";
import { type FileRecord, sessionKey } from "./file-record.ts";
import type { World } from "./judge.ts";
import type { GuardCall, GuardEvent } from "./types.ts";
import { changeEvent, faultEvent, refresh } from "./verdict.ts";

export interface Aftermath {
	/** Remarks to be added to the call's result. */
	readonly notes: readonly string[];
	readonly events: readonly GuardEvent[];
}

const MOST_FILES = 64;
const MOST_NAMED = 8;

export interface Ran {
	/** When the call began, ms since the epoch. */
	readonly startedAt: number;
}

export function lookAgain(call: GuardCall, ran: Ran, world: World): Aftermath {
	try {
		const changes: Change[] = [];
		const events: GuardEvent[] = [];
		for (const record of trackedFiles(call, world)) {
			const found = lookAtFile(call, record, ran, world);
			if (found?.kind === "same") events.push(found.event);
			else if (found) {
				changes.push(found);
				events.push(found.event);
			}
		}
		return { notes: notesOf(changes), events };
	} catch (error) {
		return { notes: [], events: [faultEvent(call, "guard.look-again", error, world.now)] };
	}
}

interface Change {
	readonly kind: "changed" | "deleted";
	readonly path: string;
	readonly by: "own" | "other";
	readonly diff: DiffSince | undefined;
	readonly event: GuardEvent;
}

function* trackedFiles(call: GuardCall, { state }: World): Generator<FileRecord> {
	const session = getRecent(state.files.sessions, sessionKey(call));
	if (!session) return;
	let looked = 0;
	for (const [, record] of newestFirst(session.files)) {
		if (++looked > MOST_FILES) return;
		yield record;
	}
}

function lookAtFile(
	call: GuardCall,
	record: FileRecord,
	ran: Ran,
	world: World,
): Change | { readonly kind: "same"; readonly event: GuardEvent } | undefined {
	const { files, now } = world;
	const target = locate(record.path, call.cwd);
	const look = files.stat(target.absolute);
	if (look.kind === "absent") return findDeleted(call, record, world);
	if (look.kind !== "file") return undefined;
	const comparison = compare(record, target.absolute, look.stat, files);
	if (comparison.kind === "refresh") {
		const real = files.realpath(target.absolute);
		const of = { why: "same", reason: "looked at again", mode: world.settings.policyMode, now } as const;
		return {
			kind: "same",
			event: refresh(call, locate(record.path, call.cwd), { digest: comparison.digest, real }, of),
		};
	}
	if (comparison.kind !== "changed" || record.told?.hash === comparison.digest.hash) return undefined;
	const { digest } = comparison;
	const by = changedAfter(digest.stat, ran.startedAt) ? "own" : "other";
	const base = world.base?.(record, call);
	const content = base && files.read(target.absolute);
	const diff =
		base && content?.kind === "bytes" ? diffSince(record.path, base, content.bytes.toString("utf8")) : undefined;
	const actor = by === "other" ? "other" : actorOf(call, world);
	const seen = { look: { digest, real: files.realpath(target.absolute) }, diff, actor, now } as const;
	return { kind: "changed", path: record.path, by, diff, event: changeEvent(call, record.path, seen) };
}

/** Nobody can tell when it was deleted: most likely by the call that just ran. */
function findDeleted(call: GuardCall, record: FileRecord, world: World): Change | undefined {
	// A file that only the transcript tells of may never have been on this disk.
	if (record.stat === null || (record.told !== null && record.told.hash === null)) return undefined;
	const event = changeEvent(call, record.path, { diff: undefined, actor: actorOf(call, world), now: world.now });
	return { kind: "deleted", path: record.path, by: "own", diff: undefined, event };
}

function actorOf(call: GuardCall, world: World): "shell" | "agent" {
	return classOf(call, world.settings) === "shell" ? "shell" : "agent";
}

function notesOf(changes: readonly Change[]): string[] {
	const own = changes.filter((change) => change.by === "own");
	const others = changes.filter((change) => change.by === "other");
	const notes: string[] = [];
	if (own.length > 0) notes.push(`Changed while this call ran: ${listChanges(own)}.`);
	if (others.length > 0) {
		notes.push(
			`Changed on disk by somebody else: ${listChanges(others)}. Read the parts that you need again before you edit them.`,
		);
	}
	return notes;
}

function listChanges(changes: readonly Change[]): string {
	const named = changes.slice(0, MOST_NAMED).map(({ path, kind, diff }) => {
		if (kind === "deleted") return `${path} (deleted)`;
		return diff ? `${path} (+${diff.added}/−${diff.removed})` : path;
	});
	const more = changes.length - named.length;
	return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
