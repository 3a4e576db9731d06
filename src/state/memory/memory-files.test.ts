import assert from "node:assert/strict";
import {
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { TableFolds } from "../../log/fold/table-folds.ts";
import { Log } from "../../log/log.ts";
import { EVERYONE } from "../session/scope.ts";
import { bulletsOf, parseDocument } from "./document.ts";
import { MEMORY, MemoryFiles, type MemoryFilesOptions, sessionFile, type WriteRequest } from "./memory-files.ts";
import { memoryFold } from "./memory-fold.ts";
import { memoryItems } from "./memory-items.ts";
import type { MemoryOp } from "./operation.ts";

const home = temporaryFolder();
const NOW = Date.UTC(2026, 10, 16);
const AT = { session: "s1", host: "pi" };
let count = 0;

function open(folder = join(home, String(++count)), options: Partial<MemoryFilesOptions> = {}) {
	const log = new Log({ folder, origin: "here", projection: () => new TableFolds([memoryFold]), now: () => NOW });
	after(() => log.close());
	const files = new MemoryFiles({ log, ...options });
	const write = (ops: readonly MemoryOp[] | WriteRequest["build"], more: Partial<WriteRequest> = {}) =>
		files.write({
			file: MEMORY,
			why: "test",
			session: AT,
			ts: NOW,
			build: typeof ops === "function" ? ops : () => ops,
			...more,
		});
	const path = files.pathOf(MEMORY);
	const read = () => readFileSync(path, "utf8");
	const bullets = () => bulletsOf(parseDocument(read())).map(({ bullet }) => bullet.text);
	return { log, files, write, path, read, bullets, folder };
}

const add = (text: string, section = "Facts", by = "state"): MemoryOp => ({ op: "add", section, text, by });
const idOf = (text: string, from: string) => new RegExp(`${text} <!-- (f-[0-9a-f]{8})`).exec(from)?.[1] ?? "";

test("writes sections in their order, each bullet with its id and day, and the log knows it", () => {
	const at = open();
	const { revision, isWritten } = at.write([
		add("tabs", "Preferences"),
		add("the parser  reads\nUTF-8 <!-- f-00000001 -->"),
	]);
	assert.deepEqual([revision, isWritten], [1, true]);
	assert.equal(
		at.read().replaceAll(/f-[0-9a-f]{8}/g, "f-…"),
		`<!-- weft revision 1. Edit as you like: what you write, change or remove here stays so. -->

# What stays true of this project

## Facts
- the parser reads UTF-8 <!— f-… —> <!-- f-… 2026-11-16 -->

## Preferences
- tabs <!-- f-… 2026-11-16 -->
`,
	);
	assert.equal(at.write([add("Tabs.", "Preferences")]).isWritten, false, "the same words are there already");
	const [record] = at.log.read({ types: ["MemoryWrite"] });
	assert.equal(record?.payload["revision"], 1);
	assert.deepEqual(
		at.files.store.bullets("memory").map(({ text }) => text),
		["tabs", "the parser reads UTF-8 <!— f-00000001 —>"],
	);
});

test("what the user adds, changes and removes is seen, kept and wins", () => {
	const at = open();
	at.write(["one", "two", "three"].map((text) => add(text)));
	const id = { one: idOf("one", at.read()), two: idOf("two", at.read()), three: idOf("three", at.read()) };
	const edited = at
		.read()
		.replace("- one ", "- one, by me ")
		.replace(/^- two .*\n/m, "")
		.replace("## Facts\n", "## Facts\nA remark of mine.\n\n- four\n  in two lines\n");
	writeFileSync(at.path, edited);
	const ops = [
		add("two"),
		add("five"),
		{ op: "supersede", replaces: id.three, text: "three is four", by: "a/b" },
	] as const;
	const { refused } = at.write(ops);
	assert.deepEqual(
		refused.map(({ why }) => why),
		["it was forgotten"],
	);
	assert.deepEqual(at.bullets(), ["four\nin two lines", "one, by me", "three is four", "five"]);
	assert.match(at.read(), /A remark of mine\.\n/);
	const [mine] = at.files.store.byId(idOf("one, by me", at.read()));
	assert.equal(mine?.by, "user");
	assert.deepEqual(
		at.files.store.replaced("memory", mine!.id).map(({ text }) => text),
		["one"],
	);
	const byModel = at.write([
		{ op: "invalidate", id: mine!.id, by: "a/b" },
		{ op: "supersede", replaces: mine!.id, text: "no", by: "a/b" },
	]);
	assert.deepEqual(
		byModel.refused.map(({ why }) => why),
		["the user wrote it", "the user wrote it"],
	);
	assert.equal(byModel.isWritten, false);
	assert.equal(at.write([add("two", "Facts", "user")]).isWritten, true, "the user may say it again");
	assert.ok(at.bullets().includes("two"));
});

test("a rewrite that would drop more than sixty percent is refused whole; the user may", () => {
	const at = open();
	const words = Array.from({ length: 10 }, (_, n) => `a fact of the project, number ${n}`);
	at.write(words.map((text) => add(text)));
	const drop = (by: string) => (current: readonly { readonly id: string }[]) =>
		current.slice(0, 7).map(({ id }): MemoryOp => ({ op: "invalidate", id, by }));
	const { isWritten, refused } = at.write(drop("a/b"));
	assert.equal(isWritten, false);
	assert.equal(refused[0]?.why, "it would drop 70 % of the file");
	assert.equal(at.write(drop("user")).isWritten, true);
	assert.equal(at.bullets().length, 3);
});

test("a section holds no more than it may, and what the user wrote stays", () => {
	const at = open();
	at.write([
		add("mine", "Open Loops", "user"),
		...Array.from({ length: 20 }, (_, n) => add(`loop ${n}`, "Open Loops")),
	]);
	assert.equal(at.bullets().length, 20);
	assert.deepEqual(at.bullets().slice(0, 2), ["mine", "loop 1"]);
});

test("whichever step it ends after, the next write goes on with nothing lost and nothing forgotten", () => {
	const at = open();
	for (const step of ["read", "append", "backup", "write", "done"]) {
		for (const isEdited of [false, true]) {
			const of = { session: `${step} ${isEdited}`, host: "pi" };
			const file = sessionFile(of);
			const path = at.files.pathOf(file);
			const read = () => readFileSync(path, "utf8");
			const fact = (text: string) => add(text, "Decisions");
			at.write(["one", "two"].map(fact), { file });
			if (isEdited)
				writeFileSync(
					path,
					read()
						.replace(/^- two .*\n/m, "- mine\n")
						.replace("- one ", "- one again "),
				);
			const dying = new MemoryFiles({
				log: at.log,
				onStep: (name) => {
					if (name === step) throw new Error("killed");
				},
			});
			const request = { file, why: "test", session: AT, ts: NOW, build: () => [fact("three")] };
			assert.throws(() => dying.write(request), /killed/);
			if (isEdited) writeFileSync(path, `${read()}- late\n`);
			at.write([fact("four")], { file });
			const told = bulletsOf(parseDocument(read())).map(({ bullet }) => bullet.text);
			const isBefore = step === "read" || step === "append";
			const wanted = isEdited ? ["one again", "mine", "late"] : ["one", "two"];
			assert.deepEqual(told.sort(), [...wanted, ...(isBefore ? [] : ["three"]), "four"].sort(), of.session);
			const known = at.files.store.bullets(`session pi ${of.session}`);
			assert.deepEqual(known.map(({ text }) => text).sort(), told, of.session);
		}
	}
});

test("a file that is lost, cut or garbled is made again from the log, and what was found is kept", () => {
	const damages: ((path: string) => void)[] = [
		(path) => rmSync(path),
		(path) => writeFileSync(path, ""),
		(path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 0, 0xc3])),
		(path) => writeFileSync(path, "\0".repeat(4_096)),
		(path) => writeFileSync(path, readFileSync(path, "utf8").slice(-60)),
	];
	for (const damage of damages) {
		const at = open();
		at.write(["one", "two", "three"].map((text) => add(text)));
		damage(at.path);
		const found = readdirSync(dirname(at.path)).includes("MEMORY.md") ? readFileSync(at.path) : undefined;
		at.write([add("four")]);
		assert.deepEqual(
			at.bullets().filter((text) => text.length > 2),
			["one", "two", "three", "four"],
		);
		if (found) assert.deepEqual(readFileSync(join(dirname(at.path), "backup", "MEMORY-000001.md")), found);
	}
});

