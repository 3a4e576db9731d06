/** A project's memory for the inspector: its files with the source of each fact, the last writes, and the last recalls. */

import { asList, asObject, asText } from "../base/json/read.ts";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { estimateTokens } from "../base/tokens/estimate.ts";
import { RECALL_NAME } from "../context/recall-patch.ts";
import type { Engine } from "../engine.ts";
import { isA } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { USER_TAG } from "../state/memory/recall-tags.ts";
import { type BulletView, type MemoryView, viewMemory } from "./memory.ts";

export interface MemoryFact extends BulletView {
	/** Handle of the event that wrote it; null: weft has not seen it yet. */
	readonly written: string | null;
	/** Handle of its source. */
	readonly source: string | null;
	readonly ts: number | null;
}

export interface MemoryWriteRow {
	readonly handle: string;
	readonly ts: number;
	readonly file: string;
	readonly revision: number;
	readonly why: string;
	readonly ops: readonly {
		readonly op: string;
		readonly id: string;
		readonly section: string;
		readonly text: string;
	}[];
}

export interface MemoryRecall {
	readonly handle: string;
	readonly ts: number;
	/** The message that it was added before. */
	readonly before: string | null;
	readonly text: string;
	readonly tokens: number;
}

export interface MemoryPage extends Omit<MemoryView, "files"> {
	readonly files: readonly {
		readonly file: string;
		readonly path: string;
		readonly revision: number;
		readonly tokens: number;
		readonly bullets: readonly MemoryFact[];
	}[];
	/** The newest first. */
	readonly writes: readonly MemoryWriteRow[];
	/** Recalls of the session, the newest first. */
	readonly recalls: readonly MemoryRecall[];
}

const MAX_WRITES = 30;
const MAX_RECALLS = 30;
const MAX_TEXT_CHARS = 4_000;

export function viewMemoryPage(engine: Engine, session: SessionRef): MemoryPage {
	const view = viewMemory(engine, session);
	const origins = originsOf(engine);
	return {
		...view,
		files: view.files.map(({ bullets, ...file }) => ({
			...file,
			tokens: bullets.reduce((sum, { text }) => sum + estimateTokens(text), 0),
			bullets: bullets.map((bullet) => ({ ...bullet, ...(origins.get(bullet.id) ?? UNKNOWN) })),
		})),
		writes: writesOf(engine),
		recalls: recallsOf(engine, session),
	};
}

const UNKNOWN = { written: null, source: null, ts: null } as const;

/** By a fact's id: the newest write that brought it. */
function originsOf({ log }: Engine): Map<string, Pick<MemoryFact, "written" | "source" | "ts">> {
	const origins = new Map<string, Pick<MemoryFact, "written" | "source" | "ts">>();
	for (const record of log.read({ types: ["MemoryWrite"] })) {
		if (!isA(record, "MemoryWrite")) continue;
		for (const { op, id, source } of record.payload.ops) {
			if (op === "add" || op === "supersede")
				origins.set(id, { written: handleOf(record), source: source ?? null, ts: record.ts });
		}
	}
	return origins;
}

function writesOf({ log }: Engine): MemoryWriteRow[] {
	return [...log.read({ types: ["MemoryWrite"], order: "newest", limit: MAX_WRITES })].flatMap((record) => {
		if (!isA(record, "MemoryWrite")) return [];
		const { file, revision, why, ops } = record.payload;
		return [
			{
				handle: handleOf(record),
				ts: record.ts,
				file,
				revision,
				why,
				ops: ops.map(({ op, id, section, text }) => ({ op, id, section: section ?? "", text: text ?? "" })),
			},
		];
	});
}

function recallsOf({ log }: Engine, { session, host }: SessionRef): MemoryRecall[] {
	const recalls: MemoryRecall[] = [];
	for (const record of log.read({ session, host, types: ["Transform"], order: "newest" })) {
		if (asText(record.payload["transformerName"]) !== RECALL_NAME) continue;
		const text = blockIn(record.payload);
		const before = record.cause === null ? null : (log.handleAt(record.cause) ?? null);
		recalls.push({
			handle: handleOf(record),
			ts: record.ts,
			before,
			text: cutWithEllipsis(text, MAX_TEXT_CHARS),
			tokens: estimateTokens(text),
		});
		if (recalls.length === MAX_RECALLS) break;
	}
	return recalls;
}

/** The recalled block comes before the user's words, in the message that replaces theirs. */
function blockIn(payload: Readonly<Record<string, unknown>>): string {
	const content = asObject(asObject(asList(payload["patch"])[0])?.["message"])?.["content"];
	const parts =
		typeof content === "string" ? [content] : asList(content).map((part) => asText(asObject(part)?.["text"]) ?? "");
	return parts.join("\n").split(`\n\n<${USER_TAG}>\n`)[0] ?? "";
}
