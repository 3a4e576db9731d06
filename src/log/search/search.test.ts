import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { databaseOf } from "../database.ts";
import type { EventRecord, NewEvent } from "../event/types.ts";
import { Log } from "../log.ts";
import type { LogOptions, SearchDoc } from "../types.ts";
import type { FindQuery } from "./types.ts";

const root = temporaryFolder();

let folders = 0;
const newFolder = () => join(root, `${++folders}`);

function openLog(options: Partial<LogOptions> = {}): Log {
	return new Log({ folder: newFolder(), origin: "here", searchable, ...options });
}

/** Messages whose raw entry is the document itself. */
function searchable(record: EventRecord): SearchDoc | undefined {
	return record.type === "Message" ? (record.payload["raw"] as SearchDoc) : undefined;
}

function say(text: string, more: Partial<SearchDoc> & { session?: string; ts?: number } = {}): NewEvent {
	const { session = "s", ts = 0, ...doc } = more;
	const raw = JSON.stringify({ role: "user", text, ...doc });
	return { type: "Message", session, host: "test", ts, payload: { role: "user", form: "pi" }, raw };
}

function logWith(...texts: readonly string[]): Log {
	const log = openLog();
	log.append(texts.map((text) => say(text)));
	return log;
}

/** The seqs of all hits, in order. */
function find(log: Log, text: string, more: Omit<FindQuery, "text"> = {}): number[] {
	return log.search.find({ text, ...more }).hits.map((hit) => hit.seq);
}

const sorted = (seqs: readonly number[]) => seqs.toSorted((a, b) => a - b);

test("case 1: two words are both required, wherever they stand", () => {
	using log = logWith("alpha then beta", "beta then alpha", "alpha only", "beta only");
	assert.deepEqual(sorted(find(log, "alpha beta")), [1, 2]);
});

test("case 2: a word with a hyphen is one literal, never an operator", () => {
	using log = logWith("a sub-agent ran", "the agent has a sub", "sub something agent");
	assert.deepEqual(find(log, "sub-agent"), [1]);
	assert.deepEqual(sorted(find(log, "-agent sub")), [1, 2, 3]);
});

test("case 3: AND, OR, NOT and NEAR are words", () => {
	using log = logWith("this OR that", "this", "not near and", "NEAR(this that)");
	assert.deepEqual(find(log, "this OR that"), [1]);
	assert.deepEqual(find(log, "NOT near AND"), [3]);
	assert.deepEqual(find(log, "NEAR(this"), [4]);
	assert.deepEqual(find(log, "this NOT that"), []);
});

test("case 4: a colon is no column filter", () => {
	using log = logWith("agent:foo is here", "body of foo", "foo in the agent");
	assert.deepEqual(find(log, "agent:foo"), [1]);
	assert.deepEqual(find(log, "body:foo"), []);
});

test("case 5: a star is literal", () => {
	using log = logWith("lcm* here", "lcmgrep is another word");
	assert.deepEqual(find(log, "lcm*"), [1]);
});

test("case 6: a caret is literal", () => {
	using log = logWith("only ^start here", "restart");
	assert.deepEqual(find(log, "^start"), [1]);
});

test("case 7: an empty or blank query finds nothing and does not throw", () => {
	using log = logWith("something");
	for (const text of ["", " ", "\t\n", '""', '" "', "\0"]) {
		assert.deepEqual(
			log.search.find({ text }),
			{ hits: [], scanned: 1, behind: 0, complete: true },
			JSON.stringify(text),
		);
	}
});

test("case 8: quotes inside a query find the row", () => {
	using log = logWith('they say "hello" to all', "they say nothing");
	assert.deepEqual(find(log, 'say "hello"'), [1]);
	assert.deepEqual(find(log, 'say "hello'), [1]);
	assert.deepEqual(find(log, '"say "hello""'), [1]);
});

test("case 9: a quoted phrase stays together and in order", () => {
	using log = logWith("the quick brown fox", "brown and quick", "quick or brown", "quick\nbrown");
	assert.deepEqual(sorted(find(log, '"quick brown"')), [1, 4]);
	assert.equal(find(log, "quick brown").length, 4);
});

