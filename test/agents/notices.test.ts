/** What weft tells the user, in every agent in the same words: mistakes in the settings, ignored files, a log that fails. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { suite, test } from "node:test";
import { AGENT_NAMES, type AgentName, PORTS } from "./port.ts";
import { type AgentRun, run } from "./run.ts";
import { SCRIPT, type ScriptStep } from "./script.ts";
import type { AgentWorld } from "./world.ts";

const TWO_TURNS = ["first prompt", "read", "first answer", "prompt without recall", "second answer", "end"];
const steps = SCRIPT.filter(({ name }) => TWO_TURNS.includes(name));

for (const agent of AGENT_NAMES) suite(`${agent} tells the user`, () => checkNotices(agent));

function checkNotices(agent: AgentName): void {
	const mistakes: readonly [what: string, prepare: (world: AgentWorld) => void, told: RegExp][] = [
		[
			"a wrong value",
			(world) => world.putUserConfig('{"mode": "OFF"}'),
			/^\S+\/weft\/config\.json: 'mode' must be one of woven, .*, not "OFF"\.$/,
		],
		[
			"a wrong switch",
			(world) => world.putUserConfig('{"enabled": "no"}'),
			/^\S+\/weft\/config\.json: 'enabled' must be true or false, not "no"\.$/,
		],
		["broken JSON", (world) => world.putUserConfig("{"), /^\S+\/weft\/config\.json: .+\. Correct it, or remove it\.$/],
		[
			"an unknown key",
			(world) => world.putUserConfig('{"moed": "off"}'),
			/^\S+\/weft\/config\.json: unknown key 'moed'\. Did you mean 'mode'\?$/,
		],
		[
			"a wrong variable",
			(world) => Object.assign(world.env, { WEFT_MODE: "nope" }),
			/^WEFT_MODE: must be one of woven, .*, not "nope"\.$/,
		],
	];
	for (const [what, prepare, told] of mistakes) {
		test(`once, of ${what} in the settings`, async () => {
			const of = await run(agent, "woven", { steps, prepare });
			assert.equal(of.said.length, 1, of.said.join("\n"));
			assert.match(wordsOf(of), told);
		});
	}

	test("once, of settings in the project that do not count, and which these are", async () => {
		const prepare = (world: AgentWorld) => world.put(".weft/config.json", '{"mode": "off", "maxReadAgeMs": 10}');
		const of = await run(agent, "woven", { steps, prepare });
		const { lacking, remedy } = PORTS[agent].trust;
		const which = `.weft/config.json is ignored: ${lacking}. It would set maxReadAgeMs. ${remedy} lets it count.`;
		assert.deepEqual([of.said.length, wordsOf(of)], [1, which]);
	});

	test("nothing, where weft is disabled", async () => {
		const prepare = (world: AgentWorld) => world.putUserConfig('{"moed": "off"}');
		assert.deepEqual((await run(agent, "disabled", { steps, prepare })).said, []);
	});

	const faults: readonly [what: string, breaks: (world: AgentWorld) => void, mends: (world: AgentWorld) => void][] = [
		["of a log that cannot be written", (world) => world.breakLog(), (world) => world.mendLog()],
		["of a log that can only be read", (world) => world.closeLogToWriters(), (world) => world.openLogToWriters()],
	];
	for (const [what, breaks, mends] of faults) {
		test(`once, with the first prompt, ${what}`, async () => {
			const saidAt = new Map<string, number>();
			const of = await run(agent, "woven", {
				steps,
				prepare: breaks,
				before: ({ name }: ScriptStep, world, driver) => {
					saidAt.set(name, driver.said.length);
					if (name === "end") mends(world);
				},
			});
			assert.notEqual(saidAt.get("read"), 0);
			// Pi's memory has a door of its own; OpenClaw makes an engine, with a door, for each turn.
			const doors = { pi: 2, openclaw: 2 }[agent as string] ?? 1;
			assert.ok(of.said.length <= doors, of.said.join("\n"));
			assert.match(wordsOf(of), /carries on with|log could not be opened/);
		});
	}

	test("of a log that failed only while no hook could speak", async () => {
		const of = await run(agent, "woven", {
			steps: SCRIPT.filter(({ name }) => [...TWO_TURNS, "edit", "somebody saves", "stale edit"].includes(name)),
			before: ({ name }, world) => {
				if (name === "stale edit") world.breakLog();
				if (name === "first answer") world.mendLog();
			},
		});
		const isRecorded = of.eventsOf("Fault").length > 0;
		if (PORTS[agent].canRefuseCalls) assert.ok(of.said.length === 1 || isRecorded, of.said.join("\n"));
	});

	// Elsewhere the next hook, or the next turn, starts a new log.
	if (!["pi", "claude-code", "opencode"].includes(agent)) return;

	test("of a data folder that was deleted, and brings none of it back", async () => {
		const left: string[] = [];
		const of = await run(agent, "woven", {
			steps,
			before: ({ name }, world) => {
				if (name === "read") rmSync(world.home, { recursive: true });
			},
			after: ({ home }) => void (existsSync(home) && left.push(...readdirSync(home, { recursive: true }).map(String))),
		});
		assert.match(wordsOf(of), /was deleted or replaced while it was in use\. Nothing more is written to it\./);
		assert.match(wordsOf(of), / carries on without (?:it|weft's record) \([a-z_ ]+\)\.$/i);
		assert.deepEqual(left, []);
	});
}

/** Without our name before them. */
function wordsOf({ said }: AgentRun): string {
	return (said[0] ?? "").replace(/^weft: /, "");
}
