import assert from "node:assert/strict";
import { test } from "node:test";
import { normaliseRemote } from "./place.ts";

test("one repository has one name, whichever way it was cloned", () => {
	const same = [
		"https://github.com/Acme/App.git",
		"https://ann:secret@github.com/acme/app",
		"git@github.com:acme/app.git",
		"ssh://git@github.com:22/acme/app.git/",
		"git://GitHub.com/acme//app",
		"https://ann:p@ss@github.com/acme/app",
		"https://www.github.com/acme/app",
		"ssh://git@ssh.github.com:443/acme/app.git",
	];
	assert.deepEqual(new Set(same.map(normaliseRemote)), new Set(["github.com/acme/app"]));
	assert.equal(normaliseRemote("git@[::1]:acme/app"), "[::1]/acme/app");
	assert.equal(normaliseRemote("https://git.corp.example/Team/App.git?x=1"), "git.corp.example/Team/App");
});

test("a path of this machine is no name elsewhere, and a password is never part of one", () => {
	for (const path of ["/srv/git/app.git", "../app", "file:///srv/app.git", "C:\\work\\app", "https://host/", ""]) {
		assert.equal(normaliseRemote(path), undefined, path);
	}
	assert.doesNotMatch(normaliseRemote("https://ann:hunter2@host.example/a/b")!, /hunter2|ann/);
});
