/** The real opencode with weft's plugin, headless, against a scripted model. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Agent, assertSealed, start } from "./many-reads.ts";

const OPENCODE: Agent = {
	name: "opencode",
	read: (world, file) => ({ name: "read", args: { filePath: join(world.project, file) } }),
	messages: ({ json }) => json["messages"] as unknown[],
	isTurn: ({ json }) => ((json["tools"] as unknown[]) ?? []).length > 0,
};

test("opencode with the plugin: the planner's requests, and no compaction of its own", async (t) => {
	const world = await start(t, OPENCODE);
	const models = { scripted: { name: "scripted", limit: { context: 200_000, output: 8_000 }, tool_call: true } };
	const options = { baseURL: `${world.url}/v1`, apiKey: world.key };
	const config = {
		autoupdate: false,
		share: "disabled",
		snapshot: false,
		model: "lab/scripted",
		small_model: "lab/scripted",
		permission: { "*": "allow" },
		provider: { lab: { npm: "@ai-sdk/anthropic", name: "lab", options, models } },
	};
	writeFileSync(join(world.project, "opencode.json"), JSON.stringify(config));
	const folders = Object.fromEntries(
		["DATA", "CONFIG", "CACHE", "STATE"].map((name) => [`XDG_${name}_HOME`, join(world.user, name.toLowerCase())]),
	);
	const switches = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"].map((name) => [
		`OPENCODE_DISABLE_${name}`,
		"1",
	]);
	const env = world.env({ ...folders, ...Object.fromEntries(switches) });
	const ran = await world.weft(["run", "opencode", "--", "run", "--format", "json", "read all of it"], env);
	assertSealed(world, OPENCODE, ran);
});
