import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hit } from "../../log/search/types.ts";
import { Output } from "../output.ts";
import { hitLines } from "./grep.ts";

const HIT: Hit = {
	seq: 12,
	id: "01890a5d-ac96-774b-bcce-b302099a8057",
	session: "s1",
	role: "toolResult",
	tool: "bash",
	ts: Date.UTC(2026, 0, 5, 10),
	snippet: "the parser fails on tabs",
	ranges: [{ start: 4, end: 10 }],
	score: 1,
};

function output(columns: number | undefined): Output {
	const stdout = { isTTY: columns !== undefined, columns } as unknown as typeof process.stdout;
	return new Output({ json: false, color: false }, stdout);
}

test("a hit is one line where there is room, and two on a narrow terminal", () => {
	for (const columns of [undefined, 160]) {
		const [line, ...rest] = hitLines(output(columns), [HIT]);
		assert.match(line!, /^12 {2}2026-01-05 \S+ {2}s1 {2}toolResult bash {2}the «parser» fails on tabs$/);
		assert.deepEqual(rest, []);
	}
	const lines = [...hitLines(output(80), [HIT])];
	assert.equal(lines.length, 2);
	assert.match(lines[0]!, /toolResult bash$/);
	assert.equal(lines[1], "  the «parser» fails on tabs");
	assert.deepEqual([...hitLines(output(80), [])], []);
});