test("a file of ten megabytes and a folder in its place are left alone, and recall goes on without", () => {
	const at = open();
	at.write([add("one")]);
	writeFileSync(at.path, `${at.read()}\n${"- x\n".repeat(2_500_000)}`);
	assert.throws(() => at.write([add("two")]), /does not touch .*: it is larger than 4 MB/);
	assert.equal(readFileSync(at.path).length > 1e7, true);
	assert.deepEqual(memoryItems({ folder: at.folder, scope: EVERYONE }), []);
});

test("a file that says the same thing twenty thousand times is read in no more than its size", () => {
	const at = open();
	at.write([add("one")]);
	writeFileSync(at.path, `${at.read()}${"- the same\n".repeat(20_000)}`);
	at.write([add("two")]);
	assert.equal(new Set(bulletsOf(parseDocument(at.read())).map(({ bullet }) => bullet.id)).size, 20_000);
});

test("a link stays a link, to a file that is there or not yet; what somebody made read-only is not written", () => {
	const at = open();
	at.write([add("one")]);
	const elsewhere = join(home, `elsewhere-${count}`);
	mkdirSync(elsewhere);
	renameSync(at.path, join(elsewhere, "notes.md"));
	chmodSync(join(elsewhere, "notes.md"), 0o640);
	symlinkSync(join(elsewhere, "notes.md"), at.path);
	at.write([add("two")]);
	assert.equal(lstatSync(at.path).isSymbolicLink(), true);
	assert.match(readFileSync(join(elsewhere, "notes.md"), "utf8"), /- one [\s\S]*- two /);
	assert.equal(lstatSync(join(elsewhere, "notes.md")).mode & 0o777, 0o640);
	rmSync(join(elsewhere, "notes.md"));
	at.write([add("three")]);
	assert.deepEqual([at.bullets(), lstatSync(at.path).isSymbolicLink()], [["one", "two", "three"], true]);

	chmodSync(at.path, 0o440);
	const before = at.read();
	assert.throws(() => at.write([add("four")]), /does not touch .*: it is read-only\. Make it writable/);
	assert.deepEqual([at.read(), at.files.store.revision("memory")], [before, 3], "and the log does not say that it was");
	chmodSync(at.path, 0o600);
	at.write([add("four")]);
	assert.equal(at.bullets().length, 4);
});

