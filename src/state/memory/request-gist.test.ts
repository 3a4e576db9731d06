import assert from "node:assert/strict";
import { test } from "node:test";
import { isTyped, requestGist } from "./request-gist.ts";

test("a request is named by its own words: not by a tag, a bare heading or a paste before them", () => {
	const cases = [
		[
			"Implement the following plan:\n\n# Count the gannets\n\n## Context\nText",
			"Implement the following plan: Count the gannets",
		],
		["<current_datetime>2026-11-18T09:00:00Z</current_datetime>\n\nlook at the tide gauge", "look at the tide gauge"],
		['"# Context\n\nYou keep the **berth** list.', "You keep the berth list."],
		["lint the docs in `**/*.md` only", "lint the docs in `**/*.md` only"],
	] as const;
	for (const [request, gist] of cases) assert.equal(requestGist(request), gist);
	assert.equal(
		isTyped("[lint:go] a.go:4:2: unused (deadcode)\n[lint:go] 1 issues:\n[lint:go] * deadcode\n[lint:go] done"),
		false,
	);
	assert.equal(isTyped("/mode"), false);
	assert.equal(isTyped("lint fails:\n[lint:go] a.go:4:2: unused"), true);
});
