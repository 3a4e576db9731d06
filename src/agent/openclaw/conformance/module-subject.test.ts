import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../test/rig/temporary-folder.ts";
import { loadEngineModule } from "./module-subject.ts";

test("a module that cannot be loaded is named, with its own error", async () => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, "engine.mjs"), 'throw new Error("no database");\n');
	await assert.rejects(loadEngineModule("./engine.mjs", folder), {
		name: "EngineError",
		code: "usage",
		message: "./engine.mjs cannot be loaded: no database",
	});
});

test("a module that is not there, and one without an engine, are named", async () => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, "number.mjs"), "export default 3;\n");
	await assert.rejects(loadEngineModule("./none.mjs", folder), { code: "not-found", message: /\.\/none\.mjs/ });
	await assert.rejects(loadEngineModule("./number.mjs", folder), { code: "usage", message: /has no context engine/ });
});
