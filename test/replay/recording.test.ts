import assert from "node:assert/strict";
import test from "node:test";
import { hostMessages } from "../../src/context/envelope/envelope.ts";
import { PathReader } from "../../src/context/path.ts";
import { StoredPatches } from "../../src/context/session-patches.ts";
import { windowFor } from "../../src/replay/host-facts.ts";
import type { Recording } from "../../src/replay/recording.ts";
import { call, line, PiLines, replayAll, text, texts as textsOf, withRecording } from "./rig.ts";

test("every call has the messages before it on its path, and none of another branch", async () => {
	const session = new PiLines();
	session.user("first");
	const fork = session.answer([text("one")]);
	session.user("left");
	session.answer([text("two")]);
	session.user("right", { parentId: fork });
	session.answer([text("three")]);
	await withRecording(session.lines, async (recording) => {
		assert.deepEqual(await texts(recording), [["first"], ["first", "one", "left"], ["first", "one", "right"]]);
		assert.deepEqual(
			recording.calls.map(({ isJump }) => isJump),
			[false, false, true],
		);
	});
});

test("a session that continues after a jump back has the path of its own branch", async () => {
	const session = new PiLines();
	session.user("first");
	const fork = session.answer([text("one")]);
	session.user("left");
	const left = session.answer([text("two")]);
	session.user("right", { parentId: fork });
	session.answer([text("three")]);
	session.user("left again", { parentId: left });
	session.answer([text("four")]);
	await withRecording(session.lines, async (recording) => {
		assert.deepEqual((await texts(recording)).at(-1), ["first", "one", "left", "two", "left again"]);
	});
});

test("several lines of one message id are one call of Claude Code, at the place of the first", async () => {
	const use = (id: string, name: string) => ({ type: "tool_use", id, name, input: { command: name } });
	const result = (id: string) => ({
		role: "user",
		content: [{ type: "tool_result", tool_use_id: id, content: `out ${id}` }],
	});
	const part = (...content: object[]) => ({ role: "assistant", id: "msg_1", model: "claude-opus-4-6", content });
	const lines = [
		line("u1", null, { role: "user", content: "go" }),
		line("a1", "u1", part(text("both at once"))),
		line("a2", "a1", part(use("t1", "Bash"))),
		line("a3", "a2", part(use("t2", "Bash"))),
		line("r1", "a2", result("t1")),
		line("r2", "a3", result("t2")),
		line("a4", "r2", { role: "assistant", id: "msg_2", model: "claude-opus-4-6", content: [text("done")] }),
	];
	await withRecording(lines, async (recording) => {
		assert.equal(recording.calls.length, 2);
		const wires = (await messages(recording))[1]!;
		assert.deepEqual(wires, [
			{ role: "user", content: "go" },
			{ role: "assistant", content: [text("both at once"), use("t1", "Bash"), use("t2", "Bash")] },
			result("t1"),
			result("t2"),
		]);
	});
});

test("a result between two lines of an answer stays on the path, though the next line hangs on the line before it", async () => {
	const use = (id: string) => ({ type: "tool_use", id, name: "Bash", input: {} });
	const result = (id: string) => ({
		role: "user",
		content: [{ type: "tool_result", tool_use_id: id, content: `out ${id}` }],
	});
	const part = (...content: object[]) => ({ role: "assistant", id: "msg_1", model: "claude-opus-4-6", content });
	const lines = [
		line("u1", null, { role: "user", content: "go" }),
		line("a1", "u1", part(use("t1"))),
		line("r1", "a1", result("t1")),
		line("a2", "a1", part(use("t2"))),
		line("r2", "a2", result("t2")),
		line("a3", "r2", { role: "assistant", id: "msg_2", model: "claude-opus-4-6", content: [text("done")] }),
	];
	await withRecording(lines, async (recording) => {
		assert.deepEqual((await texts(recording)).at(-1), ["go", "Bash\nBash", "out t1", "out t2"]);
	});
});