test("of several writers none loses a bullet; one that cannot get the lock says so and leaves the file", () => {
	const folder = join(home, "several");
	const [one, other] = [open(folder), open(folder)];
	for (let n = 0; n < 5; n++) {
		one.write([add(`one ${n}`)]);
		other.write([add(`other ${n}`)]);
	}
	assert.equal(one.bullets().length, 10);
	const nested = open(folder, { lockMs: 20 });
	one.write(() => {
		assert.throws(() => nested.write([add("late")]), { code: "locked" });
		return [];
	});
	assert.equal(one.bullets().length, 10);
});

test("whatever is written by whomever, the file, the log and a rebuild say the same", () => {
	const TEXT = fc.oneof(
		fc.string({ unit: "binary", maxLength: 40 }),
		fc.constantFrom("a", "b", "- c", "```", "## d", "-->", "</runtime_context>"),
	);
	const STEP = fc.oneof(
		fc.record({ do: fc.constant("add" as const), text: TEXT, by: fc.constantFrom("user", "state", "a/b") }),
		fc.record({ do: fc.constant("drop" as const), nth: fc.nat(5), by: fc.constantFrom("user", "a/b") }),
		fc.record({ do: fc.constant("change" as const), nth: fc.nat(5), text: TEXT }),
		fc.record({ do: fc.constant("edit" as const), nth: fc.nat(12), line: TEXT }),
	);
	const at = open();
	let run = 0;
	fc.assert(
		fc.property(fc.array(STEP, { maxLength: 8 }), (steps) => {
			const of = { session: `run ${++run}`, host: "pi" };
			const file = sessionFile(of);
			const path = at.files.pathOf(file);
			const write = (build: WriteRequest["build"]) => at.write(build, { file });
			const read = () => readFileSync(path, "utf8");
			write(() => [add("first", "Decisions")]);
			for (const step of steps) {
				if (step.do === "edit") {
					const lines = read().split("\n");
					const nth = 3 + (step.nth % (lines.length - 2));
					writeFileSync(path, lines.toSpliced(nth, 1, step.line.toWellFormed()).join("\n"));
					write(() => []);
					continue;
				}
				write((current) => {
					const { id } = current[("nth" in step ? step.nth : 0) % Math.max(1, current.length)] ?? { id: "f-00000000" };
					if (step.do === "add") return [add(step.text, "Decisions", step.by)];
					if (step.do === "drop") return [{ op: "invalidate", id, by: step.by, isForgotten: true }];
					return [{ op: "supersede", replaces: id, text: step.text, by: "a/b" }];
				});
			}
			const told = bulletsOf(parseDocument(read())).filter(({ bullet }) => bullet.text !== "");
			const known = at.files.store.bullets(`session pi ${of.session}`);
			const pairs = (list: readonly { readonly id: string | undefined; readonly text: string }[]) =>
				list.map(({ id, text }) => JSON.stringify([id, text])).sort();
			assert.deepEqual(pairs(told.map(({ bullet }) => bullet)), pairs(known));
		}),
		{ numRuns: 20 },
	);
	const dump = () => [...at.log.projection!.dump()];
	const before = dump();
	at.log.rebuild();
	assert.deepEqual(dump(), before);
});

test("sessions have files of their own, whatever they are called, and recall reads the asking one first", () => {
	const at = open();
	const names = ["a", "../../etc", "b".repeat(300), "c d/é"];
	for (const [n, session] of names.entries()) {
		const of = { session, host: "pi" };
		at.write([add(`state of ${n}`, "Current State")], { file: sessionFile(of), session: of });
	}
	const folder = join(at.files.folder, "sessions");
	assert.equal(readdirSync(folder).length, 4);
	const items = memoryItems({
		folder: at.folder,
		scope: EVERYONE,
		session: { session: "../../etc", host: "pi" },
		sessions: 4,
	});
	assert.deepEqual(items[0], {
		id: items[0]!.id,
		text: "state of 1",
		heading: "Current State",
		source: "session",
		kind: "state",
		date: NOW,
		paths: undefined,
		file: items[0]!.file,
		stretch: items[0]!.stretch,
	});
	assert.equal(items.length, 4);
});