test("case 10: a lone quote, star or other sign does not throw and finds the sign", () => {
	using log = logWith('a " b', "a * b", "x => y", "plain");
	assert.deepEqual(find(log, '"'), [1]);
	assert.deepEqual(find(log, "*"), [2]);
	assert.deepEqual(find(log, "=>"), [3]);
	assert.deepEqual(find(log, '"*"'), [2]);
	assert.deepEqual(find(log, '"plain" "*"'), [4]);
	for (const text of ["^", ":", "(", ")", "{", "-", "+", "'", "\\", ";", "%"])
		assert.deepEqual(find(log, text), [], text);
});

test("case 11: NUL in a query or a text parts words and does not throw", () => {
	using log = logWith("left\0right", "left", "right");
	assert.deepEqual(find(log, "left\0right"), [1]);
	assert.deepEqual(sorted(find(log, "right\0")), [1, 3]);
});

test("case 12: percent and underscore are literal, with and without full text", () => {
	for (const fullText of [true, false]) {
		using log = openLog({ fullText });
		log.append(["100% done", "100 done", "snake_case", "snakeXcase"].map((text) => say(text)));
		assert.deepEqual(sorted(find(log, "100%")), fullText ? [1, 2] : [1]);
		assert.deepEqual(find(log, "snake_case"), [3]);
	}
});

test("case 13: without FTS5 the same words are found, newest first, with filters and pages", () => {
	using log = openLog({ fullText: false });
	log.append([
		say("first needle"),
		say("second"),
		say("third Needle", { role: "assistant" }),
		say("needles", { thinking: "deep" }),
	]);
	assert.deepEqual(find(log, "needle"), [4, 3, 1]);
	assert.deepEqual(find(log, "needle", { role: "assistant" }), [3]);
	assert.deepEqual(find(log, "deep"), []);
	assert.deepEqual(find(log, "deep", { thinking: true }), [4]);
	const page = log.search.find({ text: "needle", limit: 2 });
	assert.deepEqual([page.hits.map((hit) => hit.seq), page.next], [[4, 3], 2]);
	assert.deepEqual(find(log, "needle", { limit: 2, offset: 2 }), [1]);
	const none = log.search.find({ text: "absent" });
	assert.deepEqual(none, { hits: [], scanned: 4, behind: 0, complete: true });
	assert.equal(log.search.stats().fullText, false);
	assert.equal(
		databaseOf(log).prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'search%'").get()!["n"],
		0,
	);
});

test("case 14: CJK is found from two characters on, and one begins a pair", () => {
	using log = logWith("数据库迁移脚本", "データベース移行", "데이터베이스를 옮긴다", "API의 설계", "迁一移");
	assert.deepEqual(find(log, "迁移"), [1]);
	assert.deepEqual(find(log, "库迁移"), [1]);
	assert.deepEqual(find(log, "脚本"), [1]);
	assert.deepEqual(find(log, "移行"), [2]);
	assert.deepEqual(find(log, "ベース"), [2]);
	assert.deepEqual(find(log, "이터"), [3]);
	assert.deepEqual(find(log, "API의"), [4]);
	assert.deepEqual(find(log, "의"), [4]);
	assert.deepEqual(find(log, "api"), [4]);
	assert.deepEqual(sorted(find(log, "迁")), [1, 5]);
	assert.deepEqual(find(log, "移迁"), []);
});

test("case 15: what is not searchable, as the answers of search tools, is never found", async () => {
	using log = openLog({
		searchable: (record) => {
			const doc = searchable(record);
			return doc?.tool === "lcm_grep" ? undefined : doc;
		},
	});
	log.append([say("needle"), say("needle again", { role: "toolResult", tool: "lcm_grep" })]);
	assert.deepEqual(find(log, "needle"), [1]);
	assert.deepEqual(
		(await log.search.findRegex({ pattern: "needle" })).hits.map((hit) => hit.seq),
		[1],
	);
	assert.equal(log.search.stats().docs, 1);
});

