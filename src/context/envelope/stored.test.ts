import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { userMessage } from "../../../test/rig/envelope-message.ts";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { openEngine } from "../../engine.ts";
import { isA } from "../../log/event/types.ts";
import { ledgerFold } from "../cache/ledger.ts";
import { Handlers } from "../handler/handler.ts";
import { prepareRequest } from "../handler/pipeline.ts";
import { type ReplayItem, replay } from "../patch/replay.ts";
import { readTransform, toPayload } from "../patch/transform.ts";
import { segmentsOf } from "./bytes.ts";
import { makeEnvelope, makeManifest } from "./envelope.ts";

const folder = temporaryFolder();

const base = makeEnvelope({ systemParts: [{ name: "base", text: "You help." }] });

test("what is written to a log as Transform events replays to the hashes in the Request event", async () => {
	const handlers = new Handlers();
	handlers.api("notes").on("context", ({ reason, state }) => {
		const { cached } = state.envelope.messages;
		if (reason === "ephemeral") {
			return { patch: [{ op: "tail_set", scope: "uncached", messages: [{ role: "user", content: "now 🔥 \ud800" }] }] };
		}
		return {
			display: { title: "Note" },
			patch: [
				{
					op: "item_replace",
					scope: "cached",
					id: "a",
					message: { role: "user", content: "redacted" },
					invalidateCacheReason: "redact",
				},
				{
					op: "messages_cached_replace",
					scope: "cached",
					messages: [...cached.slice(1), userMessage("n", "note")],
					invalidateCacheReason: "reorder",
				},
			],
		};
	});
	const items: ReplayItem[] = [userMessage("a", "secret"), userMessage("b", "検索")].map((message) => ({
		kind: "message",
		message,
	}));
	const beside = { signal: new AbortController().signal, now: 5 };
	const prepared = await prepareRequest({ request: "r1", base, items, handlers, beside });
	const segments = segmentsOf(prepared.envelope);

	const engine = openEngine({ cwd: folder, home: join(folder, "home"), host: "test", session: "s", env: {} });
	try {
		const { reasons } = prepared;
		engine.record([
			...prepared.transforms.map((each) => ({ type: "Transform", payload: toPayload(each) }) as const),
			{ type: "Request", payload: makeManifest({ request: "r1", segments, reasons, warm: false }), entry: "r1" },
		]);
		const records = [...engine.log.read()];
		const stored = records.filter(({ type }) => type === "Transform").map(({ payload }) => readTransform(payload));
		assert.deepEqual(stored, prepared.transforms);
		const replayed = replay(
			base,
			[...items, ...stored.map((transform): ReplayItem => ({ kind: "transform", transform }))],
			{ request: "r1" },
		);
		const request = records.find((record) => isA(record, "Request"))!;
		assert.deepEqual(
			segmentsOf(replayed.envelope).map(({ sha256 }) => sha256),
			(request.payload["segments"] as { sha256: string }[]).map(({ sha256 }) => sha256),
		);
		assert.equal(hashes(segmentsOf(replayed.envelope)), hashes(segments));
		const ledger = ledgerFold.initial();
		for (const record of records) ledgerFold.step(ledger, record);
		assert.equal(ledger.sessions["test s"]?.requests, 1);
	} finally {
		engine.close();
	}
});

test("a session goes on from its last durable envelope as it would from its beginning", async () => {
	const handlers = new Handlers();
	handlers.api("notes").on("context", ({ reason, state }) => {
		if (reason !== "before_request") return;
		const { cached } = state.envelope.messages;
		return {
			patch: [
				{
					op: "messages_cached_replace",
					scope: "cached",
					messages: [...cached, { role: "user", content: `note ${cached.length}` }],
				},
			],
		};
	});
	const beside = { signal: new AbortController().signal, now: 5 };
	const task: ReplayItem = { kind: "message", message: userMessage("a", "go") };
	const next: ReplayItem = { kind: "message", message: userMessage("b", "on") };
	const first = await prepareRequest({ request: "r1", base, items: [task], handlers, beside });
	const stored = first.transforms.map((transform): ReplayItem => ({ kind: "transform", transform }));
	const whole = await prepareRequest({ request: "r2", base, items: [task, ...stored, next], handlers, beside });
	const onward = await prepareRequest({ request: "r2", base: first.durable, items: [next], handlers, beside });
	assert.deepEqual(onward, whole);
});

function hashes(segments: ReturnType<typeof segmentsOf>): string {
	return segments.map(({ sha256 }) => sha256).join();
}
