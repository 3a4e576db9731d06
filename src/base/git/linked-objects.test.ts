import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TemporaryProject } from "../../../test/rig/temporary-folder.ts";
import { HeldFileReader, heldFiles } from "./held-file.ts";
import { linkObjects } from "./linked-objects.ts";

class LinkedProject extends TemporaryProject {
	readonly gitFolder = join(this.folder, ".git");
	readonly target = join(this.root, "linked");

	git(...args: string[]): string {
		const identity = ["-c", "user.name=t", "-c", "user.email=t"];
		return execFileSync("git", [...identity, ...args], { cwd: this.folder, encoding: "utf8", stdio: "pipe" }).trim();
	}

	commit(text: string): string {
		this.put("a.txt", text);
		this.git("add", "-A");
		this.git("commit", "-qm", text);
		return this.git("rev-parse", "HEAD");
	}

	read(commit: string): string | undefined {
		const place = { folder: this.folder, spare: this.target };
		const held = [...heldFiles(place, commit).values()];
		return new HeldFileReader(place, commit, held).read("a.txt")?.toString();
	}
}

for (const format of ["sha1", "sha256"]) {
	test(`commits outlive a repository whose objects were linked, loose and packed (${format})`, () => {
		using project = new LinkedProject();
		project.git("init", "-q", `--object-format=${format}`);
		const one = project.commit("one");
		project.git("gc", "-q");
		const two = project.commit("two");
		assert.ok(linkObjects(project.gitFolder, project.target, 1e9));
		const three = project.commit("three");
		const names = () => readdirSync(join(project.target, "objects"), { recursive: true }).length;
		const before = names();
		assert.ok(linkObjects(project.gitFolder, project.target, 1e9));
		assert.ok(names() > before);
		rmSync(project.gitFolder, { recursive: true });
		assert.deepEqual([one, two, three].map(project.read.bind(project)), ["one", "two", "three"]);
	});
}

test("links nothing above its bound, and nothing where there is no repository", () => {
	using project = new LinkedProject();
	assert.equal(linkObjects(project.gitFolder, project.target, 1e9), undefined);
	project.git("init", "-q");
	project.commit("one");
	assert.equal(linkObjects(project.gitFolder, project.target, 10), undefined);
});
