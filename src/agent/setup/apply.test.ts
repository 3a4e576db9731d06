import assert from "node:assert/strict";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import { applyChanges, foldersApplied, readApplied, readForPlan, undoChanges } from "./apply.ts";
import type { SetupChange } from "./contract.ts";
import { type JsonEdit, setInJson } from "./json-edit.ts";

function world(t: TestContext) {
	const folder = mkdtempSync(join(tmpdir(), "weft-setup-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const user = join(folder, "user");
	return { home: join(folder, "home"), at: (name: string) => join(user, name), folder: user };
}

function put(file: string, text: string): void {
	mkdirSync(join(file, ".."), { recursive: true });
	writeFileSync(file, text);
}

const text = (file: string) => readFileSync(file, "utf8");

const EDITS: readonly JsonEdit[] = [
	{ path: ["plugins", "weft@weft"], value: true },
	{ path: ["window"], value: 100_000 },
];

function jsonChange(file: string, edits = EDITS): SetupChange {
	const before = readForPlan(file);
	return { file, what: "Turns weft on.", before, after: setInJson(file, before, edits), ours: { kind: "json", edits } };
}

function tableChange(file: string): SetupChange {
	const before = readForPlan(file);
	const after = `${before ?? ""}# weft\n[weft]\nserver = 1\n`;
	const table = { mark: "# weft", name: "weft", gap: "" };
	return { file, what: "Names weft.", before, after, ours: { kind: "table", table } };
}

const COMMENTED = '{\n\t// mine\n\t"window": 200000, /* wide */\n\t"theme": "dark",\n}\n';

test("undo gives every file back byte for byte and removes what was made", (t) => {
	const { home, at, folder } = world(t);
	put(at("settings.json"), COMMENTED);
	put(at("config.toml"), 'model = "x"');
	const changes = [
		jsonChange(at("settings.json")),
		tableChange(at("config.toml")),
		{ file: at("new/deep/run.sh"), what: "Starts it.", before: undefined, after: "#!/bin/sh\n", mode: 0o755 },
	];
	applyChanges(home, "claude", folder, changes);
	assert.equal(text(at("settings.json")).includes("// mine"), true);
	assert.equal(statSync(at("new/deep/run.sh")).mode & 0o777, 0o755);
	assert.deepEqual(
		undoChanges(home, "claude", folder).map(({ kind }) => kind),
		["restored", "restored", "restored"],
	);
	assert.equal(text(at("settings.json")), COMMENTED);
	assert.equal(text(at("config.toml")), 'model = "x"');
	assert.equal(existsSync(at("new")), false);
	assert.equal(readApplied(home, "claude"), undefined);
	assert.deepEqual(undoChanges(home, "claude", folder), []);
});

test("applying twice writes once, and a newer plan keeps the oldest text for undo", (t) => {
	const { home, at, folder } = world(t);
	const file = at("settings.json");
	put(file, COMMENTED);
	assert.equal(applyChanges(home, "claude", folder, [jsonChange(file)]).length, 1);
	assert.equal(applyChanges(home, "claude", folder, [jsonChange(file)]).length, 0);
	applyChanges(home, "claude", folder, [jsonChange(file, [...EDITS, { path: ["more"], value: [1] }])]);
	undoChanges(home, "claude", folder);
	assert.equal(text(file), COMMENTED);
});

test("only ours is taken out of a file that somebody changed since", (t) => {
	const { home, at, folder } = world(t);
	put(at("settings.json"), COMMENTED);
	put(at("config.toml"), 'model = "x"\n');
	applyChanges(home, "codex", folder, [jsonChange(at("settings.json")), tableChange(at("config.toml"))]);
	put(at("settings.json"), setInJson("settings.json", text(at("settings.json")), [{ path: ["model"], value: "big" }]));
	put(at("config.toml"), `# first\n${text(at("config.toml"))}[last]\n[weft.tools.x]\nallow = 1\n[own]\n`);
	assert.deepEqual(
		undoChanges(home, "codex", folder).map(({ kind }) => kind),
		["taken-out", "taken-out"],
	);
	const held = text(at("settings.json"));
	assert.deepEqual(JSON.parse(held.replaceAll(/\/\/.*|\/\*.*\*\//g, "").replace(/,(\s*})/, "$1")), {
		window: 200_000,
		theme: "dark",
		model: "big",
	});
	assert.ok(held.includes("// mine"));
	assert.equal(text(at("config.toml")), '# first\nmodel = "x"\n[last]\n[own]\n');
});

test("what the user has set otherwise since is theirs, told by its key; the rest is taken out", (t) => {
	const { home, at, folder } = world(t);
	const file = at("settings.json");
	put(file, '{ "theme": "dark" }\n');
	const own: JsonEdit[] = [{ path: ["plugins", "weft@weft"], value: true, isOwn: true }, EDITS[1]!];
	applyChanges(home, "claude", folder, [jsonChange(file, own)]);
	put(file, text(file).replace("100000", "150000").replace('"weft@weft":true', '"weft@weft": false'));
	const [result] = undoChanges(home, "claude", folder);
	assert.equal(result?.kind, "taken-out");
	assert.match(result?.says ?? "", /settings\.json: window has another value since and stays/);
	assert.deepEqual(JSON.parse(text(file)), { window: 150_000, theme: "dark" });
	assert.deepEqual(undoChanges(home, "claude", folder), []);
});

test("a table that the user made theirs is left alone, told, and tried again later", (t) => {
	const { home, at, folder } = world(t);
	const file = at("config.toml");
	put(file, "a = 1\n");
	applyChanges(home, "codex", folder, [tableChange(file)]);
	put(file, "a = 1\n[weft]\nserver = 2\n");
	const [result] = undoChanges(home, "codex", folder);
	assert.equal(result?.kind, "left");
	assert.match(result?.says ?? "", /config\.toml has changed since.*Names weft\./);
	put(file, "a = 1\n# weft\n[weft]\nserver = 1\n");
	undoChanges(home, "codex", folder);
	assert.equal(text(file), "a = 1\n");
});

test("each folder of settings is undone by itself, and what they share with the last one", (t) => {
	const { home, at } = world(t);
	const shared = { file: join(home, "plugin.js"), what: "The plugin.", before: undefined, after: "x\n" };
	for (const name of ["one", "two"]) {
		const changes = [...(name === "one" ? [shared] : []), jsonChange(at(`${name}/settings.json`))];
		applyChanges(home, "claude", at(name), changes);
	}
	assert.deepEqual(foldersApplied(home, "claude"), [at("one"), at("two")]);
	undoChanges(home, "claude", at("one"));
	assert.deepEqual(
		[at("one/settings.json"), at("two/settings.json"), shared.file].map((file) => existsSync(file)),
		[false, true, true],
	);
	undoChanges(home, "claude", at("two"));
	assert.deepEqual([existsSync(at("two/settings.json")), existsSync(shared.file)], [false, false]);
});

test("a settings folder is undone however its path is spelt, and through a link", (t) => {
	const { home, at } = world(t);
	const file = at("one/settings.json");
	for (const [given, asked] of [
		["one/", "one"],
		["one", "one/../one/"],
		["one/./", "linked"],
		["linked", "one"],
	] as const) {
		put(file, "{}\n");
		rmSync(at("linked"), { force: true });
		symlinkSync(at("one"), at("linked"));
		const changes = [jsonChange(at(given === "linked" ? "linked/settings.json" : "one/settings.json"))];
		const spelt = (name: string) => `${at("")}/${name}`;
		applyChanges(home, "claude", spelt(given), changes);
		assert.notEqual(text(file), "{}\n");
		undoChanges(home, "claude", spelt(asked));
		assert.equal(text(file), "{}\n", `${given}, then ${asked}`);
		assert.deepEqual(foldersApplied(home, "claude"), []);
	}
});

test("a settings folder that was named as seen from one place is undone from another", (t) => {
	const { home, at } = world(t);
	put(at("one/settings.json"), "{}\n");
	const folder = relative(process.cwd(), at("one"));
	const changes = [jsonChange(join(folder, "settings.json")), jsonChange(join(folder, "new/made.json"))];
	applyChanges(home, "claude", folder, changes);
	assert.deepEqual(foldersApplied(home, "claude"), [at("one")]);
	const before = process.cwd();
	t.after(() => process.chdir(before));
	process.chdir(at("one"));
	assert.deepEqual(
		undoChanges(home, "claude", at("one")).map(({ kind }) => kind),
		["restored", "restored"],
	);
	assert.deepEqual([text(at("one/settings.json")), existsSync(at("one/new"))], ["{}\n", false]);
});

test("a file that another program makes is not written: read-only, or a link to nothing", (t) => {
	const { home, at, folder } = world(t);
	put(at("made.json"), "{}\n");
	chmodSync(at("made.json"), 0o444);
	symlinkSync(at("gone.json"), at("link.json"));
	assert.throws(() => applyChanges(home, "claude", folder, [jsonChange(at("made.json"))]), /is read-only/);
	assert.throws(() => applyChanges(home, "claude", folder, [jsonChange(at("link.json"))]), /link to a file/);
	assert.equal(text(at("made.json")), "{}\n");
	assert.equal(readlinkSync(at("link.json")), at("gone.json"));
	assert.equal(readApplied(home, "claude"), undefined);
});

test("a plan that is out of date writes nothing", (t) => {
	const { home, at, folder } = world(t);
	const files = [at("one.json"), at("two.json")];
	for (const file of files) put(file, "{}\n");
	const changes = files.map((file) => jsonChange(file));
	put(files[1]!, '{"mine":1}\n');
	assert.throws(() => applyChanges(home, "claude", folder, changes), { code: "refused" });
	assert.equal(text(files[0]!), "{}\n");
	assert.equal(readApplied(home, "claude"), undefined);
});

test("a link stays a link, and what it names keeps its permissions", (t) => {
	const { home, at, folder } = world(t);
	put(at("repository/settings.json"), "{}\n");
	symlinkSync(at("repository/settings.json"), at("settings.json"));
	const mode = statSync(at("repository/settings.json")).mode;
	applyChanges(home, "claude", folder, [jsonChange(at("settings.json"))]);
	assert.match(text(at("repository/settings.json")), /weft@weft/);
	assert.equal(statSync(at("repository/settings.json")).mode, mode);
	undoChanges(home, "claude", folder);
	assert.equal(text(at("repository/settings.json")), "{}\n");
});
