import assert from "node:assert/strict";
import { test } from "node:test";
import { followCaller } from "./node-process.ts";

function cwdAfter(env: NodeJS.ProcessEnv, cwd: string): string {
	let at = cwd;
	followCaller({
		env,
		cwd: () => at,
		chdir: (folder) => {
			at = folder;
		},
	});
	return at;
}

test("under npm --prefix, paths are those of the caller; elsewhere nothing moves", () => {
	const npm = { INIT_CWD: "/home/me/app", npm_lifecycle_event: "weft", npm_package_json: "/opt/weft/package.json" };
	assert.equal(cwdAfter(npm, "/opt/weft"), "/home/me/app");
	assert.equal(cwdAfter({ ...npm, npm_lifecycle_event: "test" }, "/opt/weft"), "/opt/weft");
	assert.equal(cwdAfter(npm, "/home/me/other"), "/home/me/other", "an agent that we started has a folder of its own");
	assert.equal(cwdAfter({}, "/opt/weft"), "/opt/weft");
});
