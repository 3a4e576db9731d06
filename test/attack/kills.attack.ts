import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { randomFrom, tellCount } from "./count.ts";
import { Field, type Role } from "./processes.ts";
import { rounds } from "./time.ts";

const SLOTS: readonly Role[] = ["append", "append", "read", "prune", "end"];
const LONGEST_MS = 600;

test("kill -9 in mixed roles: what was acknowledged is there, and nobody saw an error", async () => {
	using field = new Field();
	const words: string[] = [];
	const kills: Partial<Record<Role, number>> = {};
	/** One slot: its process is killed at a random moment, and the next one takes its place. */
	const slot = async (role: Role, n: number) => {
		const random = randomFrom(n + 1);
		for (let kill = 0; kill < rounds(8); kill++) {
			const running = field.start(role, 1_000_000);
			await running.up;
			await setTimeout(random() * LONGEST_MS);
			running.child.kill("SIGKILL");
			const ended = await running.ended;
			assert.equal(ended.stderr, "", role);
			words.push(...ended.words);
			kills[role] = (kills[role] ?? 0) + 1;
		}
	};
	await Promise.all(SLOTS.map(slot));
	const { acknowledged, archived } = await field.check(words);
	assert.ok(acknowledged > 0, "nothing was written at all");
	const total = Object.values(kills).reduce((sum, count) => sum + count, 0);
	tellCount("kills in mixed roles", { kills: total, acknowledged, "of these in archives": archived, lost: 0 });
});
