import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openEngine } from "../../src/engine.ts";
import { Place } from "./place.ts";

test("rewind lists the moments, prints a plan, does it with --yes, and names the way back", async (t) => {
	const place = new Place();
	t.after(() => place.remove());
	const notes = place.file("project/notes.txt", "mine\n");
	const engine = openEngine({ cwd: place.project, host: "pi", home: place.home, env: {} });
	const call = { session: "s", host: "pi", cwd: place.project, tool: "bash", callId: "c1" };
	engine.judge({ ...call, input: { command: "rm notes.txt" } });
	engine.close();
	rmSync(notes);

	const listed = await place.weft("rewind");
	assert.match(listed.out, /before: rm notes\.txt \(1 file kept\)/);
	const planned = await place.weft("rewind", "notes.txt", "--before", "rm notes", "--diff");
	assert.match(planned.out, /write {3}notes\.txt \(5 bytes\)\n--- a\/notes\.txt[\s\S]*\+mine/);
	assert.match(planned.err, /Nothing was changed/);
	assert.equal(existsSync(notes), false);
	const done = JSON.parse((await place.weft("rewind", "notes.txt", "--before", "rm notes", "--yes", "--json")).out);
	assert.equal(readFileSync(notes, "utf8"), "mine\n");
	const undone = await place.weft("rewind", "notes.txt", "--to", String(done.undo), "--yes");
	assert.match(undone.out, /remove {2}notes\.txt\nDone\. To undo it: weft rewind notes\.txt --to \d+ --yes/);
	assert.equal(existsSync(notes), false);

	assert.deepEqual((await place.weft("rewind", "--yes")).code, 2);
	assert.deepEqual((await place.weft("rewind", "--to", "999999")).code, 3);
	assert.deepEqual((await place.weft("rewind", join("..", "x"), "--to", "1")).code, 4);
});
