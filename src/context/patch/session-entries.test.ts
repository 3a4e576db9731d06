import assert from "node:assert/strict";
import { test } from "node:test";
import { userMessage } from "../../../test/rig/envelope-message.ts";
import { makeEnvelope } from "../envelope/envelope.ts";
import { type ReplayItem, replay } from "./replay.ts";
import { readEntry, toEntry, toEphemeralEntry, toPiEntry } from "./session-entries.ts";
import { makeTransform } from "./transform.ts";

const transform = makeTransform(
	"turn_end",
	"redact",
	[
		{
			op: "item_replace",
			scope: "cached",
			id: "a",
			message: { role: "user", content: "[gone]" },
			invalidateCacheReason: "redact secrets",
		},
	],
	{ display: { title: "Redaction" } },
);

test("a transform becomes a context_transform entry and is read back, also through Pi's custom entries", () => {
	const entry = toEntry(transform, Date.UTC(2026, 0, 5));
	assert.deepEqual(entry, {
		type: "context_transform",
		schemaVersion: 1,
		transformerName: "redact",
		timestamp: "2026-01-05T00:00:00.000Z",
		patch: transform.patch,
		display: { title: "Redaction" },
		reason: "turn_end",
	});
	assert.deepEqual(readEntry(entry), transform);
	const { customType, data } = toPiEntry(entry);
	assert.equal(customType, "context_transform");
	assert.deepEqual(readEntry({ type: "custom", id: "e1", parentId: null, customType, data }), transform);
});

test("an entry of the document, which names no boundary, is read as durable", () => {
	const { reason: _, ...entry } = toEntry(transform, 0);
	assert.deepEqual(readEntry(entry), { ...transform, reason: "before_request" });
});

test("what was said once is noted and never read back", () => {
	const entry = toEphemeralEntry([{ id: "x", role: "user", content: "now", timestamp: 3 }], 0);
	assert.deepEqual(entry, {
		type: "ephemeral",
		timestamp: "1970-01-01T00:00:00.000Z",
		messages: [{ role: "user", content: "now", timestamp: 3 }],
	});
	assert.equal(readEntry(entry), undefined);
	assert.equal(readEntry({ type: "custom", ...toPiEntry(entry!) }), undefined);
	assert.equal(toEphemeralEntry([], 0), undefined);
});

test("an older compaction entry is read, and the same compaction written twice counts once", () => {
	const compaction = {
		type: "compaction",
		id: "c",
		timestamp: "2026-01-05T00:00:00Z",
		summary: "Was short.",
		firstKeptEntryId: "b",
		tokensBefore: 900,
	};
	const read = readEntry(compaction);
	assert.ok(read);
	const items: ReplayItem[] = [
		...["a", "b"].map((id): ReplayItem => ({ kind: "message", message: userMessage(id) })),
		{ kind: "transform", transform: read },
	];
	const { cached } = replay(makeEnvelope({}), items).envelope.messages;
	assert.deepEqual(
		cached.map((message) => [message.seed === true, message.id === "b"]),
		[
			[true, false],
			[false, true],
		],
	);
	assert.equal(readEntry(compaction, toEntry({ ...read, transformerName: "compaction" }, 0)), undefined);
	assert.ok(readEntry(compaction, toEntry(transform, 0)));
});

test("other entries, and what is no entry at all, hold no transform", () => {
	for (const entry of [
		null,
		1,
		"x",
		[],
		{},
		{ type: "label" },
		{ type: "custom", customType: "other", data: {} },
		{ type: "custom", customType: "context_transform" },
	]) {
		assert.equal(readEntry(entry), undefined);
	}
});

test("a damaged entry is read as far as it goes, and refused when it is applied", () => {
	const read = readEntry({ type: "context_transform", patch: [{ op: "nonsense" }] });
	assert.ok(read);
	assert.equal(replay(makeEnvelope({}), [{ kind: "transform", transform: read }]).skipped.length, 1);
});
