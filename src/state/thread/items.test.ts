import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, event, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { threadItems } from "./items.ts";
import { threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

const CAUSE = "The root cause of the gap was the time zone of the gauge.";

for (const [host, form, raw] of [
	["Pi", "pi", { role: "compactionSummary", summary: `## Goal\nBuild the table.\n${CAUSE}`, tokensBefore: 9 }],
	[
		"Claude Code",
		"anthropic",
		{
			type: "user",
			uuid: "u",
			isCompactSummary: true,
			message: { role: "user", content: `Summary:\n1. Primary Request:\n   Build the table.\n${CAUSE}` },
		},
	],
] as const) {
	test(`what ${host}'s own summary found is a finding by a model, with the summary's handle`, () => {
		const summary = event("Message", { form, role: "compactionSummary", raw });
		const thread = threadIn(stateAfter(threadFold, user("Build the table."), assistant("I start."), summary), "s");
		assert.ok(thread);
		const found = threadItems(thread, "s").filter(({ kind }) => kind === "finding");
		assert.deepEqual(
			found.map(({ text, by, handle }) => ({ text, by, isOfSummary: handle === thread.summary?.handle })),
			[{ text: CAUSE, by: "model", isOfSummary: true }],
		);
	});
}
