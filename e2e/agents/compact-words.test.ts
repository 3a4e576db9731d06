/** `/compact WORDS` in the real Claude Code, with the plugin and behind the proxy: the words choose what the next request keeps. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pasted } from "../../test/rig/scene/long-session.ts";
import { ClaudeWorld } from "./claude-world.ts";

const RULE = "Never push to main directly.";
/** None of them is in the rule. */
const WORDS = "our conventions";

for (const weft of [true, "proxy"] as const) {
	test(`${weft === true ? "with the plugin" : "behind the proxy"} the rules are kept for "${WORDS}"`, async () => {
		const world = await ClaudeWorld.start({ "gauges.csv": "day,height\n1,3.9\n", "long.log": pasted(1) });
		try {
			const { script } = world;
			const read = (file: string) => ({ toolCalls: [script.call("Read", { file_path: world.path(file) })] });
			script.add({ text: "Understood." }, read("gauges.csv"), { text: "The gauges are read." });
			script.add(read("long.log"), { text: "The log is read." }, { text: "I go on." });
			const process = world.open({ weft });
			await process.turn(RULE);
			await process.turn("Read the gauges.");
			await process.turn("And the log.");
			await process.turn(`/compact ${WORDS}`);
			await process.turn("Go on.");
			await process.end();
			const last = world.requests.filter(({ index }) => script.kinds[index] === "step").at(-1);
			const sent = JSON.stringify(last?.json["messages"]);
			const kept = sent.slice(sent.indexOf("What the user asked to keep"));
			assert.ok(kept.startsWith(`What the user asked to keep of what has left\\n\\"${WORDS}\\"`), kept.slice(0, 200));
			assert.ok(kept.slice(0, 600).includes(RULE), kept.slice(0, 600));
		} finally {
			await world.close();
		}
	});
}
