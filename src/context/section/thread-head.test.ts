import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { threadIn } from "../../state/thread/thread.ts";
import { threadFold } from "../../state/thread/thread-fold.ts";
import { bytesOf } from "./section.ts";
import { SEED_STYLE } from "./seed.ts";
import { verbatim } from "./thread-head.ts";

const PARTS = Array.from(
	{ length: 9 },
	(_, at) =>
		`### ${at + 1}. Gauge ${at + 1}\n\n${"Read it once an hour. ".repeat(10)}\n\`\`\`sh\n${"read it\n".repeat(20)}\`\`\``,
);
const plan = threadIn(stateAfter(threadFold, user(`Carry out this plan.\n\n${PARTS.join("\n\n")}`)), "s")?.orders[0];

test("an order that is cut in its middle keeps the headings of what is cut, within its room", () => {
	assert.ok(plan);
	const text = verbatim("task", "The task", plan, SEED_STYLE, 2_400).lines.join("\n");
	for (const at of PARTS.keys()) assert.equal(text.split(`${at + 1}. Gauge ${at + 1}`).length, 2, `${at}`);
	assert.match(text, /\[… cut; whole: m-[0-9a-f]+ …\]\n\[In what is cut: \d\. Gauge \d; .*\]\n/);
	fc.assert(
		fc.property(fc.integer({ min: 300, max: 5_000 }), (bytes) => {
			assert.ok(bytesOf(verbatim("task", "The task", plan, SEED_STYLE, bytes).lines) <= bytes);
		}),
	);
});
