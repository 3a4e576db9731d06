import assert from "node:assert/strict";
import { test } from "node:test";
import { tellCount } from "./count.ts";
import { Field } from "./processes.ts";
import { rounds } from "./time.ts";

test("sessions that end together, a prune and verify, while others write: nobody is refused, and verify tells the truth", async () => {
	using field = new Field();
	const writers = [field.start("append", 1_000_000), field.start("append", 1_000_000)];
	const words: string[] = [];
	let ends = 0;
	let verified = 0;
	for (let round = 0; round < rounds(3); round++) {
		const ending = Array.from({ length: 3 }, () => field.start("end", 2));
		const beside = [field.start("prune", 2), field.start("verify", 2)];
		for (const { role, ended } of [...ending, ...beside]) {
			const { words: said, stderr, code } = await ended;
			assert.deepEqual([stderr, code], ["", 0], role);
			if (role === "verify") assert.deepEqual([...new Set(said)], ["open", "whole"]);
			ends += said.filter((word) => word === "ended").length;
			verified += said.filter((word) => word === "whole").length;
			words.push(...said);
		}
	}
	for (const { child, ended } of writers) {
		child.kill("SIGKILL");
		const { words: said, stderr } = await ended;
		assert.equal(stderr, "");
		words.push(...said);
	}
	assert.equal(ends, rounds(3) * 6);
	const { acknowledged, archived } = await field.check(words);
	tellCount("races of end, prune and verify", { ends, verified, acknowledged, "of these in archives": archived });
});
