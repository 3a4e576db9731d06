import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TemporaryProject } from "../../test/rig/temporary-folder.ts";
import { Log } from "../log/log.ts";
import { Keeper, type Keeping } from "./keeper.ts";
import { keptFolderAt } from "./kept-files.ts";
import type { GuardCall } from "./types.ts";

class KeptProject extends TemporaryProject {
	readonly log = new Log({ folder: join(this.root, "data"), origin: "here" });
	#calls = 0;

	git(...args: string[]): void {
		execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t", ...args], { cwd: this.folder, stdio: "ignore" });
	}

	keeper(maxBytes = 1e9): Keeper {
		return new Keeper({ log: this.log, maxBytes, now: Date.now });
	}

	keep(keeper: Keeper): Keeping {
		const call: GuardCall = {
			session: "s",
			host: "pi",
			cwd: this.folder,
			tool: "bash",
			callId: `c${++this.#calls}`,
			input: { command: "make" },
		};
		const keeping = keeper.keepTree(call, this.folder, "command");
		this.log.append(keeping.events);
		return keeping;
	}

	keptText(keeping: Keeping, path: string): string | undefined {
		return this.log.getBlob(keeping.files.get(path)?.hash ?? "")?.toString();
	}

	override [Symbol.dispose](): void {
		this.log.close();
		super[Symbol.dispose]();
	}
}

test("keeps what git does not hold: changed, untracked and ignored files, but no outputs and dependencies", () => {
	using project = new KeptProject();
	for (const path of ["same.ts", "changed.ts", "staged.ts", "deleted.ts"]) project.put(path, "one\n");
	project.put(".gitignore", ".env*\nnode_modules\n/dist/\nlocal/\n*.log\n");
	project.git("init", "-q");
	project.git("add", "-A");
	project.git("commit", "-qm", "one");
	for (const path of ["changed.ts", "staged.ts", "new file.ts", ".env.local", "local/cfg.json", "dist/a.js"]) {
		project.put(path, "two\n");
	}
	project.put("node_modules/a/index.js", "x");
	project.put("run.log", "x");
	project.git("add", "staged.ts");
	rmSync(join(project.folder, "deleted.ts"));
	const keeping = project.keep(project.keeper());
	const expected = [".env.local", "changed.ts", "local/cfg.json", "new file.ts", "staged.ts"];
	assert.deepEqual([...keeping.files.keys()].sort(), expected);
	for (const path of expected) assert.equal(project.keptText(keeping, path), "two\n");
	assert.equal(keeping.files.get("changed.ts")?.tracked, true);
});

test("records only what differs since, also when another process kept files meanwhile", () => {
	using project = new KeptProject();
	project.put("a.txt", "1");
	project.put("b.txt", "1");
	const [one, other] = [project.keeper(), project.keeper()];
	assert.equal(project.keep(one).events.length, 1);
	assert.equal(project.keep(one).events.length, 0);
	assert.equal(project.keep(other).events.length, 0);
	project.put("a.txt", "2");
	assert.deepEqual(filesOf(project.keep(other)), ["a.txt"]);
	project.put("a.txt", "1");
	assert.deepEqual(filesOf(project.keep(one)), ["a.txt"]);
	rmSync(join(project.folder, "b.txt"));
	const [event] = project.keep(one).events;
	assert.deepEqual(event?.type === "FilesKept" && event.payload.gone, ["b.txt"]);
	const now = keptFolderAt(project.log, project.keep(other).root);
	assert.deepEqual([...now.files.keys()], ["a.txt"]);
	assert.equal(project.log.getBlob(now.files.get("a.txt")?.hash ?? "")?.toString(), "1");
});

test("a long series of changes folds to the same files as its newest full list", () => {
	using project = new KeptProject();
	const keeper = project.keeper();
	for (let n = 0; n < 140; n++) {
		project.put(`f${n % 7}.txt`, String(n));
		project.keep(keeper);
	}
	const kept = keptFolderAt(project.log, project.keep(keeper).root);
	const texts = [...kept.files].map(([path, { hash }]) => [path, project.log.getBlob(hash ?? "")?.toString()]);
	assert.deepEqual(
		texts.sort(),
		Array.from({ length: 7 }, (_, n) => [`f${n}.txt`, String(133 + n)]),
	);
});

test("keeps modes, links and large files", () => {
	using project = new KeptProject();
	project.put("run.sh", "#!/bin/sh\n");
	chmodSync(join(project.folder, "run.sh"), 0o755);
	symlinkSync("run.sh", join(project.folder, "link"));
	project.put("large.bin", "head");
	truncateSync(join(project.folder, "large.bin"), 33 * 1024 * 1024);
	const { files, left } = project.keep(project.keeper());
	assert.deepEqual(left, []);
	assert.equal(files.get("run.sh")?.mode, 0o755);
	assert.equal(files.get("link")?.link, true);
	assert.equal(project.log.getBlob(files.get("link")?.hash ?? "")?.toString(), "run.sh");
	const copy = project.log.kept.copyPath(files.get("large.bin")?.copy ?? "");
	assert.equal(
		readFileSync(copy ?? "")
			.subarray(0, 4)
			.toString(),
		"head",
	);
});

test("the oldest bytes leave first, and those of files that are still there are stored again", async () => {
	using project = new KeptProject();
	const keeper = project.keeper(400_000);
	const noise = (seed: number) =>
		Array.from({ length: 20_000 }, (_, n) => ((n * seed * 7919) % 99_991).toString(36)).join("");
	project.put("stays.txt", noise(3));
	const first = project.keep(keeper);
	for (let n = 5; n < 25; n++) {
		project.put("changes.txt", noise(n));
		await new Promise((resolve) => setTimeout(resolve, 3));
		project.keep(keeper);
	}
	assert.ok(project.log.kept.size() <= 400_000);
	await new Promise((resolve) => setTimeout(resolve, 30));
	const last = project.keep(keeper);
	assert.equal(project.keptText(last, "stays.txt"), noise(3));
	assert.equal(project.keptText(first, "stays.txt"), noise(3));
});

function filesOf(keeping: Keeping): string[] {
	return keeping.events
		.flatMap((event) => (event.type === "FilesKept" ? event.payload.files : []))
		.map(({ path }) => path);
}
