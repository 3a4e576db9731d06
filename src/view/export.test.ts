import assert from "node:assert/strict";
import { test } from "node:test";
import { closed } from "./export.ts";

test("what a message leaves open is closed, and nothing else is changed", () => {
	const open: readonly (readonly [text: string, end: string])[] = [
		["```ts\nconst a = 1;", "```"],
		["a\n````md\n```\ninside", "````"],
		["~~~\n```", "~~~"],
		["```\nnot closed by ``` this", "```"],
		["  ```js\ncode\n    ```", "```"],
		["fine\n<!-- the rest", "-->"],
	];
	for (const [text, end] of open) assert.equal(closed(text), `${text}\n${end}`);
	for (const text of [
		"",
		"plain",
		"```\na\n```",
		"~~~\na\n~~~~",
		"`` ` ``",
		"```inline``` code",
		"<!-- a --> b",
		"    ```",
	]) {
		assert.equal(closed(text), text);
	}
});
