import { test } from "node:test";
import { assistant, call, type SessionWord, user } from "../../../test/rig/events.ts";
import { given } from "../../../test/rig/fold-specification.ts";
import { type ThreadState, threadIn } from "../../state/thread/thread.ts";
import { threadFold } from "../../state/thread/thread-fold.ts";
import { namesFile } from "./open-work.ts";

const FILES = ["src/parser.ts", "lib/lexer.ts", "README.md", "src/other.ts"];
const named = (state: ThreadState) => FILES.filter(namesFile(threadIn(state, "s")));
const expect = (words: readonly SessionWord[], files: readonly string[]) =>
	given(...words)
		.when(threadFold, named)
		.then(files);
const todos = (status: string) => call("TodoWrite", { todos: [{ content: "Rename in lib/lexer.ts", status }] }, "ok");

test("an item of the plan names files while it is open", () => {
	expect([user("Do it."), todos("pending")], ["lib/lexer.ts"]);
	expect([user("Do it."), todos("completed")], []);
});

test("the agent's newest words name files", () => {
	expect([user("Do it."), assistant("Now I will change src/other.ts and its test.")], ["src/other.ts"]);
});

test("the user's words, and a session without any, name none", () => {
	expect([user("Change src/parser.ts and README.md.")], []);
	expect([], []);
});
