import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { IMPORTED_SESSION, importedSession } from "../../test/cli/imported-session.ts";
import { LONG_SESSION, longSession } from "../../test/rig/long-session.ts";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { READERS } from "../agent/agents.ts";
import { importFile } from "../agent/recorded/import.ts";
import { type Engine, openEngine } from "../engine.ts";
import { findSession } from "../state/session/find-session.ts";
import { stayWords } from "./context-stay.ts";
import { type ConversationItem, type ConversationMessage, SessionConversation } from "./conversation.ts";
import { readConversation, renderConversation } from "./conversation-lines.ts";
import { SessionRequests } from "./requests.ts";
import { PLAIN } from "./text-style.ts";

const folder = temporaryFolder();
/** Two compactions. */
const REQUESTS = 450;

suite("a session for reading", () => {
	let engine: Engine;

	before(async () => {
		engine = openEngine({ cwd: folder, home: join(folder, "home"), host: "x", env: {} });
		for (const [name, lines] of [
			["imported.jsonl", importedSession(folder)],
			["long.jsonl", [...longSession(folder, REQUESTS)]],
		] as const) {
			const file = join(folder, name);
			writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
			await importFile(file, { readers: READERS, logFor: () => engine.log });
		}
	});
	after(() => engine.close());

	const open = (session: string) => {
		const state = findSession(engine.log, session);
		const ref = { session, host: state.host };
		const conversation = new SessionConversation(engine, ref, new SessionRequests(engine.history, ref));
		return { conversation, state, outline: conversation.outline(state) };
	};
	const all = (conversation: SessionConversation, items: number): ConversationItem[] =>
		Array.from({ length: Math.ceil(items / 40) }, (_, chunk) => conversation.chunk(chunk).items).flat();

	test("every message says in which requests it was, and what became of it", () => {
		const { conversation, outline } = open(IMPORTED_SESSION);
		const stays = all(conversation, outline.items).map((item) =>
			item.kind === "message" ? stayWords(item.stay) : `${item.kind}: ${item.left} left`,
		);
		assert.deepEqual(stays, [
			"In context from request 1 to 3, then in the agent's summary.",
			"In context from request 2 to 3, then in the agent's summary.",
			"In context from request 2 to 3, then in the agent's summary.",
			"In context in request 3, then in the agent's summary.",
			"In context in request 3, then in the agent's summary.",
			"Only in the agent's summary.",
			"compaction: 5 left",
			"In context since request 5.",
			"In context since request 5.",
			"In no request: none came after it.",
		]);
		assert.equal(outline.prompts.length, 4);
		assert.equal(outline.resume, `cd ${folder} && claude --resume ${IMPORTED_SESSION}`);
	});

	test("results are with their calls, edits show their diff, and a file that was read again says so", () => {
		const { conversation, outline } = open(LONG_SESSION);
		const items = all(conversation, outline.items);
		assert.equal(items.length, outline.items);
		assert.deepEqual(
			items.map(({ place }) => place),
			items.map((_, at) => at),
		);
		assert.equal(items.filter(({ kind }) => kind === "compaction").length, 2);
		const messages = items.filter((item): item is ConversationMessage => item.kind === "message");
		const calls = messages.flatMap(({ blocks }) => blocks.filter((block) => block.kind === "call"));
		assert.equal(calls.length, REQUESTS);
		assert.ok(calls.every(({ result }) => result !== null));
		const edit = calls.find(({ tool }) => tool === "Edit");
		assert.match(edit?.diffs[0]?.text ?? "", /\+painted row 1 in step 1/);
		assert.deepEqual(
			messages.flatMap(({ request }) => request?.n ?? []),
			Array.from({ length: REQUESTS }, (_, at) => at + 1),
		);
		const read = messages.find(({ blocks }) => blocks.some((block) => block.kind === "call" && block.tool === "Read"));
		assert.match(
			read ? stayWords(read.stay) : "",
			/^In context from request 2 to 200, then in the agent's summary, read again by request 2\d\d and \d+ more\.$/,
		);
		const again = read?.stay.again[0];
		assert.ok(again && conversation.place(again.handle).place > 0);
	});

	test("a handle of a message or of what it caused leads to its place", () => {
		const { conversation, outline } = open(LONG_SESSION);
		const [item] = conversation.chunk(3).items;
		assert.ok(item);
		assert.deepEqual(conversation.place(item.handle), { place: item.place });
		const [change] = engine.log.read({ session: LONG_SESSION, types: ["FileChanged"], limit: 1 });
		const handle = engine.log.handleAt(change?.seq ?? 0) ?? "";
		const shown = conversation.chunk(0).items[conversation.place(handle).place];
		assert.ok(
			shown?.kind === "message" && shown.blocks.some((block) => block.kind === "call" && block.tool === "Edit"),
		);
		assert.throws(() => conversation.place("m-000000000000"), /not in this conversation/);
		assert.throws(() => conversation.chunk(Math.ceil(outline.items / 40)), /ends before/);
	});

	test("the command shows a prompt and what followed it", () => {
		const { conversation, state } = open(IMPORTED_SESSION);
		const part = readConversation(conversation, state, { from: { prompt: 3 }, limit: 3 });
		assert.match(
			[...renderConversation(part, PLAIN, { isFull: false })].join("\n"),
			/You {2}prompt 3 .*\nIn context in request 3, then in the agent's summary\.\nSort harbour table 3\n\nAgent {2}request 3, cold 19m[\s\S]*── The agent compacted its history: 23,004 → 14,004 tokens, 5 messages left/,
		);
		assert.equal(part.next, conversation.chunk(0).items[7]?.handle);
	});

	test("words that the user typed while the agent worked are prompts of their own, once", async () => {
		const session = "typed-meanwhile";
		let at = 0;
		const line = (rest: object) => ({
			sessionId: session,
			timestamp: new Date(Date.UTC(2026, 4, 1, 10, ++at)).toISOString(),
			cwd: folder,
			...rest,
		});
		const said = (type: "user" | "assistant", content: unknown) => {
			const uuid = `t${at}`;
			return line({ type, uuid, parentUuid: at === 0 ? null : `t${at - 1}`, message: { role: type, content } });
		};
		const lines = [
			said("user", "list the zones"),
			said("assistant", [{ type: "tool_use", id: "c1", name: "Bash", input: { command: "ls zones" } }]),
			line({ type: "queue-operation", operation: "enqueue", content: "only those of the north" }),
			line({ type: "queue-operation", operation: "enqueue", content: "never mind" }),
			line({ type: "queue-operation", operation: "remove" }),
			line({
				type: "attachment",
				uuid: "a1",
				parentUuid: "t1",
				attachment: { type: "queued_command", prompt: "only those of the north" },
			}),
			line({ type: "queue-operation", operation: "popAll", content: "never mind" }),
			said("assistant", [{ type: "text", text: "Two zones." }]),
		];
		const file = join(folder, "typed.jsonl");
		writeFileSync(file, lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
		await importFile(file, { readers: READERS, logFor: () => engine.log });
		const { conversation, outline } = open(session);
		assert.deepEqual(
			outline.prompts.map(({ text }) => text),
			["list the zones", "only those of the north"],
		);
		const found = all(conversation, outline.items).find((item) => item.handle === outline.prompts[1]?.handle);
		assert.deepEqual(found?.kind === "message" && [found.who, found.blocks], [
			"user",
			[{ kind: "text", text: "only those of the north", total: 23 }],
		]);
	});
});
