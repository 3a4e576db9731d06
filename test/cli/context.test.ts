import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Place } from "./place.ts";

const place = new Place();
after(() => place.remove());

interface RequestJson {
	readonly mode: string;
	readonly seq: number;
	readonly session: string;
	readonly tokens: number;
	readonly text: string | null;
	readonly items: readonly { readonly id: string; readonly why: string; readonly handle?: string }[];
	readonly messages: readonly { readonly role: string; readonly content: unknown }[];
	readonly difference?: {
		readonly before: number;
		readonly kept: number;
		readonly added: readonly { readonly id: string }[];
		readonly removed: readonly unknown[];
		readonly first: unknown;
	};
}

const ROUNDS = 64;

/** A Pi session in which an agent reads a part after the other. */
function longSession(cwd: string): object[] {
	const lines: object[] = [
		{ type: "session", version: 3, id: "long-session", timestamp: "2026-01-05T12:00:00.000Z", cwd },
	];
	let parent: string | null = null;
	const add = (id: string, message: object): void => {
		const time = new Date(Date.UTC(2026, 0, 5, 12, 0, lines.length)).toISOString();
		lines.push({ type: "message", id, parentId: parent, timestamp: time, message });
		parent = id;
	};
	add("u0", { role: "user", content: "Look at every part." });
	for (let nth = 1; nth <= ROUNDS; nth++) {
		const call = { type: "toolCall", id: `c${nth}`, name: "bash", arguments: { command: `cat part-${nth}` } };
		add(`a${nth}`, { role: "assistant", content: [call], stopReason: "toolUse" });
		const text = `Part ${nth} of the story, told at length.\n`.repeat(60);
		const content = [{ type: "text", text }];
		add(`r${nth}`, { role: "toolResult", toolCallId: `c${nth}`, toolName: "bash", content, isError: false });
	}
	add("u1", { role: "user", content: "And in short?" });
	return lines;
}

before(async () => {
	await place.json("import", place.file("long.jsonl", longSession(place.project)), "--project", place.project);
});

