/**
 * Commands that run out of file descriptors at every point: each works or says why not. None says that there is no log, and the
 * log is whole afterwards. Below a limit that depends on the machine, Node itself does not start.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Place } from "../cli/place.ts";
import { FORMATS, writeFormat } from "../formats/formats.ts";
import { SCRIPT } from "../formats/script.ts";
import { tellCount } from "./count.ts";

const COMMANDS = fileURLToPath(new URL("commands.ts", import.meta.url));
const LINES = [
	"status",
	"verify",
	"sessions --all",
	"report",
	"grep --all selvage",
	"thread",
	"rebuild",
	"doctor",
	"snapshot",
];
/** Above these everything works. */
const MOST_FREE = 8;

test("every number of free descriptors", {
	skip: process.platform === "win32" && "no limits of processes",
}, async (t) => {
	const place = new Place();
	t.after(() => place.remove());
	const format = FORMATS.find(({ agent }) => agent === "pi") ?? assert.fail("no sample");
	const file = writeFormat(format, place.folder, SCRIPT);
	assert.equal((await place.weft("import", file, "--project", place.project, "--yes")).code, 0);
	const lines = JSON.stringify([...LINES, `import ${file} --project ${place.project}`].map((line) => line.split(" ")));
	const run = (limit: number) =>
		spawnSync("sh", ["-c", `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, COMMANDS, lines], {
			...{ cwd: place.project, env: place.env(), encoding: "utf8", timeout: 120_000 },
		});
	const told = { limits: 0, commands: 0, worked: 0, "said why not": 0 };
	// The first limit at which the commands run at all is the one with the fewest free descriptors.
	let least = 16;
	while (least < 200 && run(least).status !== 0) least++;
	for (let limit = least; limit <= least + MOST_FREE; limit += 2) {
		const { status, stdout, stderr } = run(limit);
		assert.equal(status, 0, stderr);
		told.limits++;
		for (const { status: code, said } of JSON.parse(stdout) as { status: number; said: string }[]) {
			told.commands++;
			assert.doesNotMatch(said, /should not have happened|There is no log|Nothing found in 0 texts|damaged|\n {4}at /);
			if (code === 0) told.worked++;
			else {
				told["said why not"]++;
				assert.match(said, /too many files are open|✗|cannot be/, said);
			}
		}
	}
	assert.ok(told["said why not"] > 0 && told.worked > 0, JSON.stringify(told));
	const { code, out } = await place.weft("verify");
	assert.equal(code, 0, out);
	tellCount("too many open files", told);
});
