import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { userMessage } from "../../../test/rig/envelope-message.ts";
import { runTurn } from "../../../test/rig/run-turn.ts";
import { cachedText, segmentsOf } from "../envelope/bytes.ts";
import { type ContextEnvelope, makeEnvelope } from "../envelope/envelope.ts";
import { type ContextHandler, Handlers } from "../handler/handler.ts";
import type { ContextPatchOp } from "./operation.ts";
import { applyPatch } from "./patch.ts";
import { type ReplayItem, replay } from "./replay.ts";
import { makeTransform, type Transform } from "./transform.ts";

const base = makeEnvelope({
	systemParts: [
		{ name: "base", text: "You help. 検索" },
		{ name: "skills", text: "\nSkills." },
	],
	tools: [{ name: "read", description: "reads", parameters: { type: "object" } }],
});
const NAMES = ["base", "skills", "policy"];
const because = { invalidateCacheReason: "random" } as const;

/** An operation as numbers; what it means depends on the envelope that it meets. */
interface Draw {
	readonly kind: number;
	readonly at: number;
	readonly text: string;
}
const draw: fc.Arbitrary<Draw> = fc.record({
	kind: fc.nat(11),
	at: fc.nat(50),
	text: fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
});
/** For each turn: what happens before it, in it for once, and after it. */
const turn = fc.record({
	before: fc.array(draw, { maxLength: 2 }),
	once: fc.array(draw, { maxLength: 2 }),
	after: fc.array(draw, { maxLength: 2 }),
});
const session = fc.array(turn, { minLength: 1, maxLength: 6 });

function toOp({ kind, at, text }: Draw, envelope: ContextEnvelope): ContextPatchOp {
	const { cached } = envelope.messages;
	const id = cached[at % cached.length]!.id;
	const partName = NAMES[at % NAMES.length]!;
	switch (kind) {
		case 0:
			return { op: "system_part_set", scope: "cached", partName, text, ...because };
		case 1:
			// May be refused: the part may be gone.
			return { op: "system_part_remove", scope: "cached", partName, ...because };
		case 2:
			return { op: "system_parts_replace", scope: "cached", parts: [{ name: text, text }], ...because };
		case 3:
			return {
				op: "tools_replace",
				scope: "cached",
				tools: [{ name: text, description: text, parameters: { at } }],
				...because,
			};
		case 4:
			return { op: "tools_remove", scope: "cached", toolNames: ["read"], ...because };
		case 5:
			return { op: "options_set", scope: "cached", reasoning: text, ...because };
		case 6:
			return { op: "options_set", scope: "cached", unset: ["reasoning"], ...because };
		case 7:
			return { op: "messages_cached_replace", scope: "cached", messages: [...cached, { role: "user", content: text }] };
		case 8:
			return {
				op: "messages_cached_replace",
				scope: "cached",
				messages: [{ role: "user", content: text }, ...cached.slice(at % cached.length)],
				...because,
			};
		case 9:
			return { op: "item_replace", scope: "cached", id, message: { role: "user", content: text }, ...because };
		case 10:
			return { op: "epoch_seal", scope: "cached", seedText: text, keepFromId: id, ...because };
		default:
			return { op: "items_drop", scope: "cached", ids: [id], stub: text, ...because };
	}
}

test("replay of the stored transforms yields the bytes that were sent, whatever the handlers did", async () => {
	await fc.assert(
		fc.asyncProperty(session, async (turns) => {
			let items: ReplayItem[] = [{ kind: "message", message: userMessage("task", "Do it.") }];
			for (const [index, { before, once, after }] of turns.entries()) {
				const request = `r${index}`;
				const sent: string[] = [];
				const made = new Handlers();
				for (const [reason, draws] of [
					["before_request", before],
					["ephemeral", once],
					["turn_end", after],
				] as const) {
					for (const each of draws) {
						const handler: ContextHandler = (event) => {
							if (event.reason !== reason) return;
							const { envelope } = event.state;
							const last: ContextPatchOp = {
								op: "tail_set",
								scope: "uncached",
								messages: [{ role: "user", content: each.text }],
							};
							return { patch: [toOp(each, envelope), ...(reason === "ephemeral" ? [last] : [])] };
						};
						made.api("random").on("context", handler);
					}
				}
				const turned = await runTurn({
					request,
					base,
					items,
					handlers: made,
					beside: { signal: new AbortController().signal, now: index },
					call: async ({ envelope }) => {
						sent.push(hashes(segmentsOf(envelope)));
						return [{ id: `answer ${index}`, role: "assistant", content: `done ${index}` }];
					},
				});
				// Through JSON, as a log or a session file keeps it.
				const stored = JSON.parse(JSON.stringify([...items, ...turned.items])) as ReplayItem[];
				const upTo = stored.slice(0, items.length + turned.prepared.transforms.length);
				const replayed = replay(base, upTo, { request });
				assert.deepEqual(replayed.skipped, []);
				assert.equal(hashes(segmentsOf(replayed.envelope)), sent[0]);
				assert.equal(cachedText(segmentsOf(replay(base, stored).envelope)), cachedText(segmentsOf(turned.envelope)));
				items = stored;
			}
		}),
		{ numRuns: 150 },
	);
});

