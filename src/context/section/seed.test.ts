import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { eventsOf, fileChanged, OF, user } from "../../../test/rig/events.ts";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { READERS } from "../../agent/agents.ts";
import { importFile } from "../../agent/recorded/import.ts";
import { openEngine } from "../../engine.ts";
import { newestFirst } from "../../log/fold/keyed.ts";
import type { FileContent, FileSource } from "../../state/work/file-source.ts";
import { RecordedFiles } from "../../state/work/recorded-files.ts";
import type { ComposedSeed } from "./section.ts";
import { renderSeed } from "./seed.ts";

const home = temporaryFolder();
const engine = openEngine({ cwd: home, home, host: "test", env: {} });
await importFile(join(import.meta.dirname, "../../../demo/session.jsonl"), {
	readers: READERS,
	logFor: () => engine.log,
});
after(() => engine.close());

const state = engine.state().state;
const session = [...newestFirst(state.thread.sessions)][0]![0];
const files = new RecordedFiles();
files.advance(engine.log, engine.log.newestSeq());

function seed(more: { budget?: number; raw?: string; files?: FileSource } = {}): ComposedSeed {
	return renderSeed({ session, host: "pi", state, files, root: "/home/dev/tidepool", raw: "", budget: 8_000, ...more });
}

test("a seed holds the task, the newest words, the files as they are, the paths and the ledger, in this order", (t) => {
	const { text, sections } = seed();
	// What a model sees, for a reviewer to read.
	t.assert.fileSnapshot(text, join(import.meta.dirname, "../../../test/snapshots/seed.md"), {
		serializers: [String],
	});
	assert.deepEqual(
		sections.map((section) => section.name),
		[
			"header",
			"newest",
			"task",
			"rules",
			"done",
			"failures",
			"account",
			"resolved",
			"commands",
			"files",
			"paths",
			"ledger",
		],
	);
	assert.match(text, /^The work so far/);
	assert.match(text, /\nRepository: tidepool\n/);
	assert.match(text, /## The task \(m-[0-9a-f]{12}\)\nThe list of high waters drops a tide/);
	assert.match(text, /### src\/tides\.ts \(whole, \d+ lines\)\n/);
	assert.match(text, /→ exit 1 \[e-[0-9a-f]{12}\]/);
});

test("same state, same bytes; no clock, no ages", () => {
	assert.equal(seed().text, seed().text);
	assert.doesNotMatch(seed().text, /\bago\b|minutes? old/);
});

test("a seed leaves commands and paths out only where its budget is used", () => {
	fc.assert(
		fc.property(fc.integer({ min: 1_200, max: 20_000 }), (budget) => {
			const { tokens, sections } = seed({ budget });
			const left = sections.filter(({ name, left }) => left > 0 && ["commands", "paths", "ledger"].includes(name));
			if (left.length > 0) assert.ok(tokens > budget * 0.9, `${tokens} of ${budget}: ${left.map(({ name }) => name)}`);
		}),
		{ numRuns: 60 },
	);
});

test("the budget holds at any size, and each section says what it left out", () => {
	fc.assert(
		fc.property(fc.integer({ min: 1_200, max: 20_000 }), (budget) => {
			const { tokens, text } = seed({ budget });
			assert.ok(tokens <= budget, `${tokens} of ${budget}`);
			assert.match(
				text,
				/## The newest request when this was written, word for word \(m-[0-9a-f]{12}\)\nAnd mention the Japanese output there\.\n/,
			);
		}),
	);
	const small = seed({ budget: 2_000 });
	assert.ok(small.sections.some((section) => section.left > 0));
	assert.match(small.text, /more|older ones|cut; whole/);
});

test("what stands raw after the seed is not said twice", () => {
	const whole = seed().text;
	const content = files.read("src/tides.ts") as Extract<FileContent, { kind: "text" }>;
	const raw = content.kind === "text" ? content.text : "";
	assert.ok(raw.length > 0);
	const lean = seed({ raw }).text;
	assert.ok(lean.length < whole.length);
	const words = "And mention the Japanese output there.";
	assert.ok(whole.includes(`word for word (m-cfe2a55f6a03)\n${words}`));
	const named = `## The newest request when this was written (m-cfe2a55f6a03, whole in the messages below)\nBegins: ${words}\n`;
	const { text } = seed({ raw: words });
	assert.ok(text.includes(named));
	assert.ok(!text.includes("word for word") && text.includes(`${words} (whole below)`));
});

test("a file that cannot be shown is said so, and never breaks the seed", () => {
	const kinds: FileContent[] = [
		{ kind: "deleted" },
		{ kind: "binary", bytes: 7 },
		{ kind: "huge", bytes: 9_000_000 },
		{ kind: "unreadable", reason: "no permission" },
		{ kind: "outside" },
	];
	const text = kinds
		.map((kind) => seed({ files: { read: (path) => (path === "src/tides.ts" ? files.read(path) : kind) } }).text)
		.join("\n");
	for (const remark of [
		/^\S+ \((?:binary, 7 B|too large to show, 9\.0 MB)\)$/m,
		/^\S+ \(cannot be read: no permission\)$/m,
		/^\S+ \(leads out of the project, not shown\)$/m,
		/^\S+ \(deleted\)$/m,
	]) {
		assert.match(text, remark);
	}
});

test("a file that has no room is outlined: its declarations with their lines, and its handle", () => {
	const text = Array.from(
		{ length: 40 },
		(_, at) => `export function part${at}() {\n${"\twork();\n".repeat(8)}}\n`,
	).join("");
	const { text: shown, tokens } = seed({ budget: 3_000, files: { read: () => ({ kind: "text", text, hash: "h" }) } });
	const [, outlined = ""] =
		/### \S+ \(outline of 400 lines\) \[e-[0-9a-f]{12}\]\n((?:\d+ export function .*\n)+)/.exec(shown) ?? [];
	assert.deepEqual(outlined.split("\n").slice(0, 2), ["1 export function part0()", "41 export function part4()"]);
	assert.ok(tokens <= 3_000);
});

test("items say what is in the seed and why, what was left out, and by which handle", () => {
	const whole = seed({ budget: 16_000 });
	const of = (kind: string) => whole.items.filter((item) => item.kind === kind);
	assert.deepEqual(
		["newest", "task", "order"].map((kind) => of(kind).map(({ why }) => why)),
		[["protected"], ["protected"], Array.from({ length: 6 }, () => "the user asked for it")],
	);
	assert.deepEqual(of("file").map(({ id, why }) => [id, why])[0], [
		"file:src/tides.ts",
		"1 of 1 piece; 6 changed places, 2 reads",
	]);
	for (const { id, handle, included } of whole.items) {
		if (/^(?:header|paths|repository|done)/.test(id)) continue;
		assert.match(handle ?? id, /^[em]-[0-9a-f]{12}$/);
		assert.ok(included);
	}
	const small = seed({ budget: 1_200 });
	const left = small.items.filter(({ included }) => !included);
	assert.ok(left.length > 0);
	for (const { why } of left) assert.match(why, /the section's share was used up|nothing that does not stand raw/);
});

test("a seed does not take somebody else's changes for the agent's work", () => {
	const other = openEngine({ cwd: join(home, "other"), home: join(home, "other"), host: "pi", env: {} });
	after(() => other.close());
	const changed = (path: string, actor: "agent" | "other") => fileChanged(path, { actor });
	other.log.append(
		eventsOf([
			user("Mend the parser."),
			...[changed("a.js", "other"), changed("a.js", "other"), changed("b.js", "other"), changed("b.js", "agent")],
		]),
	);
	const { text } = renderSeed({
		...OF,
		state: other.state().state,
		files: { read: () => ({ kind: "deleted" }) },
		root: home,
		raw: "",
		budget: 8_000,
	});
	assert.match(text, /\n {2}Changed: b\.js\n/);
	assert.match(text, /- a\.js changed 2× by somebody else \+4\/-2$/m);
	assert.match(text, /- b\.js changed 2× \(1× by somebody else\) \+4\/-2\n/);
});
