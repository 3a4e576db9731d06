/** What weft tells the user, in every agent in the same words: mistakes in the settings and ignored files. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { AGENT_NAMES, type AgentName, PORTS } from "./port.ts";
import { type AgentRun, run } from "./run.ts";
import { SCRIPT } from "./script.ts";
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
		const prepare = (world: AgentWorld) => world.put(".weft/config.json", '{"mode": "off", "maxReadLines": 10}');
		const of = await run(agent, "woven", { steps, prepare });
		const { lacking, remedy } = PORTS[agent].trust;
		const which = `.weft/config.json is ignored: ${lacking}. It would set maxReadLines. ${remedy} lets it count.`;
		assert.deepEqual([of.said.length, wordsOf(of)], [1, which]);
	});

	test("nothing, where weft is disabled", async () => {
		const prepare = (world: AgentWorld) => world.putUserConfig('{"moed": "off"}');
		assert.deepEqual((await run(agent, "disabled", { steps, prepare })).said, []);
	});
}

/** Without our name before them. */
function wordsOf({ said }: AgentRun): string {
	return (said[0] ?? "").replace(/^weft: /, "");
}
