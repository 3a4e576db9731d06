import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { TableFolds } from "../../log/fold/table-folds.ts";
import { Log } from "../../log/log.ts";
import { Tree } from "./tree.ts";
import { treeFold } from "./tree-fold.ts";

const folder = temporaryFolder();

let logs = 0;
function newLog(): Log {
	return new Log({
		folder: join(folder, String(++logs)),
		origin: "here",
		projection: () => new TableFolds([treeFold]),
	});
}

function treeOf(...events: NewEvent[]): Tree & Disposable {
	const log = newLog();
	log.append(events);
	const tree = new Tree(log);
	tree.catchUp();
	return Object.assign(tree, { [Symbol.dispose]: () => log.close() });
}

const ref = { session: "s", host: "claude-code" };

/** A line of Claude Code's. */
function line(entry: string, parent: string | null, content: string | object[], role = "user"): NewEvent {
	const raw = JSON.stringify({ type: role, uuid: entry, parentUuid: parent, message: { role, content } });
	const from = parent === null ? {} : { parent };
	return { type: "Message", ...ref, ts: 1, entry, payload: { role, form: "anthropic", ...from }, raw };
}
const use = (id: string) => [{ type: "tool_use", id, name: "Bash", input: {} }];
const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: "out" }];

function pathOf(tree: Tree, leaf: string): string[] {
	return [...tree.upward(tree.find(ref, leaf) ?? null)].map(({ entry }) => entry).reverse();
}

test("a path goes from an entry to its root, and other branches are not on it", () => {
	using tree = treeOf(line("a", null, "hi"), line("b", "a", "left"), line("c", "a", "right"), line("d", "c", "more"));
	assert.deepEqual(pathOf(tree, "b"), ["a", "b"]);
	assert.deepEqual(pathOf(tree, "d"), ["a", "c", "d"]);
	assert.equal(tree.tip(ref), tree.find(ref, "d"));
	assert.equal(tree.countMessages(ref), 4);
	assert.equal(tree.tip({ ...ref, host: "pi" }), undefined);
});

test("results of parallel calls that Claude Code hangs on the line of each call are on one path", () => {
	using tree = treeOf(
		line("u", null, "go"),
		line("c1", "u", use("1"), "assistant"),
		line("c2", "c1", use("2"), "assistant"),
		line("r1", "c1", result("1")),
		line("r2", "c2", result("2")),
		line("next", "r2", "done", "assistant"),
	);
	assert.deepEqual(pathOf(tree, "next"), ["u", "c1", "c2", "r1", "r2", "next"]);
});

test("an answer whose result Claude Code wrote first is on the path of what follows", () => {
	using tree = treeOf(
		line("u", null, "go"),
		line("a1", "u", "I look.", "assistant"),
		line("r1", "a2", result("1")),
		line("a2", "a1", use("1"), "assistant"),
		line("b1", "r1", "And there.", "assistant"),
		line("note", "r2", "a note on the result", "system"),
		line("b2", "b1", use("2"), "assistant"),
		line("r2", "b2", result("2")),
		line("c1", "note", "done", "assistant"),
	);
	assert.deepEqual(pathOf(tree, "c1"), ["u", "a1", "r1", "a2", "b1", "note", "b2", "r2", "c1"]);
});

test("an answer that was made again is another branch", () => {
	using tree = treeOf(
		line("u", null, "go"),
		line("a", "u", use("1"), "assistant"),
		line("r", "a", result("1")),
		line("b", "r", "half of", "assistant"),
		line("c", "r", use("2"), "assistant"),
		line("d", "r", "all of it", "assistant"),
	);
	assert.deepEqual(pathOf(tree, "d"), ["u", "a", "r", "d"]);
});

test("a result that belongs to an older run stays where its host put it", () => {
	using tree = treeOf(
		line("u", null, "go"),
		line("c1", "u", use("1"), "assistant"),
		line("v", "c1", "never mind"),
		line("r1", "c1", result("1")),
	);
	assert.deepEqual(pathOf(tree, "r1"), ["u", "c1", "r1"]);
});

test("a parent that the log lacks is stood in for by the entry before; only an explicit null is a new root", () => {
	using tree = treeOf(line("a", null, "hi"), line("b", "lost", "there"), line("c", null, "anew"));
	assert.deepEqual(pathOf(tree, "b"), ["a", "b"]);
	assert.deepEqual(pathOf(tree, "c"), ["c"]);
});

test("hosts that name no parents write one message after the other, each session for itself", () => {
	const bare = (entry: string, session: string): NewEvent => ({
		type: "Message",
		session,
		host: "claude-code",
		ts: 1,
		entry,
		payload: { role: "user", form: "pi" },
		raw: JSON.stringify({ role: "user", content: entry }),
	});
	using tree = treeOf(bare("a", "s"), bare("x", "t"), bare("b", "s"), bare("y", "t"));
	assert.deepEqual(pathOf(tree, "b"), ["a", "b"]);
	assert.deepEqual(tree.sessionOf(4), { session: "t", host: "claude-code" });
});

test("weights follow what is said, not the JSON: a picture counts the same at any size", () => {
	const image = (data: string) => [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
	using tree = treeOf(
		line("a", null, image("x".repeat(100_000))),
		line("b", "a", image("x")),
		line("c", "b", "y".repeat(320)),
	);
	assert.equal(tree.get(1)!.tokens, tree.get(2)!.tokens);
	assert.equal(tree.get(3)!.tokens, 104);
});

test("a stretch holds the messages between its ends, and nothing where the first is not before the last", () => {
	using tree = treeOf(line("a", null, "1"), line("b", "a", "2"), line("c", "a", "3"), line("d", "c", "4"));
	assert.deepEqual(
		tree.stretch(1, 4).map(({ entry }) => entry),
		["a", "c", "d"],
	);
	assert.deepEqual(tree.stretch(2, 4), []);
});

test("does not remember an entry that was rolled back: another one may get its place", () => {
	const log = newLog();
	const tree = new Tree(log);
	const nameAtFirst = () => {
		tree.catchUp();
		return tree.get(1)?.entry;
	};
	const failing = () =>
		log.transaction(() => {
			log.append([line("rolled-back", null, "one")]);
			assert.equal(nameAtFirst(), "rolled-back");
			throw new Error("The disk is full.");
		});
	assert.throws(failing, /The disk is full/);
	log.append([line("stays", null, "another")]);
	assert.equal(nameAtFirst(), "stays");
	log.close();
});
