import assert from "node:assert/strict";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { call, edit, ran, read, write } from "../../test/rig/events.ts";
import {
	agent,
	check,
	during,
	file,
	given,
	noted,
	onDisk,
	passed,
	recorded,
	unnoted,
} from "../../test/rig/guard-specification.ts";
import { GuardedAgent, GuardedProject } from "../../test/rig/guarded-session.ts";

const SEEN = [file("a.ts", "one\ntwo\n"), file("b.ts", "x\n"), read("a.ts"), read("b.ts")];

/** A file's time of change is of before the call only when the disk's clock has ticked in between. */
const clockTick = onDisk(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60));

const changes = (project: GuardedProject) => project.events("FileChanged");

describe("after a command", () => {
	test("what it changed is its own doing, with a note, and known from then on", () => {
		given(...SEEN)
			.when(
				ran("sed -i s/two/TWO/ a.ts; rm b.ts"),
				onDisk((project) => assert.equal(changes(project).length, 2)),
				ran("true"),
				edit("a.ts", "TWO", "2"),
				write("b.ts", "new\n"),
			)
			.then(
				noted(
					"Changed by this call: b.ts (deleted).",
					"Changed by this call: a.ts (+1/−1).\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO",
				),
				unnoted,
				passed(),
				passed(),
				check((project) =>
					assert.partialDeepStrictEqual(changes(project).slice(0, 2), [
						{ path: "b.ts", kind: "delete", actor: "shell", added: 0, removed: null },
						{ path: "a.ts", kind: "edit", actor: "shell", added: 1, removed: 1 },
					]),
				),
			);
	});

	test("a change before the call is somebody else's; its diff is shown once and counts as read", () => {
		given(...SEEN, file("a.ts", "one\n2\nthree\n"), clockTick)
			.when(
				ran("true"),
				onDisk((project) => assert.equal(changes(project).length, 1)),
				ran("true"),
				edit("a.ts", "one", "1"),
			)
			.then(
				noted(
					"Changed on disk by somebody else: a.ts (+2/−1).\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three",
				),
				unnoted,
				unnoted,
				check((project) => {
					const [first] = changes(project);
					assert.partialDeepStrictEqual(first, { path: "a.ts", kind: "edit", actor: "other", added: 2, removed: 1 });
					assert.equal(changes(project).filter(({ actor }) => actor === "other").length, 1);
				}),
			);
	});

	test("a file that was only touched is no news, and is looked at by its stat from then on", () => {
		given(...SEEN)
			.when(ran("touch a.ts"))
			.then(
				unnoted,
				recorded("FileChanged"),
				check((project) => {
					const same = project.events("Verdict").filter(({ why }) => why === "same");
					assert.deepEqual(
						same.map(({ path }) => path),
						["a.ts"],
					);
				}),
			);
	});

	test("a command that failed is looked after as well", () => {
		given(...SEEN)
			.when(ran("echo more >> a.ts; false"))
			.then(noted(/a\.ts \(\+1\/−0\)/));
	});

	test("only files that the session knows are looked at: the newest 64, and all that the command is seen to write", () => {
		const names = Array.from({ length: 70 }, (_, i) => `f${i}.ts`);
		const byOthers = names.map((name) => file(name, `${name}, by somebody else\n`));
		given(...names.flatMap((name) => [file(name, `${name}\n`), read(name)]), file("unknown.ts", "x\n"))
			.when(
				ran("for f in *.ts; do echo more >> $f; done"),
				onDisk((project) => assert.equal(changes(project).length, 70)),
				during(ran("true"), ...byOthers),
			)
			.then(
				passed(),
				passed(),
				check((project, [{ notes }]) => {
					assert.ok(changes(project).every(({ path }) => path !== "unknown.ts"));
					assert.match(notes[0]!, /^Changed by this call: f61\.ts \(\+1\/−0\), .*, 54 more\.$/);
					assert.match(notes[1]!, /^Changed by this call: f69\.ts \(\+1\/−0\)\.\n--- a\/f69\.ts/);
					assert.equal(notes.length, 9);
					assert.equal(changes(project).length, 70 + 64);
				}),
			);
	});
});

test("a change after an unknown tool is the agent's doing", () => {
	given(...SEEN)
		.when(during(call("mystery", { target: "a.ts" }), file("a.ts", "other\n")))
		.then(noted(/^Changed by this call: a\.ts/), recorded("FileChanged", { actor: "agent" }));
});

test("a file that only the transcript tells of is not said to be deleted", () => {
	const blind = agent({
		files: {
			stat: () => ({ kind: "absent" }),
			read: () => ({ kind: "absent" }),
			digest: () => ({ kind: "absent" }),
			realpath: () => undefined,
		},
	});
	given(
		blind,
		file("a.ts", "x\n"),
		read("a.ts"),
		onDisk(({ path }) => rmSync(path("a.ts"))),
	)
		.when(ran("true"))
		.then(unnoted, recorded("FileChanged"));
});

test("a file saved just after a command is not the command's", () => {
	using project = new GuardedProject();
	const worker = new GuardedAgent(project);
	const path = join(project.folder, "made.txt");
	worker.call("bash", { command: "sh generate.sh" }, undefined, () => {
		writeFileSync(path, "the user's own\n");
		const ended = Math.floor(statSync(path).ctimeMs) - 5;
		worker.now = () => ended;
	});
	worker.now = () => Date.now();
	assert.equal(worker.edit("made.txt", "own", "mine").action, "block");
});