test("side chains and messages that Claude Code itself writes are no calls", async () => {
	const lines = [
		line("u1", null, { role: "user", content: "go" }),
		line("s1", null, { role: "user", content: "look around" }, { isSidechain: true }),
		line(
			"s2",
			"s1",
			{ role: "assistant", id: "msg_s", model: "claude-haiku-4-5", content: [text("seen")] },
			{ isSidechain: true },
		),
		line("a1", "u1", { role: "assistant", id: "msg_1", model: "claude-opus-4-6", content: [text("well")] }),
		line("a2", "a1", { role: "assistant", id: "msg_2", model: "<synthetic>", content: [text("API Error")] }),
		line("u2", "a2", { role: "user", content: "again" }),
		line("a3", "u2", { role: "assistant", id: "msg_3", model: "claude-opus-4-6", content: [text("yes")] }),
	];
	await withRecording(lines, async (recording) => {
		assert.deepEqual(await texts(recording), [["go"], ["go", "well", "again"]]);
		assert.deepEqual(
			recording.calls.map(({ index }) => index),
			[0, 1],
		);
	});
});

test("a missing result is replaced by a note, and the result of an aborted answer is left out", async () => {
	const session = new PiLines();
	session.user("go");
	session.answer([call("t1", "bash", { command: "ls" })]);
	session.user("never mind");
	session.answer([call("t2", "bash", { command: "pwd" })], {}, { stopReason: "aborted" });
	session.result("t2", "of an aborted call");
	session.user("again");
	session.answer([text("well")]);
	await withRecording(session.lines, async (recording) => {
		assert.deepEqual((await texts(recording)).at(-1), [
			"go",
			"bash\nls",
			"No result of this call was recorded.",
			"never mind",
			"again",
		]);
	});
});

test("a remark between a call and its result moves behind the result", async () => {
	const session = new PiLines();
	session.user("go");
	session.answer([call("t1", "bash", { command: "ls" })]);
	session.add({ type: "custom_message", customType: "hook", content: "a remark", display: false });
	session.result("t1", "listing");
	session.answer([text("well")]);
	await withRecording(session.lines, async (recording) => {
		assert.deepEqual((await texts(recording)).at(-1), ["go", "bash\nls", "listing", "a remark"]);
	});
});

test("ids that a model uses in every turn are made different, the same way on every branch", async () => {
	const session = new PiLines();
	session.user("go");
	session.answer([call("call_0", "bash", { command: "ls" })]);
	session.result("call_0", "first");
	session.answer([call("call_0", "bash", { command: "pwd" })]);
	const fork = session.result("call_0", "second");
	session.answer([text("one")]);
	session.user("again", { parentId: fork });
	session.answer([text("two")]);
	await withRecording(session.lines, async (recording) => {
		const ids = (await messages(recording)).map((list) => list.map((wire) => wire["toolCallId"] ?? callIds(wire)));
		assert.deepEqual(ids.at(-2), [[], ["call_0"], "call_0", ["call_0_2"], "call_0_2"]);
		assert.deepEqual(ids.at(-1), [[], ["call_0"], "call_0", ["call_0_2"], "call_0_2", []]);
		assert.deepEqual((await texts(recording)).at(-1), ["go", "bash\nls", "first", "bash\npwd", "second", "again"]);
	});
});

test("messages that a provider would refuse are left out: blanks, unsigned thinking, thinking alone", async () => {
	const lines = [
		line("u1", null, { role: "user", content: "go" }),
		line("a1", "u1", {
			role: "assistant",
			id: "msg_1",
			model: "m",
			content: [{ type: "thinking", thinking: "hm", signature: "" }, text(" "), text("well")],
		}),
		line("u2", "a1", { role: "user", content: [text("")] }),
		line("u3", "u2", { role: "user", content: [text("on")] }),
		line("a2", "u3", {
			role: "assistant",
			id: "msg_2",
			model: "m",
			content: [{ type: "thinking", thinking: "cut off", signature: "s" }],
		}),
		line("u4", "a2", { role: "user", content: "still there?" }),
		line("a3", "u4", { role: "assistant", id: "msg_3", model: "m", content: [text("yes")] }),
	];
	await withRecording(lines, async (recording) => {
		const wires = (await messages(recording)).at(-1)!;
		assert.deepEqual(wires, [
			{ role: "user", content: "go" },
			{ role: "assistant", content: [text("well")] },
			{ role: "user", content: [text("on")] },
			{ role: "user", content: "still there?" },
		]);
	});
});