test("case 24: text beyond 50,000 characters of a message is found, and beyond two megabytes", async () => {
	using log = logWith(
		`${"filler ".repeat(10_000)} needleWord ${"filler ".repeat(5_000)}`,
		`${"padding\n".repeat(300_000)} farNeedle`,
	);
	assert.deepEqual(find(log, "needleWord"), [1]);
	assert.deepEqual(find(log, "farNeedle"), [2]);
	assert.match(log.search.find({ text: "farNeedle" }).hits[0]!.snippet, /farNeedle/);
	assert.deepEqual(
		(await log.search.findRegex({ pattern: "far[A-Z]\\w+" })).hits.map((hit) => hit.seq),
		[2],
	);
});

test("words are found in any form, numbers and emoji as they are", () => {
	using log = logWith("errors erroring", "it took 42 ms", "142", "on 🔥 today", "👍🏽 fine", "Überraschung");
	assert.deepEqual(find(log, "error"), [1]);
	assert.deepEqual(find(log, "42"), [2]);
	assert.deepEqual(find(log, "🔥"), [4]);
	assert.deepEqual(find(log, "👍"), [5]);
	assert.deepEqual(find(log, "uberraschung"), [6]);
});

test("parts of identifiers and paths are found", () => {
	using log = logWith(
		"call getUserById(7)",
		"the user_name field",
		"see src/user/index.ts",
		"class HTTPServer",
		"nothing",
	);
	assert.deepEqual(find(log, "getUser"), [1]);
	assert.deepEqual(find(log, "UserById"), [1]);
	assert.deepEqual(sorted(find(log, "user")), [1, 2, 3]);
	assert.deepEqual(find(log, "src/user"), [3]);
	assert.deepEqual(find(log, "Server"), [4]);
	assert.deepEqual(find(log, "httpserver"), [4]);
	assert.deepEqual(find(log, '"id http"'), []);
});

test("an identifier that begins with the word is found before prose that holds its words, over all pages", () => {
	const code = `export async function getUserById(id) {\n${"\tconst row = await table.row(id);\n".repeat(40)}}`;
	const prose = Array.from({ length: 9 }, () => "to get user data, get user rights");
	using log = logWith(...prose, code, "forgetUserNow", "getUser()", "so getuser it is");
	assert.deepEqual(sorted(find(log, "getUser").slice(0, 3)), [10, 12, 13]);
	assert.equal(find(log, "getUser").length, 13);
	assert.equal(find(log, "getUser row")[0], 10);
	assert.equal(find(log, "getUser", { order: "recent" })[0], 13);
	const seen: number[] = [];
	for (let offset: number | undefined = 0; offset !== undefined; ) {
		const page = log.search.find({ text: "getUser", limit: 2, offset });
		seen.push(...page.hits.map((hit) => hit.seq));
		offset = page.next;
	}
	assert.deepEqual(seen, find(log, "getUser"));
});

test("an identifier with underscores is found before prose that holds its words, over all pages", () => {
	const prose = Array.from({ length: 9 }, () => "to get user data, get user rights");
	const code = `def get_user_by_id(id):\n${"    row = table.row(id)\n".repeat(40)}`;
	using log = logWith(...prose, code, "so GET_USER it is", "get user", "forget_user");
	assert.deepEqual(sorted(find(log, "get_user").slice(0, 2)), [10, 11]);
	assert.equal(find(log, "get_user").length, 13);
	assert.equal(find(log, "get_user row")[0], 10);
	assert.equal(find(log, "get_user", { order: "recent" })[0], 12);
	const seen: number[] = [];
	for (let offset: number | undefined = 0; offset !== undefined; ) {
		const page = log.search.find({ text: "get_user", limit: 2, offset });
		seen.push(...page.hits.map((hit) => hit.seq));
		offset = page.next;
	}
	assert.deepEqual(seen, find(log, "get_user"));
});

