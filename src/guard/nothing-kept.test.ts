/** When the log cannot take the bytes of files: the command waits once where it visibly removes files, else a note says so. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { TemporaryProject } from "../../test/rig/temporary-folder.ts";
import type { StateFold } from "../log/fold/state-fold.ts";
import { Log } from "../log/log.ts";
import { DiskFiles } from "./disk.ts";
import { GUARD_FOLDS, Guard, type GuardState } from "./guard.ts";
import { Keeper } from "./keeper.ts";
import { DEFAULT_GUARD_SETTINGS } from "./types.ts";

function guardWithoutLog(folder: string, powers: { readonly forgetsCalls?: boolean } = {}): Guard {
	const log = new Log({ folder: join(folder, "log"), origin: "test" });
	log.close();
	const parts = Object.entries(GUARD_FOLDS) as unknown as [string, StateFold<unknown>][];
	const state = Object.fromEntries(parts.map(([part, each]) => [part, each.initial()])) as unknown as GuardState;
	return new Guard({
		state: () => state,
		files: new DiskFiles(),
		settings: DEFAULT_GUARD_SETTINGS,
		powers: { canChangeInput: true, ...powers },
		keeper: new Keeper({ log, maxBytes: 1e9, now: Date.now }),
	});
}

test("a command that visibly removes files waits once, other risky ones get one note, harmless ones none", () => {
	using project = new TemporaryProject();
	project.put("notes.txt", "mine\n");
	const guard = guardWithoutLog(project.folder);
	let calls = 0;
	const run = (command: string) => {
		const of = { session: "s", host: "pi", cwd: project.folder, tool: "bash", input: { command } };
		const call = { ...of, callId: `c${++calls}` };
		const { action } = guard.before(call);
		if (action === "block") return "waits";
		const result = { kind: "result", callId: call.callId, text: "", isError: false } as const;
		return guard.after(call, result).notes.filter((note) => note.startsWith("Nothing could be kept")).length;
	};
	assert.deepEqual(["ls", "make", "make all", "rm notes.txt", "rm notes.txt", "rm -rf ."].map(run), [
		...[0, 1, 0],
		...["waits", 0, "waits"],
	]);
});

test("where each hook is a process of its own, nothing waits", () => {
	using project = new TemporaryProject();
	const guard = guardWithoutLog(project.folder, { forgetsCalls: true });
	const call = {
		session: "s",
		host: "codex",
		cwd: project.folder,
		tool: "bash",
		callId: "c1",
		input: { command: "rm a" },
	};
	assert.equal(guard.before(call).action, "pass");
});
