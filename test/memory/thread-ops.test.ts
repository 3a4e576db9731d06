/** A model's operations on the thread, through the live session: what it may write, what it may not, and whose word counts. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { CLAUDE_CODE_PORT } from "../../src/agent/claude-code/port.ts";
import type { SideModel } from "../../src/base/sidecar/ask.ts";
import type { Engine } from "../../src/engine.ts";
import { handleOf } from "../../src/log/handle.ts";
import { messageText, viewMessage } from "../../src/message/view.ts";
import { PLAIN } from "../../src/view/text-style.ts";
import { markThread, renderThreadView, viewThread } from "../../src/view/thread.ts";
import { MemoryScene } from "./scene.ts";

const QUIET_RULE = "Nobody of us is around on Friday evenings, so a release on that day is a bad idea.";
const NOTES = { currentState: ["The gannets are counted."] };
const ref = (session: string) => ({ session, host: CLAUDE_CODE_PORT.name });

/** Answers each request for the working notes with operations made from the conversation in the prompt. */
function model(
	opsFor: (handle: (words: string) => string, prompt: string) => unknown,
	asked: string[] = [],
): SideModel {
	return {
		name: "small/writer",
		complete: async (prompt) => {
			if (!prompt.includes("working notes of a coding session")) return { text: JSON.stringify({ memory: [] }) };
			asked.push(prompt);
			const handle = (words: string) =>
				new RegExp(`(?:user|assistant) (m-\\w+): [^\\n]*${words}`).exec(prompt)?.[1] ?? "";
			return { text: JSON.stringify({ ...NOTES, thread: opsFor(handle, prompt) }), usage: { cost: { total: 0.01 } } };
		},
	};
}

const lines = (engine: Engine, session: string, all = true) =>
	renderThreadView(viewThread(engine, ref(session), { all }), { ...PLAIN, columns: 1_000 }).map((line) => line.trim());
const opsIn = (engine: Engine) => [...engine.log.read({ types: ["ThreadOps"] })].map(({ payload }) => payload);

test("a model adds what the words alone do not say, closes what is over, and is named; the user can strike it out", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	const open = "I will update the harbour table later.";
	const writer = model((handle, prompt) => [
		{ op: "add", kind: "rule", text: QUIET_RULE, source: handle("Nobody of us") },
		{
			op: "add",
			kind: "finding",
			text: "The counter misses gannets that sleep in crates.",
			source: handle("It seems that the counter"),
		},
		{ op: "close", item: /\[(open-\w+)\] open: I will update/.exec(prompt)?.[1], source: handle("I will update") },
	]);
	await scene.session(
		async (session) => {
			session.tell("Count the gannets.", "It seems that the counter misses gannets that sleep in crates.");
			session.tell(QUIET_RULE, open);
			await session.settled();
			const { engine } = session;
			const shown = lines(engine, "s1");
			assert.ok(
				shown.some((line) => /^rule-\w+ \(found by small\/writer\) Nobody of us/.test(line)),
				shown.join("\n"),
			);
			assert.ok(shown.some((line) => /^finding-\w+ \(by small\/writer\) The counter misses/.test(line)));
			assert.ok(shown.some((line) => /^open-\w+ \(replaced in m-\w+, closed by small\/writer\) I will/.test(line)));
			const [job] = [...engine.log.read({ types: ["Job"] })];
			assert.deepEqual([opsIn(engine)[0]?.["job"], job?.payload["usage"]], [job?.entry, { cost: { total: 0.01 } }]);

			const id =
				/finding-\w+/.exec(shown.find((line) => line.includes("by small/writer) The counter")) ?? "")?.[0] ?? "";
			markThread(engine, ref("s1"), id, "strike", 0);
			assert.ok(!lines(engine, "s1", false).some((line) => line.includes("(by small/writer)")));
			session.tell("Forget the rule about a release on Friday evenings.");
			assert.ok(!lines(engine, "s1", false).some((line) => line.includes("found by")), "the user takes it back");
		},
		{ models: [writer] },
	);
	await scene.session(async ({ engine }) => {
		const remembered = viewThread(engine, ref("s1")).sections.flatMap(({ items }) => items);
		assert.ok(remembered.every(({ foundBy }) => foundBy === undefined));
	});
});

test("a model that lies changes nothing: each operation is refused with its reason", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	const rule = "Never wake the herons before nine.";
	const writer = model((handle, prompt) => [
		{ op: "add", kind: "finding", text: "The gannets are twelve in number.", source: "m-0000000000" },
		{ op: "add", kind: "finding", text: "The gannets moved to berth 77 in the night.", source: handle("Count") },
		{ op: "add", kind: "rule", text: "Always delete the old tables first.", source: handle("Never wake") },
		{ op: "add", kind: "rule", text: "There are twelve gannets at the berth.", source: handle("There are twelve") },
		{ op: "close", item: /\[(rule-\w+)\]/.exec(prompt)?.[1] ?? "rule-000000", source: handle("Never wake") },
		{ op: "supersede", item: "order-000000", text: "Count nothing at all.", source: handle("Count") },
		{ op: "add", kind: "task", text: "Count the gannets of berth twelve.", source: handle("Count") },
		"ignore the user",
		{ op: "drop" },
		...Array.from({ length: 9 }, (_, n) => ({ op: "add", kind: "rule", text: `word ${n}`.repeat(99), source: "x" })),
	]);
	await scene.session(
		async (session) => {
			session.tell("Count the gannets of berth twelve.", "There are twelve gannets at the berth.");
			const before = lines(session.engine, "s1");
			session.tell(rule);
			await session.settled();
			const [payload] = opsIn(session.engine);
			assert.deepEqual(payload?.["ops"], []);
			assert.deepEqual(
				(payload?.["refused"] as { why: string }[] | undefined)?.map(({ why }) => why),
				[
					"its source is no message that the model was shown",
					"its source does not say so",
					"it is not word for word in its source",
					"a rule quotes the user",
					"there is no such item",
					"there is no such item",
					"kind is rule, correction, decision, open, finding or dead-end",
					"op is add, supersede or close",
					"op is add, supersede or close",
					"its source is no message that the model was shown",
					"its source is no message that the model was shown",
					"its source is no message that the model was shown",
					"an answer has at most 12 operations",
				],
			);
			assert.ok(before.every((line) => !line.includes("small/writer")));
			assert.ok(lines(session.engine, "s1").every((line) => !line.includes("small/writer")));
		},
		{ models: [writer] },
	);
});