test("parts of words from three characters on are found, behind the whole words", () => {
	using log = logWith("catalogue", "the log", "logging", "prologue", "lo");
	assert.deepEqual(sorted(find(log, "log")), [1, 2, 3, 4]);
	assert.deepEqual(sorted(find(log, "log").slice(0, 2)), [2, 3]);
	assert.deepEqual(find(log, "alogu"), [1]);
	assert.deepEqual(find(log, "ogue talo"), [1]);
});

test("the better match comes first, or the newer one when asked", () => {
	using log = logWith("needle needle needle", `one needle in ${"a lot of hay ".repeat(50)}`);
	assert.deepEqual(find(log, "needle"), [1, 2]);
	assert.deepEqual(find(log, "needle", { order: "recent" }), [2, 1]);
	const [first, second] = log.search.find({ text: "needle" }).hits;
	assert.ok(first!.score > second!.score && second!.score > 0);
});

test("thinking is searched only on request", () => {
	using log = openLog();
	log.append([say("spoken", { role: "assistant", thinking: "pondering deeply" }), say("pondering aloud")]);
	assert.deepEqual(find(log, "pondering"), [2]);
	assert.deepEqual(find(log, "onderin"), [2]);
	assert.deepEqual(sorted(find(log, "pondering", { thinking: true })), [1, 2]);
	assert.deepEqual(find(log, "spoken deeply", { thinking: true }), [1]);
	assert.match(log.search.find({ text: "deeply", thinking: true }).hits[0]!.snippet, /pondering deeply/);
});

test("a hit says what it is and where the match stands", () => {
	using log = openLog();
	log.append([say("first line\nthe needle is here", { role: "toolResult", tool: "bash", session: "abc", ts: 5 })]);
	const { hits } = log.search.find({ text: "needle" });
	const { score, id, ...rest } = hits[0]!;
	assert.ok(score >= 0);
	assert.equal(id, log.get(1)!.id);
	assert.deepEqual(rest, {
		seq: 1,
		session: "abc",
		role: "toolResult",
		tool: "bash",
		ts: 5,
		snippet: "first line the needle is here",
		ranges: [{ start: 15, end: 21 }],
	});
});

test("filters narrow by role, tool, session, time and seq, and the count with them", () => {
	using log = openLog();
	log.append([
		say("needle", { ts: 10 }),
		say("needle", { ts: 20, role: "toolResult", tool: "bash" }),
		say("xneedlex", { ts: 30, session: "t" }),
		say("needle", { ts: 40, session: "t", role: "assistant" }),
		say("hay", { ts: 50, role: "assistant" }),
	]);
	const narrowed = (filters: Omit<FindQuery, "text">) => {
		const { hits, scanned } = log.search.find({ text: "needle", ...filters });
		return [sorted(hits.map((hit) => hit.seq)), scanned];
	};
	assert.deepEqual(narrowed({}), [[1, 2, 3, 4], 5]);
	assert.deepEqual(narrowed({ role: "assistant" }), [[4], 2]);
	assert.deepEqual(narrowed({ tool: "bash" }), [[2], 1]);
	assert.deepEqual(narrowed({ session: "t" }), [[3, 4], 2]);
	assert.deepEqual(narrowed({ since: 20, until: 40 }), [[2, 3], 2]);
	assert.deepEqual(narrowed({ afterSeq: 1, beforeSeq: 4 }), [[2, 3], 2]);
	assert.deepEqual(narrowed({ role: "assistant", session: "s" }), [[], 1]);
	assert.deepEqual(narrowed({ role: "nobody" }), [[], 0]);
	assert.deepEqual(narrowed({ since: 20, order: "recent", limit: 1 }), [[4], 4]);
});

