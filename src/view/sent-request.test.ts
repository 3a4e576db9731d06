import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageLines } from "./sent-request.ts";

const envelope = {
	messages: { cached: [], uncached: [] },
} as unknown as ConstructorParameters<typeof MessageLines>[0];

test("a message is named by its writer's own words, and what a program wrote in the user's name is the program's", () => {
	const lineOf = (agent: string, ...texts: string[]) => {
		const content = texts.map((text) => ({ type: "text", text }));
		const { role, preview } = new MessageLines(envelope, { root: "/mill", agent }).line({
			id: "a",
			role: "user",
			content,
		});
		return [role, preview];
	};
	const dated = "<current_datetime>2026-04-01T09:00:00Z</current_datetime>\n\nMend the loom.";
	assert.deepEqual(lineOf("copilot-cli", dated), ["user", "Mend the loom."]);
	assert.deepEqual(lineOf("codex", "<environment_context><cwd>/mill</cwd></environment_context>"), [
		"program",
		"<environment_context><cwd>/mill</cwd></environment_context>",
	]);
	assert.deepEqual(lineOf("claude-code", "<system-reminder>Be brief.</system-reminder>", "Mend the loom."), [
		"user",
		"Mend the loom.",
	]);
	// Pi puts no tags around anything: these are the user's.
	assert.deepEqual(lineOf("pi", "<current_datetime>now</current_datetime>")[0], "user");
});
