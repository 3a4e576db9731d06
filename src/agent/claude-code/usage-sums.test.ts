import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageSums } from "./usage-sums.ts";

test("counts each answer once, by the last of its lines, however many answers there are", () => {
	const sums = new UsageSums();
	const add = (id: string, output_tokens: number, model = "m") =>
		sums.add({ type: "assistant", message: { id, model, usage: { input_tokens: 2, output_tokens } } });
	for (let n = 0; n < 3_000; n++) {
		add(`a${n}`, 1);
		add(`a${n}`, 5);
	}
	add("other", 7, "n");
	// A line that a resume has copied.
	add("a0", 5);
	const byModel = [...sums.byModel()].map(([model, usage]) => [model, usage.input, usage.output]);
	assert.deepEqual(byModel, [
		["m", 6_000, 15_000],
		["n", 2, 7],
	]);
});
