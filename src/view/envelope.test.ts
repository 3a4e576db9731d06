import assert from "node:assert/strict";
import { test } from "node:test";
import { type ContextEnvelope, makeEnvelope, withUncached } from "../context/envelope/envelope.ts";
import { renderMarkdown, renderText } from "./envelope.ts";

const envelope: ContextEnvelope = withUncached(
	makeEnvelope({
		systemParts: [{ name: "base", text: "You help.\n```\ncode\n```" }],
		tools: [{ name: "read", description: "Reads a file.\nWith lines.", parameters: { type: "object" } }],
		messages: [
			{ id: "s-1", seed: true, role: "user", content: "# State" },
			{
				id: "m-2",
				role: "assistant",
				content: [
					{ type: "thinking", thinking: "hm" },
					{ type: "text", text: "I look." },
					{ type: "toolCall", id: "a", name: "read", arguments: { path: "x.ts" } },
				],
			},
			{
				id: "m-3",
				role: "toolResult",
				toolCallId: "a",
				toolName: "read",
				content: [{ type: "text", text: "let x\nlet y" }],
			},
		],
		options: { reasoning: "low" },
	}),
	[{ id: "x-4", role: "user", content: [{ type: "image", mimeType: "image/png", data: "AAAA" }, "now"] }],
);

test("Markdown shows the whole request; a fence in a text cannot end ours", () => {
	assert.equal(
		renderMarkdown(envelope),
		`# Context

About 1,678 tokens: tools 29, system 7, options 7, seed 7, tail 23, uncached 1,605.

## Options

\`\`\`json
{"reasoning":"low"}
\`\`\`

## System

### base

\`\`\`\`
You help.
\`\`\`
code
\`\`\`
\`\`\`\`

## Tools

### read

> Reads a file.
> With lines.

\`\`\`json
{"type":"object"}
\`\`\`

## Messages, cached (3)

### 1. user \`s-1\`, seed

\`\`\`
# State
\`\`\`

### 2. assistant \`m-2\`

*thinking*

\`\`\`
hm
\`\`\`

\`\`\`
I look.
\`\`\`

*call read*

\`\`\`
{"path":"x.ts"}
\`\`\`

### 3. toolResult \`m-3\`

*result read*

\`\`\`
let x
let y
\`\`\`

## Messages, for this request alone (1)

### 1. user \`x-4\`

*image*

\`\`\`
image/png
\`\`\`

\`\`\`
now
\`\`\`
`,
	);
});

test("where the host counts the whole, the sizes of the parts add up to it", () => {
	const line = /About .*/.exec(renderMarkdown(envelope, { tokens: 1_501 }))![0];
	assert.equal(line, "About 1,501 tokens: tools 26, system 6, options 6, seed 6, tail 21, uncached 1,436.");
});

test("the short text has a line for each piece", () => {
	assert.deepEqual(renderText(envelope).split("\n").slice(1), [
		"system    base: You help. ``` code ```",
		"tool      read: Reads a file. With lines.",
		"seed      s-1 user, 7 tokens: # State",
		'tail      m-2 assistant, 15 tokens: thinking hm · I look. · call read {"path":"x.ts"}',
		"tail      m-3 toolResult, 8 tokens: result read let x let y",
		"uncached  x-4 user, 1,605 tokens: image image/png · now",
	]);
});

test("both are bounded and say what was left out", () => {
	const messages = Array.from({ length: 4_000 }, (_, at) => ({
		id: `m-${at}`,
		role: "user",
		content: "😀".repeat(5_000),
	}));
	const large = makeEnvelope({ messages });
	for (const rendered of [renderMarkdown(large), renderText(large)]) {
		assert.ok(rendered.length < 201_000);
		assert.match(rendered, /… [\d,]+ more pieces left out\.$/);
		assert.ok(rendered.isWellFormed());
	}
	assert.match(renderMarkdown(large), /\(6,00\d more characters\)/);
});

test("messages of the other forms are readable too", () => {
	const text = renderText(
		makeEnvelope({
			messages: [
				{ id: "a", role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: { path: "x" } }] },
				{
					id: "b",
					role: "user",
					content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "found" }] }],
				},
				{
					id: "c",
					role: "assistant",
					content: null,
					tool_calls: [{ id: "u", function: { name: "grep", arguments: '{"q":1}' } }],
				},
				{ id: "d", role: "tool", tool_call_id: "u", content: "hit" },
				{ id: "e", role: "bashExecution", command: "ls", output: "a.ts" },
				{ id: "f", role: "user", content: "" },
			],
		}),
	);
	assert.deepEqual(
		text
			.split("\n")
			.slice(1)
			.map((line) => line.replace(/^tail\s+/, "").replace(/ \w+, \d+ tokens/, "")),
		[
			'a: call read {"path":"x"}',
			"b: result t found",
			'c: call grep {"q":1}',
			"d: result u hit",
			"e: Ran `ls` ``` a.ts ```",
			"f: (empty)",
		],
	);
});
