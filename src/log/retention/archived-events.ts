/** Pruned events, read from the log's archives for questions about the past: only those that the chain proves. */
import { EngineError } from "../../base/error/engine-error.ts";
import { checked } from "../event/check.ts";
import type { AnyPayload, EventRecord } from "../event/types.ts";
import type { Log } from "../log.ts";
import { hashArchive } from "./archive.ts";
import { placeArchive } from "./archive-proof.ts";
import { countPruned, prunedParts } from "./prune-history.ts";

export interface Archived {
	/** The wanted events, by seq. */
	readonly events: ReadonlyMap<number, EventRecord>;
	/** The archives that gave them. */
	readonly files: readonly string[];
	/** Problems of missing or damaged archives, in sentences. */
	readonly problems: readonly string[];
	/** True: every pruned event up to `upTo` was found and proved. */
	readonly isWhole: boolean;
}

export interface ArchivedQuery {
	/** Only events up to this seq. */
	readonly upTo?: number | undefined;
	readonly wanted?: ((record: EventRecord) => boolean) | undefined;
}

const MAX_PROBLEMS = 10;

export async function readArchived(log: Log, query: ArchivedQuery = {}): Promise<Archived> {
	const { upTo = Number.MAX_SAFE_INTEGER, wanted = () => true } = query;
	const gone = countPruned(log, upTo);
	const paths = new Set(prunedParts(log).flatMap(({ first, archive }) => (first <= upTo ? [archive] : [])));
	const events = new Map<number, EventRecord>();
	const proved = new Set<number>();
	const files: string[] = [];
	const problems: string[] = [];
	for (const path of gone === 0 ? [] : paths) {
		const before = events.size;
		try {
			for await (const placed of placeArchive(log, path)) {
				if (placed.kind === "refused" && problems.length < MAX_PROBLEMS) {
					problems.push(`${path}:${placed.line}: ${placed.what} cannot be used: ${placed.reason}.`);
				}
				for (const stored of placed.kind === "proved" ? placed.events : []) {
					if (stored.seq > upTo || proved.has(stored.seq)) continue;
					proved.add(stored.seq);
					const { text, hash: _, ...fields } = stored;
					const record = checked({ ...fields, payload: JSON.parse(text) as AnyPayload });
					if (wanted(record)) events.set(record.seq, record);
				}
			}
		} catch (error) {
			if (problems.length < MAX_PROBLEMS) problems.push((error as Error).message);
		}
		if (events.size > before) files.push(path);
	}
	return { events, files, problems, isWhole: proved.size === gone };
}

export interface ArchiveCheck {
	readonly archive: string;
	/** Events that were moved into it. */
	readonly events: number;
	readonly state: "whole" | "missing" | "changed";
}

/** Checks every archive that the log names. None is needed once all events were restored. */
export async function checkArchives(log: Log): Promise<ArchiveCheck[]> {
	if (countPruned(log) === 0) return [];
	const archives = new Map<string, { events: number; hash: string }>();
	for (const { archive, events, hash } of prunedParts(log)) {
		archives.set(archive, { events: events + (archives.get(archive)?.events ?? 0), hash });
	}
	const checks: ArchiveCheck[] = [];
	for (const [archive, { events, hash }] of archives) {
		checks.push({ archive, events, state: await stateOf(archive, hash) });
	}
	return checks;
}

async function stateOf(archive: string, hash: string): Promise<ArchiveCheck["state"]> {
	try {
		return (await hashArchive(archive)) === hash ? "whole" : "changed";
	} catch (error) {
		return error instanceof EngineError && error.code === "not-found" ? "missing" : "changed";
	}
}
