import assert from "node:assert/strict";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { applyChanges, readApplied, readForPlan, undoChanges } from "./apply.ts";
import { type JsonEdit, setInJson } from "./json-edit.ts";
import type { Change } from "./setup.ts";

function world(t: TestContext) {
	const folder = mkdtempSync(join(tmpdir(), "weft-setup-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return { home: join(folder, "home"), at: (name: string) => join(folder, "user", name), folder };
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

function jsonChange(file: string, edits = EDITS): Change {
	const before = readForPlan(file);
	return { file, what: "Turns weft on.", before, after: setInJson(before, edits)!, ours: { kind: "json", edits } };
}

function blockChange(file: string, block: string): Change {
	const before = readForPlan(file);
	const after = `${before ?? ""}${block}`;
	return { file, what: "Names weft.", before, after, ours: { kind: "block", text: block } };
}

const COMMENTED = '{\n\t// mine\n\t"window": 200000, /* wide */\n\t"theme": "dark",\n}\n';

test("undo gives every file back byte for byte and removes what was made", (t) => {
	const { home, at } = world(t);
	put(at("settings.json"), COMMENTED);
	put(at("config.toml"), 'model = "x"');
	const changes = [
		jsonChange(at("settings.json")),
		blockChange(at("config.toml"), "\n# weft\nserver = 1\n# end of weft\n"),
		{ file: at("new/deep/run.sh"), what: "Starts it.", before: undefined, after: "#!/bin/sh\n", mode: 0o755 },
	];
	applyChanges(home, "claude", changes);
	assert.equal(text(at("settings.json")).includes("// mine"), true);
	assert.equal(statSync(at("new/deep/run.sh")).mode & 0o777, 0o755);
	assert.deepEqual(
		undoChanges(home, "claude").map(({ kind }) => kind),
		["restored", "restored", "restored"],
	);
	assert.equal(text(at("settings.json")), COMMENTED);
	assert.equal(text(at("config.toml")), 'model = "x"');
	assert.equal(existsSync(at("new")), false);
	assert.equal(readApplied(home, "claude"), undefined);
	assert.deepEqual(undoChanges(home, "claude"), []);
});

test("applying twice writes once, and a newer plan keeps the oldest text for undo", (t) => {
	const { home, at } = world(t);
	const file = at("settings.json");
	put(file, COMMENTED);
	assert.equal(applyChanges(home, "claude", [jsonChange(file)]).length, 1);
	assert.equal(applyChanges(home, "claude", [jsonChange(file)]).length, 0);
	applyChanges(home, "claude", [jsonChange(file, [...EDITS, { path: ["more"], value: [1] }])]);
	undoChanges(home, "claude");
	assert.equal(text(file), COMMENTED);
});

test("only ours is taken out of a file that somebody changed since", (t) => {
	const { home, at } = world(t);
	put(at("settings.json"), COMMENTED);
	put(at("config.toml"), 'model = "x"\n');
	applyChanges(home, "codex", [
		jsonChange(at("settings.json")),
		blockChange(at("config.toml"), "# weft\nserver = 1\n# end of weft\n"),
	]);
	put(at("settings.json"), setInJson(text(at("settings.json")), [{ path: ["model"], value: "big" }])!);
	put(at("config.toml"), `# first\n${text(at("config.toml"))}[last]\n`);
	assert.deepEqual(
		undoChanges(home, "codex").map(({ kind }) => kind),
		["taken-out", "taken-out"],
	);
	const held = text(at("settings.json"));
	assert.deepEqual(JSON.parse(held.replaceAll(/\/\/.*|\/\*.*\*\//g, "").replace(/,(\s*})/, "$1")), {
		window: 200_000,
		theme: "dark",
		model: "big",
	});
	assert.ok(held.includes("// mine"));
	assert.equal(text(at("config.toml")), '# first\nmodel = "x"\n[last]\n');
});

test("what the user changed in our part is left alone, told, and tried again later", (t) => {
	const { home, at } = world(t);
	const file = at("settings.json");
	put(file, "{}\n");
	applyChanges(home, "claude", [jsonChange(file)]);
	const ours = text(file);
	put(file, ours.replace("100000", "150000"));
	const [result] = undoChanges(home, "claude");
	assert.equal(result?.kind, "left");
	assert.match(result?.kind === "left" ? result.says : "", /settings\.json was changed since.*Turns weft on\./);
	assert.equal(text(file), ours.replace("100000", "150000"));
	put(file, ours);
	assert.deepEqual(
		undoChanges(home, "claude").map(({ kind }) => kind),
		["restored"],
	);
	assert.equal(text(file), "{}\n");
});

test("a plan that is out of date writes nothing", (t) => {
	const { home, at } = world(t);
	const files = [at("one.json"), at("two.json")];
	for (const file of files) put(file, "{}\n");
	const changes = files.map((file) => jsonChange(file));
	put(files[1]!, '{"mine":1}\n');
	assert.throws(() => applyChanges(home, "claude", changes), { code: "refused" });
	assert.equal(text(files[0]!), "{}\n");
	assert.equal(readApplied(home, "claude"), undefined);
});

test("a link stays a link, and what it names keeps its permissions", (t) => {
	const { home, at } = world(t);
	put(at("repository/settings.json"), "{}\n");
	symlinkSync(at("repository/settings.json"), at("settings.json"));
	const mode = statSync(at("repository/settings.json")).mode;
	applyChanges(home, "claude", [jsonChange(at("settings.json"))]);
	assert.match(text(at("repository/settings.json")), /weft@weft/);
	assert.equal(statSync(at("repository/settings.json")).mode, mode);
	undoChanges(home, "claude");
	assert.equal(text(at("repository/settings.json")), "{}\n");
});

test("a file that is not JSON gives no plan", () => {
	assert.equal(setInJson("{ broken", EDITS), undefined);
	assert.equal(setInJson("[1]", EDITS), undefined);
});