test("a transform is applied wholly or not at all", () => {
	fc.assert(
		fc.property(fc.array(draw, { minLength: 1, maxLength: 5 }), fc.nat(4), (draws, bad) => {
			const start = makeEnvelope({ messages: ["a", "b", "c"].map((id) => userMessage(id, id)) });
			const copy = structuredClone(start);
			const ops: ContextPatchOp[] = [];
			let current = start;
			for (const each of draws) {
				const op = toOp(each, current);
				try {
					current = applyPatch(current, [op], "before_request").envelope;
					ops.push(op);
				} catch {
					// Drawn for a part that is not there.
				}
			}
			const broken = ops.toSpliced(bad % (ops.length + 1), 0, {
				op: "items_drop",
				scope: "cached",
				ids: ["nowhere"],
				...because,
			});
			assert.throws(() => applyPatch(start, broken, "before_request"));
			assert.deepEqual(start, copy);
			const item: ReplayItem = { kind: "transform", transform: makeTransform("turn_end", "broken", broken) };
			const replayed = replay(start, [item]);
			assert.equal(replayed.skipped.length, 1);
			assert.deepEqual(replayed.envelope, copy);
		}),
		{ numRuns: 200 },
	);
});

test("case 58: inside an epoch each request's bytes extend those of the last one", async () => {
	const text = fc.string({ unit: "binary", maxLength: 20 });
	await fc.assert(
		fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 2, maxLength: 8 }), async (rounds) => {
			const made = new Handlers();
			made.api("appends").on("context", ({ reason, state }) => {
				if (reason === "ephemeral") {
					return {
						patch: [{ op: "tail_set", scope: "uncached", messages: [{ role: "user", content: `${rounds.length}` }] }],
					};
				}
				const { cached } = state.envelope.messages;
				const messages = [...cached, { role: "user", content: `${reason} ${cached.length}` }];
				return { patch: [{ op: "messages_cached_replace", scope: "cached", messages }] };
			});
			let items: ReplayItem[] = [{ kind: "message", message: userMessage("task", "Do it.") }];
			let last = "";
			for (const [index, [call, answer]] of rounds.entries()) {
				const turned = await runTurn({
					request: `r${index}`,
					base,
					items,
					handlers: made,
					beside: { signal: new AbortController().signal, now: index },
					call: async () => [
						{ id: `c${index}`, role: "assistant", content: call },
						{ id: `a${index}`, role: "toolResult", content: answer },
					],
				});
				const now = cachedText(segmentsOf(turned.prepared.envelope));
				assert.ok(now.startsWith(last));
				assert.ok(now.length > last.length);
				assert.deepEqual(turned.prepared.reasons, []);
				last = now;
				items = [...items, ...turned.items];
			}
		}),
		{ numRuns: 50 },
	);
});

test("replay applies a patch at its place among the messages and leaves other requests' ephemeral ones out", () => {
	const transform = (reason: Transform["reason"], op: ContextPatchOp, request?: string): ReplayItem => ({
		kind: "transform",
		transform: makeTransform(reason, "t", [op], { request }),
	});
	const say = (text: string): ContextPatchOp => ({
		op: "tail_set",
		scope: "uncached",
		messages: [userMessage(text, text)],
	});
	const items: ReplayItem[] = [
		{ kind: "message", message: userMessage("a", "one") },
		{ kind: "message", message: userMessage("b", "two") },
		transform("turn_end", { op: "items_drop", scope: "cached", ids: ["a"], invalidateCacheReason: "old" }),
		transform("ephemeral", say("first"), "r1"),
		{ kind: "message", message: userMessage("a2", "one again") },
		transform("ephemeral", say("second"), "r2"),
	];
	const { envelope, reasons } = replay(base, items, { request: "r2" });
	assert.deepEqual(
		[...envelope.messages.cached, ...envelope.messages.uncached].map(({ id }) => id),
		["b", "a2", "second"],
	);
	assert.deepEqual(reasons, ["old"]);
	assert.deepEqual(replay(base, items).envelope.messages.uncached, []);
});

test("a transform of a newer patch language is left out and said", () => {
	const transform = { ...makeTransform("turn_end", "future", []), schemaVersion: 99 };
	const { skipped } = replay(base, [{ kind: "transform", transform }]);
	assert.deepEqual(
		skipped.map(({ transformerName, error }) => [transformerName, (error as { code: string }).code]),
		[["future", "newer-schema"]],
	);
});

function hashes(segments: ReturnType<typeof segmentsOf>): string {
	return segments.map(({ sha256 }) => sha256).join();
}