test("a file that begins in the middle of a session is read from its first user message on", async () => {
	const session = new PiLines();
	session.result("t0", "of a call that is not here");
	session.answer([text("an answer to something")]);
	session.user("go");
	session.answer([text("one")]);
	await withRecording(session.lines, async (recording) => {
		assert.deepEqual(await texts(recording), [[], ["go"]]);
	});
});

test("of two calls at once the second does not see the answer to the first; later calls see both", async () => {
	const session = new PiLines();
	session.user("go");
	session.answer([text("one")]);
	session.answer([text("two")]);
	session.user("on");
	session.answer([text("three")]);
	await withRecording(session.lines, async (recording) => {
		assert.deepEqual(await texts(recording), [["go"], ["go"], ["go", "one", "two", "on"]]);
	});
});

test("a compaction of either host is no message: the messages that it replaced are on the path", async () => {
	const session = new PiLines();
	session.user("go");
	const kept = session.answer([text("one")]);
	session.add({ type: "compaction", summary: "they went", firstKeptEntryId: kept, tokensBefore: 10 });
	session.user("on");
	session.answer([text("two")]);
	await withRecording(session.lines, async (recording) => {
		assert.deepEqual((await texts(recording)).at(-1), ["go", "one", "on"]);
		assert.deepEqual((await texts(recording, "host")).at(-1), ["they went", "one", "on"]);
	});
	const lines = [
		line("u1", null, { role: "user", content: "go" }),
		line("a1", "u1", { role: "assistant", id: "msg_1", model: "m", content: [text("one")] }),
		line("k1", "a1", { role: "user", content: "they went" }, { isCompactSummary: true }),
		line("u2", "k1", { role: "user", content: "on" }),
		line("a2", "u2", { role: "assistant", id: "msg_2", model: "m", content: [text("two")] }),
	];
	await withRecording(lines, async (recording) => {
		assert.deepEqual((await texts(recording)).at(-1), ["go", "one", "on"]);
		assert.deepEqual((await texts(recording, "host")).at(-1), ["they went", "on"]);
	});
});

test("the smallest rest of a prompt beyond its messages, at the start or after a compaction, is the system prompt and tools", async () => {
	const session = new PiLines();
	session.user("x".repeat(320));
	session.answer([text("no usage")]);
	session.user("y".repeat(320));
	session.answer([text("usage")], {}, usage(1_210));
	await withRecording(session.lines, (recording) => {
		const { fixedTokens, startMissing, largestPrompt } = recording;
		assert.deepEqual([fixedTokens, startMissing, largestPrompt], [1_210 - 202, false, 1_210]);
	});
	const kept = session.user("z");
	session.add({ type: "compaction", summary: "", firstKeptEntryId: kept, tokensBefore: 10 });
	session.answer([text("shorter")], {}, usage(950));
	await withRecording(session.lines, ({ fixedTokens, hasCompacted }) => {
		assert.ok(fixedTokens > 800 && fixedTokens < 950, String(fixedTokens));
		assert.equal(hasCompacted, true);
	});
	const silent = new PiLines();
	silent.user("x");
	silent.answer([text("y")]);
	await withRecording(silent.lines, ({ fixedTokens, startMissing }) =>
		assert.deepEqual([fixedTokens, startMissing], [3_000, false]),
	);
});

