import { test } from "node:test";
import { assistant, user } from "../../../test/rig/events.ts";
import { given } from "../../../test/rig/fold-specification.ts";
import { type ThreadState, threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

const phases = (state: ThreadState) =>
	threadIn(state, "s")?.phases.map(({ name, text, state: at }) => [name, text, at]);
const PLAN = user("Implement this plan:\n\n## Phase 1: Types\nSome words.\n## Phase 2: Parser\n## Phase 3: Docs");

test("phases of a plan keep the position that the agent reports", () => {
	given(PLAN, assistant("Phase 1 is complete: all types are there. Now Phase 2."))
		.when(threadFold, phases)
		.then([
			["Phase 1", "Types", "done"],
			["Phase 2", "Parser", "doing"],
			["Phase 3", "Docs", "open"],
		]);
});

test("a phase that is only mentioned is not begun before those before it are done", () => {
	given(PLAN, assistant("I will leave the README to Phase 3."), assistant("Let me begin with phase 1."))
		.when(threadFold, phases)
		.then([
			["Phase 1", "Types", "doing"],
			["Phase 2", "Parser", "open"],
			["Phase 3", "Docs", "open"],
		]);
});

test("a stack of pull requests is such an order, and a single number is none", () => {
	given(user("The stack:\n- PR 1: the store\n- PR 2: the cart"), assistant("PR 1 is merged."))
		.when(threadFold, phases)
		.then([
			["PR 1", "the store", "done"],
			["PR 2", "the cart", "open"],
		]);
	given(user("Step 1: look at the log")).when(threadFold, phases).then([]);
});

test("in a document only headings number the work", () => {
	const plan =
		"# Pipeline\n## Context\nPhase 1: plan the fixes\nPhase 2: apply them\n```\n## Phase 1: x\n## Phase 2: y\n```";
	given(user(plan)).when(threadFold, phases).then([]);
});
