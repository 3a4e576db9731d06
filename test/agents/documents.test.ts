/** The pages about agents agree with their ports and their setups. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { codexSetup } from "../../src/agent/codex/setup.ts";
import { installFakeAgent } from "../rig/fake-agent.ts";
import { AGENT_NAMES, PORTS } from "./port.ts";

const read = (page: string) => readFileSync(join(import.meta.dirname, "../..", page), "utf8");

for (const agent of AGENT_NAMES) {
	test(`the README's table says of ${agent} what its port allows`, () => {
		const { title, recall, canRefuseCalls, canReplaceResults, request } = PORTS[agent];
		const row = read("README.md")
			.split("\n")
			.find((line) => line.startsWith(`| [${title}](`));
		const says = (words: string) => row?.includes(words) ?? false;
		assert.deepEqual(
			{
				recall: says("recalls"),
				guard: says("guards edits"),
				bounds: says("bounds output"),
				request: says("builds every prompt"),
			},
			{
				recall: recall !== "none",
				guard: canRefuseCalls,
				bounds: canReplaceResults,
				request: request === "messages",
			},
		);
	});
}

test("Codex's page names every hook that its setup writes", (t) => {
	const { found, options } = installFakeAgent(t, codexSetup, {});
	const written = codexSetup.plan(found, options).find(({ file }) => file.endsWith("hooks.json"));
	const { hooks } = JSON.parse(written?.after ?? "{}") as { readonly hooks: object };
	const row = read("docs/codex.md")
		.split("\n")
		.find((line) => line.startsWith("| `hooks.json` |"));
	assert.deepEqual(
		Object.keys(hooks).filter((hook) => !row?.includes(`\`${hook}\``)),
		[],
	);
});

test("no hook of Claude Code's plugin passes on the answer of a tool that changes files: it holds the whole file", () => {
	type Group = {
		readonly matcher?: string;
		readonly hooks: readonly { readonly input: Readonly<Record<string, string>> }[];
	};
	const { hooks } = JSON.parse(read("plugin/claude-code/weft/hooks/hooks.json")) as { hooks: Record<string, Group[]> };
	let seen = 0;
	for (const { matcher, hooks: inputs } of hooks["PostToolUse"] ?? []) {
		for (const tool of ["Edit", "Write", "MultiEdit", "NotebookEdit"]) {
			if (matcher !== undefined && !new RegExp(`^(?:${matcher})$`).test(tool)) continue;
			seen++;
			const passed = inputs.flatMap(({ input }) => Object.values(input)).filter((value) => /tool_response/.test(value));
			const small = ["type", "structuredPatch", "userModified"].map((field) => `\${tool_response.${field}}`);
			assert.deepEqual(passed, small, tool);
		}
	}
	assert.ok(seen >= 3);
});