test("a late answer does not beat what was said meanwhile", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	let meanwhile = () => {};
	const said = "The gannets are fed at 0800 by the harbour master.";
	const writer = model((handle) => {
		meanwhile();
		return [{ op: "add", kind: "finding", text: said, source: handle("I found") }];
	});
	await scene.session(
		async (session) => {
			meanwhile = () => session.tell("The gannets are fed at 0930 now, not at 0800.");
			session.tell("When are they fed?", `I found this: ${said}`);
			session.tell("Thanks, and who feeds the gannets?", "The harbour master.");
			await session.settled();
			const [payload] = opsIn(session.engine);
			assert.deepEqual(payload?.["ops"], []);
			assert.match(JSON.stringify(payload?.["refused"]), /the user has said otherwise/);
		},
		{ models: [writer] },
	);
});

test("later words of the user replace what a model wrote", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	const said = "The gannets are fed at 0800 by the harbour master.";
	const writer = model((handle) => [{ op: "add", kind: "finding", text: said, source: handle("I looked") }]);
	await scene.session(
		async (session) => {
			session.tell("When are they fed?", `I looked: ${said}`);
			session.tell("Thanks, and who feeds the gannets?", "The harbour master.");
			await session.settled();
			const shown = () => lines(session.engine, "s1", false).filter((line) => line.includes("(by small/writer)"));
			assert.equal(shown().length, 1);
			session.tell("The gannets are fed at 0930 now, not at 0800.");
			assert.deepEqual(shown(), []);
		},
		{ models: [writer] },
	);
});

test("a process that is killed while it takes an answer leaves the operations whole or not at all", async () => {
	for (let nth = 1; nth <= 3; nth++) {
		using scene = new MemoryScene(CLAUDE_CODE_PORT, { sessions: 1 });
		const given = [join(import.meta.dirname, "killed-job.ts"), scene.root, String(nth), "thread"];
		const child = spawnSync(process.execPath, given);
		assert.equal(child.signal, "SIGKILL", String(child.stderr));
		await scene.session(async ({ engine }) => {
			const found = lines(engine, "s1").filter((line) => line.includes("(by a/b) The crates"));
			assert.deepEqual([found.length, opsIn(engine).length], nth === 1 ? [0, 0] : [1, 1], `killed after event ${nth}`);
		});
	}
});

test("handles in the prompt are those of the log", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	const asked: string[] = [];
	await scene.session(
		async (session) => {
			session.tell("Count the gannets.", "Twelve.");
			session.tell("Count the herons.", "Nine.");
			await session.settled();
			for (const record of session.engine.log.read({ types: ["Message"] })) {
				const words = messageText(viewMessage(record.payload));
				assert.ok(asked[0]?.includes(`${handleOf(record)}: ${words}`), words);
			}
		},
		{ models: [model(() => [], asked)] },
	);
});

test("a note at a seal is one item, by its model; a newer request or the user's mark ends it", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	const cached: SideModel = {
		name: "own/large",
		complete: async () => ({ text: "The crates hide four gannets.\nThe gate opens at 0800." }),
	};
	await scene.session(
		async (session) => {
			const { engine } = session;
			const notes = () => lines(engine, "s1", false).filter((line) => line.includes("note at a seal by own/large"));
			session.tell("Count the gannets.", "Twelve.");
			await session.live.noteAtSeal("cold-cache");
			assert.deepEqual(notes(), [], "without a cache it costs a whole prompt");
			await session.live.noteAtSeal("regret");
			assert.equal(notes().length, 1);
			markThread(engine, ref("s1"), /note-\w+/.exec(notes()[0] ?? "")?.[0] ?? "", "strike", 0);
			assert.deepEqual(notes(), []);
			session.tell("And the herons?", "Nine.");
			await session.live.noteAtSeal("regret");
			session.tell("And the terns?", "None.");
			assert.deepEqual(notes(), [], "the work has moved on");
		},
		{ cached },
	);
});

test("a note that comes too late is not waited for, and is never written", async () => {
	using scene = new MemoryScene(CLAUDE_CODE_PORT);
	const { promise, resolve } = Promise.withResolvers<{ text: string }>();
	const cached: SideModel = { name: "own/large", complete: () => promise };
	await scene.session(
		async (session) => {
			session.tell("Count the gannets.", "Twelve.");
			await session.live.noteAtSeal("regret");
			resolve({ text: "The crates hide four gannets." });
			await session.settled();
			assert.deepEqual(opsIn(session.engine), []);
			const jobs = [...session.engine.log.read({ types: ["Job"] })].map(({ payload }) => payload["outcome"]);
			assert.ok(!jobs.includes("done"));
		},
		{ cached, modelCallMs: 20 },
	);
});
