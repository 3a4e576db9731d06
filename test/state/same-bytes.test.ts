/** One session, in logs that hold other things before it: the same handles, and the same bytes for a model. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { READERS } from "../../src/agent/agents.ts";
import { importFile } from "../../src/agent/recorded/import.ts";
import { projectState } from "../../src/context/project-state.ts";
import { renderSeed } from "../../src/context/section/seed.ts";
import { renderWarp } from "../../src/context/section/warp.ts";
import { handleOf } from "../../src/log/handle.ts";
import { Log } from "../../src/log/log.ts";
import { recordedFiles } from "../../src/state/work/recorded-files.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";
import { DEMO_SESSION } from "./demo-log.ts";

const root = temporaryFolder();

async function imported(before: number) {
	const log = new Log({ folder: join(root, `after-${before}`), origin: "here" });
	for (let n = 0; n < before; n++) {
		const payload = { role: "user", form: "pi", raw: { message: { role: "user", content: `Another thing, ${n}.` } } };
		log.append([{ type: "Message", session: "another", host: "pi", ts: n, entry: `m${n}`, payload }]);
	}
	const { sessions } = await importFile(DEMO_SESSION, { readers: READERS, logFor: () => log });
	const { session } = sessions[0]!;
	const records = [...log.read({ session })];
	const seq = log.newestSeq();
	const { state } = projectState(log, { snapshots: false }).current();
	const files = recordedFiles(log, seq);
	const shown = { session, state, files, budget: 6_000 };
	const warp = renderWarp({ ...shown, now: 0 });
	return {
		handles: records.map(handleOf),
		found: records.every((record) => log.findHandle(handleOf(record)) === record.seq),
		seed: renderSeed({ ...shown, host: "pi", root: "/home/dev/tidepool", raw: "" }).text,
		warp: warp.text,
		items: warp.items.map(({ id, handle }) => [id, handle]),
	};
}

test("handles, seed and warp of a session do not depend on what else the log holds", async () => {
	const [alone, later] = [await imported(0), await imported(23)];
	assert.deepEqual(later, alone);
	assert.equal(alone.found, true);
	assert.match(alone.seed, /## The task \(m-[0-9a-f]{12}\)/);
});
