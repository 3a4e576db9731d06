import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { projectKey } from "../log/home.ts";
import { ownVariables } from "./project-variables.ts";
import { distrustProject, isTrusted, readTrustedSettings, trustedProjects, trustProject } from "./trust.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "weft-trust-")));
const root = join(folder, "clone");
const home = join(folder, "data");
const elsewhere = join(folder, "elsewhere");

beforeEach(() => {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(join(root, ".weft"), { recursive: true });
	writeFileSync(join(root, ".weft", "config.json"), JSON.stringify({ dbDir: elsewhere, handlers: ["./evil.mjs"] }));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function read(once = false) {
	return readTrustedSettings({ env: { WEFT_HOME: home, HOME: folder }, cwd: root, projectRoot: root }, once);
}

test("the files of a clone count after its user said so, until that is undone, and for one run", () => {
	const file = join(root, ".weft", "config.json");
	const stranger = read();
	assert.deepEqual([stranger.trusted, stranger.settings.handlers, stranger.ignored], [false, [], [file]]);
	trustProject(home, root, 5);
	const friend = read();
	assert.deepEqual([friend.trusted, friend.ignored], [true, []]);
	assert.deepEqual(friend.settings.handlers, [join(root, ".weft", "evil.mjs")]);
	assert.deepEqual(trustedProjects(home), [{ path: root, since: 5 }]);
	assert.equal(distrustProject(home, root), true);
	assert.equal(distrustProject(home, root), false);
	assert.deepEqual([read().trusted, trustedProjects(home)], [false, []]);
	assert.equal(read(true).trusted, true);
});

test("trust is looked up where the user keeps data, not where the clone says", () => {
	trustProject(elsewhere, root, 5);
	assert.equal(read().trusted, false);
});

test("variables that a clone's .env file sets count as its settings do, and name neither a server nor the user's folder", () => {
	const own = join(folder, "config", "weft");
	mkdirSync(own, { recursive: true });
	mkdirSync(join(root, "evil", "weft"), { recursive: true });
	writeFileSync(join(own, "config.json"), JSON.stringify({ mode: "woven" }));
	writeFileSync(
		join(root, "evil", "weft", "config.json"),
		JSON.stringify({ "fleet.url": "postgres://evil.example/x" }),
	);
	const file = join(root, ".env");
	const set = { WEFT_MODE: "off", WEFT_FLEET_URL: "postgres://evil.example/x", WEFT_POLICY_MODE: "report" };
	const lines = Object.entries(set).map(([name, value]) => `export ${name} = "${value}"\n`);
	writeFileSync(file, ["# ours\n", ...lines, `XDG_CONFIG_HOME: ${join(root, "evil")}\n`].join(""));
	const env = { WEFT_HOME: home, HOME: folder, ...set, XDG_CONFIG_HOME: join(root, "evil"), WEFT_AUTO_PRUNE: "false" };
	const look = () => readTrustedSettings({ env, cwd: root, projectRoot: root }, false);
	const { settings, ignored } = look();
	assert.deepEqual([settings.mode, settings.policyMode, settings["fleet.url"]], ["woven", "enforce", null]);
	assert.equal(settings.autoPrune, false, "a variable that the file does not set is the user's");
	assert.ok(ignored.includes(file));
	trustProject(home, root, 5);
	const friend = look();
	assert.deepEqual([friend.settings.policyMode, friend.settings["fleet.url"]], ["report", null]);
	assert.match(friend.problems.map(({ message }) => message).join(), /\.env.*fleet\.url/);
});

test("a clone's .env file moves no folder of the user's and names no server of a fleet, if it is trusted either", () => {
	const set = {
		XDG_DATA_HOME: join(folder, "data-of-clone"),
		XDG_CONFIG_HOME: join(folder, "config-of-clone"),
		PGHOST: "evil.example",
		PGSERVICEFILE: join(root, "service.conf"),
		PGSSLROOTCERT: join(root, "root.crt"),
	};
	writeFileSync(
		join(root, ".env"),
		Object.entries(set)
			.map(([name, value]) => `${name}=${value}\n`)
			.join(""),
	);
	const env = { HOME: folder, ...set, PGPORT: "6000" };
	assert.deepEqual(ownVariables(env, [root]), { HOME: folder, PGPORT: "6000" });
	assert.equal(ownVariables(env, [elsewhere]), env);
	const planted = join(folder, "data-of-clone", "weft");
	trustProject(planted, root, 5);
	mkdirSync(join(root, ".weft"), { recursive: true });
	writeFileSync(join(root, ".weft", "config.json"), "{}");
	assert.equal(readTrustedSettings({ env, cwd: root, projectRoot: root }, false).trusted, false);
});

test("trust that somebody else could have written does not count", { skip: process.getuid === undefined }, () => {
	trustProject(home, root, 5);
	const file = join(home, "trust");
	chmodSync(file, 0o777);
	assert.equal(isTrusted(home, root), false);
	chmodSync(file, 0o700);
	assert.equal(isTrusted(home, root), true);
	assert.equal(isTrusted(home, join(folder, "other")), false);
	for (const broken of ["", "{", "[]", '{"path":5}', JSON.stringify({ path: join(folder, "other"), since: 1 })]) {
		writeFileSync(join(file, trustFileName()), broken);
		assert.equal(isTrusted(home, root), false, broken);
	}
});

test("a clone that holds the data folder cannot trust itself", () => {
	const inside = join(root, "data");
	assert.throws(() => trustProject(inside, root, 5), { code: "refused", message: /is inside the project/ });
	trustProject(home, root, 5);
	mkdirSync(join(inside, "trust"), { recursive: true });
	writeFileSync(join(inside, "trust", trustFileName()), JSON.stringify({ path: root, since: 5 }));
	assert.equal(isTrusted(inside, root), false);
});

function trustFileName(): string {
	return `${projectKey(root)}.json`;
}
