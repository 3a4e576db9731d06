import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runTurn, type Turn } from "../../../test/rig/run-turn.ts";
import { cachedText, type Segment, segmentsOf } from "../envelope/bytes.ts";
import { firstDifference } from "../envelope/difference.ts";
import { type GivenMessage, hostMessages, makeEnvelope } from "../envelope/envelope.ts";
import { Handlers } from "../handler/handler.ts";
import { type ReplayItem, replay } from "../patch/replay.ts";
import { loadHandlers } from "./project-handlers.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "..", "examples");
const NOON = Date.UTC(2026, 0, 5, 12);
const DAY_MS = 86_400_000;
const base = makeEnvelope({ systemParts: [{ name: "base", text: "You help." }] });

/** Three turns of an agent under the handlers of one file. */
async function run(
	file: string,
	folder = EXAMPLES,
): Promise<{ readonly turns: readonly Turn[]; readonly items: readonly ReplayItem[] }> {
	const handlers = new Handlers();
	assert.deepEqual((await loadHandlers([file], folder, handlers)).problems, []);
	let items: readonly ReplayItem[] = [
		{ kind: "message", message: { id: "task", role: "user", content: "Deploy it." } },
	];
	const turns: Turn[] = [];
	for (const [index, output] of ["ok", "API_KEY=12345", "ok"].entries()) {
		const answer: readonly GivenMessage[] = [
			{
				id: `c${index}`,
				role: "assistant",
				content: [{ type: "toolCall", id: `t${index}`, name: "bash", arguments: {} }],
			},
			{ id: `r${index}`, role: "toolResult", toolCallId: `t${index}`, content: [{ type: "text", text: output }] },
		];
		const beside = { signal: new AbortController().signal, now: NOON + index * DAY_MS };
		const turn = await runTurn({ request: `q${index}`, base, items, handlers, beside, call: async () => answer });
		assert.deepEqual(turn.failures, []);
		turns.push(turn);
		items = [...items, ...turn.items];
	}
	return { turns, items };
}

const sent = (turn: Turn): Segment[] => segmentsOf(turn.prepared.envelope);
const texts = (turn: Turn): unknown[] => hostMessages(turn.prepared.envelope).map(({ content }) => content);

test("context-marker adds its marker once and costs no cache", async () => {
	const { turns, items } = await run("context-marker.ts");
	const [first, second, third] = turns as [Turn, Turn, Turn];
	assert.deepEqual(texts(first), ["Deploy it.", "From here on the context is marked."]);
	assert.equal(texts(third).filter((content) => content === "From here on the context is marked.").length, 1);
	assert.deepEqual(
		[firstDifference(sent(first), sent(second)), firstDifference(sent(second), sent(third))],
		[null, null],
	);
	assert.equal(items.filter(({ kind }) => kind === "transform").length, 1);
});

test("ephemeral-context says the day last, for one request, and leaves no trace in the history", async () => {
	const { turns, items } = await run("ephemeral-context.ts");
	assert.deepEqual(
		turns.map((turn) => texts(turn).at(-1)),
		["Today is 2026-01-05.", "Today is 2026-01-06.", "Today is 2026-01-07."],
	);
	assert.ok(!JSON.stringify(replay(base, items).envelope).includes("Today"));
	for (const [at, turn] of turns.slice(1).entries())
		assert.ok(cachedText(sent(turn)).startsWith(cachedText(sent(turns[at]!))));
});

test("the handler of docs/handlers.md says the day last, too", async () => {
	const folder = mkdtempSync(join(tmpdir(), "weft-handler-"));
	after(() => rmSync(folder, { recursive: true, force: true }));
	const page = readFileSync(join(EXAMPLES, "..", "docs", "handlers.md"), "utf8");
	writeFileSync(join(folder, "my-handler.ts"), /```\n(import type[\s\S]*?)```/.exec(page)?.[1] ?? "");
	const { turns } = await run("my-handler.ts", folder);
	assert.equal(texts(turns[1]!).at(-1), "Today is 2026-01-06.");
});

test("system-policy adds its part after the turn that needs it, once, with its reason", async () => {
	const { turns, items } = await run("system-policy.ts");
	assert.deepEqual(
		turns.map((turn) => turn.prepared.envelope.system.parts.map(({ name }) => name)),
		[["base"], ["base"], ["base", "key-policy"]],
	);
	assert.equal(firstDifference(sent(turns[1]!), sent(turns[2]!))?.segment, "system");
	const transforms = items.flatMap((item) => (item.kind === "transform" ? [item.transform] : []));
	assert.deepEqual(
		transforms.map(({ transformerName, reason }) => [transformerName, reason]),
		[["system-policy", "turn_end"]],
	);
	assert.deepEqual(replay(base, items).reasons, ["a tool printed a key"]);
});
