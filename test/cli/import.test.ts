import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { Place } from "./place.ts";
import { SESSION, session } from "./session.ts";

let place: Place;
beforeEach(() => {
	place = new Place();
});
afterEach(() => place.remove());

interface Imported {
	readonly files: {
		file: string;
		kind: string;
		project: string;
		sessions: { session: string; events: number; duplicates: number }[];
	}[];
	readonly failed: { file: string; code: string }[];
}

test("says what came in and which project it went to; a second time adds nothing", async () => {
	const file = place.file("session.jsonl", session(place.project));
	const first = await place.weft("import", file);
	assert.deepEqual([first.code, first.err], [0, ""]);
	const [head, , row, ...rest] = first.out.replaceAll(place.project, "PROJECT").split("\n");
	assert.deepEqual(
		[head, row, rest].map((line) => String(line).replace(/ +/g, " ")),
		[
			"title session agent messages known project",
			"Make parseHeader accept tabs. The token is ghp_a1B2c3D4e5F6g7H8i9J0k1L2… 0199c0de pi 8 0 PROJECT",
			"",
		],
	);
	const again = await place.json<Imported>("import", file);
	assert.deepEqual(
		again.files[0]?.sessions.map(({ session: id, events, duplicates }) => [id, events, duplicates]),
		[[SESSION, 0, 19]],
	);
});

test("a session goes to its own folder's project, also if the folder is gone; --project decides", async () => {
	const elsewhere = join(place.folder, "elsewhere");
	mkdirSync(elsewhere);
	place.file("many/a.jsonl", session(elsewhere, "a"));
	place.file("many/b.jsonl", session("/gone/for/good", "b"));
	place.file("many/c.jsonl", session("D:\\work\\app", "c"));
	const { files } = await place.json<Imported>("import", join(place.folder, "many"), "--yes");
	assert.deepEqual(
		files.map(({ project, sessions }) => [sessions[0]?.session, project]),
		[
			["a", elsewhere],
			["b", "/gone/for/good"],
			["c", "D:\\work\\app"],
		],
	);
	const named = await place.json<{ sessions: { session: string }[] }>("sessions", "--project", "D:\\work\\app");
	assert.deepEqual(
		named.sessions.map((each) => each.session),
		["c"],
	);
	const third = join(place.folder, "third");
	mkdirSync(third);
	const decided = await place.json<Imported>("import", join(place.folder, "many/a.jsonl"), "--project", third);
	assert.equal(decided.files[0]?.project, third);
});

test("a malformed line is kept and reported in one line at the end, once, and the exit status is 0", async () => {
	const lines = session(place.project).map((line) => JSON.stringify(line));
	const file = place.file("broken.jsonl", [lines[0], "{ not json", ...lines.slice(1)].join("\n"));
	const { code, out, err } = await place.weft("import", file);
	assert.equal(code, 0);
	assert.match(err, /^[^\n]+broken\.jsonl:2: not valid JSON[^\n]+; kept as it is\n$/);
	assert.match(out, /0199c0de +pi +8 /);
	const again = await place.weft("import", file);
	assert.deepEqual([again.code, again.err], [0, `${file}: 1 line cannot be read, as reported before.\n`]);
});

test("a file of an unknown kind is refused and writes nothing; among others it does not keep them out", async () => {
	const stranger = place.file("notes.jsonl", '{"hello":"world"}\n');
	const alone = await place.weft("import", stranger);
	assert.deepEqual([alone.code, alone.out], [1, ""]);
	assert.match(alone.err, /^weft: .+notes\.jsonl is not of a known kind\./);
	assert.equal(existsSync(place.home), false);
	const second = place.file("more-notes.jsonl", '{"hello":"again"}\n');
	const both = await place.weft("import", stranger, second, place.file("session.jsonl", session(place.project)));
	assert.equal(both.code, 1);
	assert.match(both.err, /\bnotes\.jsonl is not of a known kind/);
	assert.match(both.err, /more-notes\.jsonl is not of a known kind\.\n/);
	assert.equal(both.err.split("Looked for").length, 2, "the list of known kinds is told once");
	assert.match(both.out, /0199c0de /);
});

