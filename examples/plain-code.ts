/**
 * An agent in plain code, without any host: it records what is said, asks weft what the model should see next, and
 * works for longer than the model's window. The model here is a function that looks at one file after the other.
 *
 * Run it in a checkout, after `npm run build`: `node examples/plain-code.ts`
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BareMessage, messageReader, openEngine } from "weft-context";

const WINDOW_TOKENS = 24_000;
const FILES = 30;

const folder = mkdtempSync(join(tmpdir(), "weft-example-"));
for (let nth = 1; nth <= FILES; nth++) {
	writeFileSync(join(folder, `part-${nth}.txt`), `Part ${nth} weighs ${nth * 11} grams.\n`.repeat(90));
}

const engine = openEngine({ cwd: folder, home: join(folder, ".weft-home"), host: "example", env: {} });
const session = { session: "chat-1", host: "example" };
const read = messageReader({ ...session, cwd: folder });
let count = 0;
const record = (message: BareMessage) => engine.record(read(message, String(++count)));

// A handler of our own: one more system part, from the first request on.
engine.on("context", ({ reason, state }) => {
	if (reason !== "before_request" || state.envelope.system.parts.some(({ name }) => name === "manners")) return;
	return {
		patch: [
			{
				op: "system_part_set",
				scope: "cached",
				partName: "manners",
				text: " Be brief.",
				invalidateCacheReason: "start",
			},
		],
	};
});

record({ role: "user", content: "How much do all parts weigh together? Look at every file." });
let largest = 0;
let seals = 0;
let system = "";
for (let nth = 1; nth <= FILES; nth++) {
	const request = await engine.assemble({
		...session,
		window: WINDOW_TOKENS,
		base: { systemParts: [{ name: "task", text: "You add up weights." }] },
	});
	if (request.violations.length > 0) throw new Error(request.violations[0]!.message);
	largest = Math.max(largest, request.tokens);
	system = request.envelope.system.compiled;
	if (request.reasons.some((reason) => reason.startsWith("sealed"))) seals++;

	// Where a model would be called with request.messages and request.envelope.system.compiled.
	const path = join(folder, `part-${nth}.txt`);
	record({ role: "assistant", content: [{ type: "toolCall", id: `c${nth}`, name: "read", arguments: { path } }] });
	const text = `Part ${nth} weighs ${nth * 11} grams.\n`.repeat(90);
	record({
		role: "toolResult",
		toolCallId: `c${nth}`,
		toolName: "read",
		content: [{ type: "text", text }],
		isError: false,
	});
	await request.endTurn();
}

console.log(
	`${FILES} requests, the largest of ${largest < WINDOW_TOKENS * 0.75 ? "less" : "more"} than three quarters of the window`,
);
console.log(`the system prompt: ${system}`);
console.log(`sealed ${seals > 0 ? "on the way" : "never"}`);

// Nothing is lost: the first file is no longer in sight, and comes back byte for byte.
const [first] = [...engine.log.read({ ...session, types: ["Message"] })].filter(
	({ payload }) => payload.tool === "read",
);
const handle = engine.log.handleAt(first!.seq)!;
const page = await engine.expand(handle);
console.log(`${handle} begins: ${page.text.slice(page.text.indexOf("Part 1 "), page.text.indexOf("grams.") + 6)}`);

const [opening] = engine.explain({ ...session, window: WINDOW_TOKENS });
console.log(`the next request would open with ${opening!.id}: ${opening!.why}`);

engine.close();
rmSync(folder, { recursive: true });
