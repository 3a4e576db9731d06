import assert from "node:assert/strict";
import { test } from "node:test";
import { renderItems } from "./envelope.ts";
import { PLAIN } from "./text-style.ts";

const item = (id: string, tokens: number, why: string, handle?: string, included = true) => ({
	id,
	kind: "",
	tokens,
	why,
	handle,
	included,
});

test("pieces stand under their reason, whole, in 80 columns; of a long path the end is kept", () => {
	const path = `file:packages/${"deep/".repeat(12)}theme.ts`;
	const lines = [
		...renderItems(
			[
				item("repository", 7, "always"),
				item("user:m-22d815d749b5", 77, "the user said it", "m-22d815d749b5"),
				item("user:m-4ecfcf1e8eb1", 1_015, "the user said it", "m-4ecfcf1e8eb1"),
				item(
					path,
					0,
					`the section's share was used up: ${"3 changed places, ".repeat(3)}1 read`,
					"e-135632994455",
					false,
				),
			],
			{ ...PLAIN, columns: 80 },
		),
	];
	assert.deepEqual(lines, [
		"✓ always",
		"       7                  repository",
		"✓ the user said it: 2 items, 1,092 tokens",
		"      77  m-22d815d749b5",
		"   1,015  m-4ecfcf1e8eb1",
		"– the section's share was used up: 3 changed places, 3 changed places, 3 changed",
		"  places, 1 read",
		"          e-135632994455  …deep/deep/deep/deep/deep/deep/deep/deep/deep/theme.ts",
	]);
	assert.ok(lines.every((line) => line.length <= 80));
});
