import assert from "node:assert/strict";
import { chmodSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { Place } from "./place.ts";

/** A `pi` that prints its arguments. */
const PI = '#!/bin/sh\necho "$@"\necho "home $WEFT_HOME in $(pwd)"\nexit 3\n';

function placeWithPi(): { place: Place; env: Record<string, string> } {
	const place = new Place();
	after(() => place.remove());
	const program = place.file("bin/pi", PI);
	chmodSync(program, 0o755);
	return { place, env: { PATH: `${dirname(program)}:/usr/bin:/bin` } };
}

test("weft run pi starts the Pi on the PATH with our extension, in the project, with its own arguments", async () => {
	const { place, env } = placeWithPi();
	const { code, out } = await place.weftIn(env, "run", "pi", "--model", "some/model", "-p", "hello");
	const [args, where] = out.split("\n");
	const [flag, extension, ...rest] = args!.split(" ");
	assert.equal(flag, "-e");
	assert.ok(existsSync(extension!) && extension!.endsWith(join("src", "agent", "pi", "index.ts")));
	assert.deepEqual(rest, ["--model", "some/model", "-p", "hello"]);
	assert.equal(where, `home ${place.home} in ${place.project}`);
	assert.equal(code, 3, "Pi's own status");
});

test("weft run pi does not load the extension again where the package is installed", async () => {
	const { place, env } = placeWithPi();
	place.file(".pi/agent/settings.json", JSON.stringify({ packages: ["npm:weft-context@0.1.0"] }));
	const { out } = await place.weftIn(env, "run", "pi");
	assert.equal(out.split("\n")[0], "");
});

test("weft run pi without a Pi says how to install it", async () => {
	const { place } = placeWithPi();
	const { code, err } = await place.weftIn({ PATH: place.folder }, "run", "pi");
	assert.equal(code, 3);
	assert.match(err, /There is no 'pi' on your PATH\. 'npm install -g /);
});
