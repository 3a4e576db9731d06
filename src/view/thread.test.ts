import assert from "node:assert/strict";
import { test } from "node:test";
import { textWidth } from "../base/text/cut.ts";
import { estimateTokens } from "../base/tokens/estimate.ts";
import { PLAIN } from "./text-style.ts";
import { renderBoundedThread, renderThreadView, type ThreadView, type ThreadViewItem } from "./thread.ts";

const item = (kind: ThreadViewItem["kind"], at: number, text: string, more: Partial<ThreadViewItem> = {}) =>
	({
		id: `${kind}-${String(at).padStart(6, "0")}`,
		kind,
		text,
		handle: `m-${String(at).padStart(12, "0")}`,
		seq: at,
		by: "user",
		state: "holds",
		isPinned: false,
		...more,
	}) satisfies ThreadViewItem;

function view(rules: number, words: string): ThreadView {
	const held = Array.from({ length: rules }, (_, at) => item("rule", at, `Rule ${at}: ${words}`));
	const pinned = item("rule", rules, "Never touch README.md.", { isPinned: true, seq: 0 });
	return {
		session: "0199c0de-0000-7000-8000-00000000abcd",
		host: "pi",
		requests: 3,
		sections: [
			{ name: "asked", title: "Asked", items: [item("task", 1, "Build the tide table.")], left: 0 },
			{ name: "holds", title: "Holds", items: [pinned, ...held], left: 0 },
			{ name: "next", title: "Next", items: [item("next", 9, "Write tides.json", { state: "open" })], left: 0 },
		],
	};
}

test("lines fit the screen, and what follows the first line of an item is indented", () => {
	const lines = renderThreadView(view(2, "heights are in metres above the harbour's datum, ".repeat(6)), {
		...PLAIN,
		columns: 80,
	});
	assert.deepEqual(
		lines.filter((line) => textWidth(line) > 80),
		[],
	);
	assert.ok(lines.some((line) => /^ {4}\S/.test(line)));
});

test("a thread that is too long keeps the task, pinned rules and what is next, and says how much is left out", () => {
	for (const words of ["short", "very long words ".repeat(60), "長い文章です。".repeat(80)]) {
		const text = renderBoundedThread(view(400, words), { maxTokens: 1_500, more: "--all" });
		assert.ok(estimateTokens(text) <= 1_500, `${estimateTokens(text)} tokens`);
		for (const kept of ["Build the tide table.", "(pinned) Never touch README.md.", "Write tides.json", "more: --all"])
			assert.ok(text.includes(kept), kept);
	}
});

test("a thread that fits is shown whole", () => {
	const whole = view(3, "short");
	assert.equal(renderBoundedThread(whole, { maxTokens: 1_500 }), renderThreadView(whole, PLAIN).join("\n"));
});

test("a session without a request says so", () => {
	const empty = { session: "0199c0de", host: "pi", requests: 0, sections: [] };
	assert.deepEqual(renderThreadView(empty, PLAIN), [
		"Session 0199c0de (pi) has no thread yet: nothing was asked in it.",
	]);
});