test("history that a file lacks does not count as system prompt: the host's default does, and the start is missing", async () => {
	const session = new PiLines();
	session.user("on");
	session.answer([text("yes")], {}, usage(137_345));
	await withRecording(session.lines, ({ fixedTokens, startMissing }) =>
		assert.deepEqual([fixedTokens, startMissing], [3_000, true]),
	);
	const answer = { role: "assistant", id: "msg_1", model: "m", content: [text("yes")] };
	const withUsage = { ...answer, usage: { input_tokens: 5, cache_read_input_tokens: 90_000 } };
	const lines = [line("u1", null, { role: "user", content: "on" }), line("a1", "u1", withUsage)];
	await withRecording(lines, ({ fixedTokens, startMissing }) =>
		assert.deepEqual([fixedTokens, startMissing], [27_000, true]),
	);
});

test("the cache lives for an hour where most writes were for an hour; a window holds the largest prompt", async () => {
	const session = new PiLines();
	session.user("on");
	session.answer(
		[text("yes")],
		{},
		{ usage: { input: 0, output: 1, cacheRead: 0, cacheWrite: 900, cacheWrite1h: 900 } },
	);
	session.user("on");
	session.answer([text("yes")], {}, { usage: { input: 0, output: 1, cacheRead: 250_000, cacheWrite: 100 } });
	await withRecording(session.lines, (recording) => {
		assert.equal(recording.cacheLifetime, 3_600_000);
		assert.deepEqual(
			[undefined, 200_000, 64_000, 1_000_000].map((asked) => windowFor(recording, asked)),
			[250_100, 250_100, 64_000, 1_000_000],
		);
	});
});

function usage(prompt: number) {
	return { usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: prompt - 10 } };
}

function callIds(wire: Readonly<Record<string, unknown>>): unknown[] {
	const blocks = wire["content"] as readonly { readonly type: string; readonly id?: string }[];
	return blocks.filter(({ type }) => type === "toolCall").map(({ id }) => id);
}

async function messages(recording: Recording): Promise<Readonly<Record<string, unknown>>[][]> {
	const { requests } = await replayAll(recording, "woven");
	return requests.map(({ envelope }) => hostMessages(envelope));
}

async function texts(recording: Recording, row: "woven" | "host" = "woven"): Promise<string[][]> {
	const { requests } = await replayAll(recording, row);
	return requests.map(textsOf);
}

test("a compaction of another program that names its first kept message by index keeps the messages from there on", async () => {
	const session = new PiLines();
	const say = (nth: number) => {
		session.user(`question ${nth}`);
		session.answer([{ type: "text", text: `answer ${nth}` }]);
	};
	const compact = (summary: string, firstKeptMessageIndex: number) => {
		const op = { op: "compaction_apply", scope: "cached", summary, timestamp: 7, firstKeptMessageIndex };
		const patch = [{ ...op, tokensBefore: 9, invalidateCacheReason: "compaction" }];
		session.add({ type: "context_transform", schemaVersion: 1, transformerName: "compaction", timestamp: "", patch });
	};
	say(1);
	say(2);
	compact("Of the first.", 2);
	say(3);
	// Now the index counts the messages on the path: the summary, question 2, answer 2, question 3, …
	compact("Of the first two.", 3);
	say(4);
	await withRecording(session.lines, ({ history }) => {
		const of = { session: "s1", host: "pi" };
		history.tree.catchUp();
		const pathAt = (entry: string) => {
			const patches = new StoredPatches(history, of).forMode("woven");
			const leaf = history.tree.find(of, entry);
			return new PathReader(history).read({ session: of, leaf, patches, compactions: "recorded" });
		};
		const seen = (entry: string) => pathAt(entry).messages.map((message) => message.text);
		const [third, fourth] = ["e6", "e9"];
		assert.match(pathAt(third!).opening!.text, /Of the first\./);
		assert.deepEqual(seen(third!), ["question 2", "answer 2", "question 3"]);
		assert.match(pathAt(fourth!).opening!.text, /Of the first two\./);
		assert.deepEqual(seen(fourth!), ["question 3", "answer 3", "question 4"]);
	});
});