test("a compressed file that is no archive is refused and writes nothing; a packed archive goes in under any name", async () => {
	const packed = place.file("session.jsonl.gz", "");
	writeFileSync(
		packed,
		gzipSync(
			session(place.project)
				.map((line) => JSON.stringify(line))
				.join("\n"),
		),
	);
	const refused = await place.weft("import", packed);
	assert.equal(refused.code, 1);
	assert.match(refused.err, /is compressed, and is not an archive of weft\. Unpack it first/);
	assert.equal(existsSync(place.home), false);

	await place.weft("import", place.file("session.jsonl", session(place.project)));
	const archive = join(place.folder, "kept", "archive.of-old");
	mkdirSync(join(place.folder, "kept"));
	await place.weft("prune", "--days", "0", "--min-events", "0", "--gzip", "--archive", archive, "--yes");
	const { files } = await place.json<{ files: { archive: object }[] }>("import", archive);
	assert.deepEqual(files[0]?.archive, { restored: 9, appended: 0, known: 0, refused: 0, refusals: [] });
});

test("a path that is not there, or a folder without sessions, is not found", async () => {
	const missing = await place.weft("import", "no-such.jsonl");
	assert.deepEqual(
		[missing.code, missing.err],
		[3, "weft: no-such.jsonl: there is no such file or folder. Nothing was imported.\n"],
	);
	assert.equal((await place.weft("import", place.project)).code, 3);
});

test("a home that cannot be made is a clear error", async () => {
	const file = place.file("session.jsonl", session(place.project));
	const blocked = place.file("blocked", "a file, not a folder");
	const { code, err } = await place.weft("import", file, "--home", join(blocked, "home"));
	assert.equal(code, 1);
	assert.match(err, /^weft: .+ cannot be created or written\. Check the folder's permissions/);
});

test("--follow outlives a file that goes, and reads on when it is there again", async () => {
	const [header, ...lines] = session(place.project);
	const file = place.file("one.jsonl", [header!, ...lines.slice(0, 2)]);
	const child = place.start(["import", file, "--follow", "--json"]);
	let [out, err] = ["", ""];
	child.stdout!.on("data", (chunk) => (out += chunk));
	child.stderr!.on("data", (chunk) => (err += chunk));
	const told = async (isThere: () => boolean) => {
		for (let tries = 0; !isThere() && tries < 1_000; tries++) await pause(100);
		assert.ok(isThere(), `${out}${err}`);
	};
	await told(() => err.includes("Following."));
	rmSync(file);
	await pause(1_500);
	place.file("one.jsonl", [header!, ...lines]);
	await told(() => out.includes('"messages":'));
	child.kill("SIGINT");
	await once(child, "exit");
});

test("the command that is named reads in what was asked for, however it was written", async () => {
	place.file(".pi/agent/sessions/one.jsonl", session(place.project));
	symlinkSync("self.jsonl", join(place.folder, ".pi/agent/sessions/self.jsonl"));
	const { code, err } = await place.weft("import", "--agent", "Pi, codex", "--since", "1d");
	assert.deepEqual(
		[code, err],
		[2, "Nothing was imported. To import them: weft import --yes --agent pi,codex --since 1d\n"],
	);
	const { code: following, err: refused } = await place.weft("import", "--follow");
	assert.equal(following, 2);
	assert.match(refused, /--yes --follow/);
});

test("weft with nothing recorded says which sessions the agents have and how to import them", async (t) => {
	const own = new Place();
	t.after(() => own.remove());
	const { out: nothing } = await own.weft();
	assert.match(nothing, /^ {2}weft import +finds the sessions/m);
	own.file(".claude/projects/x/s.jsonl", session("/gone/for/good", "s"));
	const { code, out } = await own.weft();
	assert.equal(code, 0);
	assert.match(out, /^weft has recorded nothing yet\. Your agents have these sessions:$/m);
	assert.match(out, /\/gone\/for\/good +1 /);
	assert.match(out, /weft import --yes$/m);
	await own.weft("import", "--yes");
	assert.match((await own.weft()).out, /^project/m, "from then on it is the status");
});