test("the file filter finds the messages that events about the file name as their cause", async () => {
	const changed = (path: string, cause: number): NewEvent => ({
		type: "FileChanged",
		session: "s",
		host: "test",
		ts: 0,
		cause,
		payload: { path, kind: "edit", added: 1, removed: 0, actor: "agent" },
	});
	for (const fullText of [true, false]) {
		using log = openLog({ fullText });
		log.append([say("needle one"), say("needle two"), say("needle three")]);
		log.append([changed("src/a.ts", 1), changed("src/deep/b.ts", 2), changed("srcs.ts", 3)]);
		assert.deepEqual(find(log, "needle", { file: "src/a.ts" }), [1]);
		assert.deepEqual(sorted(find(log, "needle", { file: "src/" })), [1, 2]);
		assert.deepEqual(find(log, "needle", { file: "src" }), []);
		const byPattern = await log.search.findRegex({ pattern: "needle", file: "src/" });
		assert.deepEqual(
			byPattern.hits.map((hit) => hit.seq),
			[2, 1],
		);
	}
});

test("pages follow each other through words and parts of words, each hit once", () => {
	using log = openLog();
	log.append(Array.from({ length: 30 }, (_, n) => say(n % 3 === 0 ? "xneedley" : n % 3 === 1 ? "needle" : "hay")));
	for (const order of ["ranked", "recent"] as const) {
		const seen: number[] = [];
		for (let offset: number | undefined = 0; offset !== undefined; ) {
			const page = log.search.find({ text: "needle", limit: 4, offset, order });
			assert.ok(page.hits.length > 0 && page.hits.length <= 4);
			seen.push(...page.hits.map((hit) => hit.seq));
			offset = page.next;
		}
		assert.equal(seen.length, 20);
		assert.equal(new Set(seen).size, 20);
		assert.ok(seen.slice(0, 10).every((seq) => (seq - 1) % 3 === 1));
	}
	assert.deepEqual(log.search.find({ text: "needle", offset: 100 }).hits, []);
});

test("pages follow each other where texts are read one by one", () => {
	using log = openLog();
	log.append(Array.from({ length: 7 }, () => say("a => b")));
	const first = log.search.find({ text: "=>", limit: 4 });
	assert.deepEqual([first.hits.map((hit) => hit.seq), first.next], [[7, 6, 5, 4], 4]);
	const second = log.search.find({ text: "=>", limit: 4, offset: 4 });
	assert.deepEqual([second.hits.map((hit) => hit.seq), second.next], [[3, 2, 1], undefined]);
});

test("an empty answer says how much was searched", () => {
	using log = logWith("a", "b", "c");
	const found = log.search.find({ text: "absent" });
	assert.deepEqual(found, { hits: [], scanned: 3, behind: 0, complete: true, next: undefined });
});

test("a deadline ends the reading of texts one by one, and the answer says so", () => {
	using log = logWith("=>", "b", "c");
	const { complete, scanned, hits } = log.search.find({ text: "=>", deadlineMs: -1 });
	assert.deepEqual({ complete, scanned, hits }, { complete: false, scanned: 0, hits: [] });
});

test("events that left the log are passed over", () => {
	using log = logWith("needle", "needle");
	log.search.catchUp();
	using other = new Log({ folder: log.folder, origin: "here" });
	databaseOf(other).exec("DELETE FROM event WHERE seq = 1");
	assert.deepEqual(find(log, "needle"), [2]);
	assert.deepEqual(find(log, "eedl"), [2]);
});

test("case 40: search in a closed log is a typed error", async () => {
	const log = logWith("needle");
	log.close();
	const closed = (error: unknown) => error instanceof EngineError && error.code === "closed";
	assert.throws(() => log.search.find({ text: "needle" }), closed);
	assert.throws(() => log.search.catchUp(), closed);
	await assert.rejects(log.search.findRegex({ pattern: "needle" }), closed);
});

test("a line of five megabytes is indexed and found, whatever it is made of", async () => {
	const digits = Array.from({ length: 500_000 }, (_, n) => (n * 7919).toString(36)).join("");
	for (const line of ["a".repeat(5_000_000), digits, "迁移".repeat(1_000_000), "<a b='".repeat(800_000)]) {
		using log = logWith(`${line} needle`);
		assert.deepEqual(find(log, "needle"), [1]);
		assert.deepEqual(find(log, line.slice(1_000, 1_006)), [1]);
		assert.deepEqual((await log.search.findRegex({ pattern: "n[e]+dle$", deadlineMs: 60_000 })).hits.length, 1);
	}
});