describe("weft context", () => {
	test("by default shows the request in the mode of the settings: a seed, then a line for each message", async () => {
		const { code, out } = await place.weft("context", "--recorded", "--window", "60000");
		assert.equal(code, 0);
		assert.ok(out.startsWith("The work so far"), out.slice(0, 200));
		assert.match(out, /Look at every part\./);
		assert.match(out, /u1 user, \d+ tokens: And in short\?/);
	});

	test("every mode says why each part is in, and gives the messages as they would go out", async () => {
		const sizes: Record<string, number> = {};
		for (const mode of ["woven", "warp", "lossless", "off"]) {
			const request = await place.json<RequestJson>("context", "--mode", mode, "--recorded", "--window", "60000");
			assert.deepEqual([request.mode, request.session], [mode, "long-session"]);
			assert.deepEqual(request.messages.at(-1)?.content, "And in short?");
			assert.ok(request.items.every(({ why }) => why !== ""));
			sizes[mode] = request.tokens;
		}
		assert.ok(sizes["woven"]! < 30_000 && sizes["off"]! > 40_000, JSON.stringify(sizes));
		const { out } = await place.weft("context", "--why", "--recorded", "--window", "60000");
		assert.match(
			out,
			/^What opens it is frozen since it was sealed \((the context is at its limit|keeping more costs more)\)\.$/m,
		);
		assert.match(
			out,
			/^✓ after the seal, raw: \d+ items, [\d,]+ tokens\n(?: +[\d,]+ +m-.*\n)*? +\d+ +m-[0-9a-f]{12} +message:u1$/m,
		);
		const warp = await place.weft("context", "--mode", "warp", "--why", "--recorded");
		assert.match(warp.out, /^✓ always: 3 items, \d+ tokens\n +\d+ +repository$/m);
		assert.match(warp.out, /^✓ the run that is going on(?:: .*)?\n(?: .*\n)*? +\d+ +m-[0-9a-f]{12} +message:u1$/m);
	});

	test("lossless shows summaries in the place of what they cover, once the history outgrows the window", async () => {
		const large = await place.json<RequestJson>("context", "--mode", "lossless", "--recorded");
		assert.equal(large.text, null);
		const small = await place.json<RequestJson>("context", "--mode", "lossless", "--recorded", "--window", "60000");
		assert.match(small.text ?? "", /Summary IDs for Drill-Down/);
		assert.match(small.text ?? "", /\bs-[0-9a-f]{10}\b/);
		assert.ok(small.tokens < large.tokens);
		assert.ok(small.items.some(({ handle }) => /^s-/.test(handle ?? "")));
	});

	test("warp shows what opens the request and the run after it, the same in every form", async () => {
		const args = ["--mode", "warp", "--at", "200"];
		const request = await place.json<RequestJson>("context", ...args);
		assert.ok(request.text?.startsWith("[WARP ENGINE CONTEXT]"));
		const { out } = await place.weft("context", ...args);
		assert.ok(out.startsWith(`${request.text}\n\nAbout `), out.slice(0, 300));
		assert.match(out, /u0 user, \d+ tokens: Look at every part\./);
		const smaller = await place.json<RequestJson>("context", ...args, "--budget", "400");
		assert.ok(smaller.tokens <= request.tokens);
	});

	test("now, the real clock counts: the provider has forgotten a session of another day, so it is sealed", async () => {
		const { out } = await place.weft("context", "--why", "--window", "60000");
		assert.match(out, /✓ protected/);
	});

	test("at a past event it is the request of that moment, and nothing is written by looking", async () => {
		const now = await place.json<RequestJson>("context", "--mode", "off");
		const middle = Math.floor(now.seq / 2);
		assert.equal(now.messages.length, 2 * ROUNDS + 2);
		const then = await place.json<RequestJson>("context", "--mode", "off", "--at", String(middle));
		assert.ok(then.messages.length > 10 && then.messages.length < now.messages.length);
		assert.deepEqual(then.messages, now.messages.slice(0, then.messages.length));
		assert.equal(then.seq, middle);
		const again = await place.json<RequestJson>("context", "--mode", "off");
		assert.deepEqual(again, now);
	});

	test("--diff tells what came, what went and from where on bytes change", async () => {
		const { difference } = await place.json<RequestJson>("context", "--diff", "--recorded", "--window", "60000");
		assert.deepEqual(
			difference?.added.map(({ id }) => id),
			[`a${ROUNDS}`, `r${ROUNDS}`, "u1"],
		);
		assert.deepEqual([difference?.removed, difference?.first], [[], null]);
		const { out } = await place.weft("context", "--diff", "--recorded", "--window", "60000");
		assert.match(out, /^\+ u1 user, \d+ tokens: And in short\?$/m);
		assert.match(out, /Nothing that was sent before changes\./);
		const warp = await place.weft("context", "--mode", "warp", "--diff");
		assert.match(warp.out, /Differs from byte [\d,]+ on, in the seed/);
	});

	test("--format md is the whole request as Markdown", async () => {
		const { out } = await place.weft("context", "--format", "md", "--window", "60000");
		assert.match(out, /^# Context\n\nAbout [\d,]+ tokens: seed [\d,]+, tail [\d,]+\./);
		assert.match(out, /### 1\. compactionSummary `s-\w+`, seed/);
		assert.match(out, /user `u1`/);
	});

	test("--wire gives the messages as a provider gets them", async () => {
		const { messages } = await place.json<RequestJson>("context", "--mode", "off", "--wire", "anthropic");
		const called = messages[1]?.content as { type: string }[];
		const answered = messages[2]?.content as { type: string }[];
		assert.deepEqual([called[0]?.type, messages[2]?.role, answered[0]?.type], ["tool_use", "user", "tool_result"]);
		assert.equal((await place.weft("context", "--wire", "openai")).code, 2);
	});

	test("what cannot be meant is refused", async () => {
		const codes = [];
		for (const args of [
			["--mode", "knitted"],
			["--format", "pdf"],
			["--mode", "woven", "--budget", "4000"],
			["--at", "x"],
		]) {
			codes.push((await place.weft("context", ...args)).code);
		}
		assert.deepEqual(codes, [2, 2, 2, 2]);
		assert.equal((await place.weft("context", "--at", "9999999")).code, 3);
	});
});
