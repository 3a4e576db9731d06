/**
 * Transforms as entries of a session file: `context_transform` for lasting ones, `ephemeral` as a record of a message
 * for one request, never replayed. Pi keeps unknown entries as `custom` ones, with this name as customType. Older
 * `compaction` entries are read as transforms.
 */
import { asName, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import type { EnvelopeMessage } from "../envelope/envelope.ts";
import type { Display } from "../handler/handler.ts";
import type { ContextPatchOp } from "./operation.ts";
import { makeTransform, readTransform, type Transform, type TransformReason } from "./transform.ts";

export interface ContextTransformEntry {
	readonly type: "context_transform";
	readonly schemaVersion: number;
	readonly transformerName: string;
	/** ISO 8601. */
	readonly timestamp: string;
	readonly patch: readonly ContextPatchOp[];
	readonly display?: Display | undefined;
	/** Ours: the boundary, which the document's entry leaves out. */
	readonly reason?: TransformReason;
	/** Ours: its name in the log, so that it is stored once. */
	readonly name?: string;
}

export interface EphemeralEntry {
	readonly type: "ephemeral";
	readonly timestamp: string;
	readonly messages: readonly Omit<EnvelopeMessage, "id">[];
}

export function toEntry(transform: Transform, now: number): ContextTransformEntry {
	const { schemaVersion, transformerName, patch, display, reason } = transform;
	const timestamp = new Date(now).toISOString();
	return { type: "context_transform", schemaVersion, transformerName, timestamp, patch, reason, display };
}

/** The uncached messages of a request; undefined: there are none, so no entry is written. */
export function toEphemeralEntry(uncached: readonly EnvelopeMessage[], now: number): EphemeralEntry | undefined {
	if (uncached.length === 0) return undefined;
	const messages = uncached.map(({ id: _, ...message }) => message);
	return { type: "ephemeral", timestamp: new Date(now).toISOString(), messages };
}

/** As data of a Pi entry: `pi.appendEntry(customType, data)`. */
export function toPiEntry(entry: ContextTransformEntry | EphemeralEntry): { customType: string; data: object } {
	const { type, ...data } = entry;
	return { customType: type, data };
}

/**
 * The transform in an entry; undefined: it has none. `parent` is the entry before it: a compaction written twice, for
 * older readers, counts once.
 */
export function readEntry(entry: unknown, parent?: unknown): Transform | undefined {
	const object = asObject(entry);
	if (!object) return undefined;
	const data = transformData(object);
	if (data) return readTransform(data);
	if (object["type"] !== "compaction" || isCompactionTransform(parent)) return undefined;
	return readCompaction(object);
}

/** The name of an entry's transform in our log. */
export function transformName(entry: unknown): string | undefined {
	return asName(transformData(asObject(entry) ?? {})?.["name"]);
}

function transformData(entry: JsonObject): JsonObject | undefined {
	if (entry["type"] === "context_transform") return entry;
	return entry["type"] === "custom" && entry["customType"] === "context_transform"
		? asObject(entry["data"])
		: undefined;
}

function isCompactionTransform(parent: unknown): boolean {
	const data = transformData(asObject(parent) ?? {});
	return data !== undefined && data["transformerName"] === "compaction";
}

function readCompaction(entry: JsonObject): Transform {
	const firstKept = asName(entry["firstKeptEntryId"]) ?? null;
	const time = Date.parse(asText(entry["timestamp"]) ?? "");
	return makeTransform("compaction", "compaction", [
		{
			op: "compaction_apply",
			scope: "cached",
			summary: asText(entry["summary"]) ?? "",
			timestamp: Number.isNaN(time) ? 0 : time,
			firstKeptMessageId: firstKept,
			tokensBefore: asNumber(entry["tokensBefore"]) ?? 0,
			invalidateCacheReason: "compaction",
		},
	]);
}
