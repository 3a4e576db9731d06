import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { SHIPPED_SESSION } from "../../bench/replay.ts";
import { type RecordedCall, readCalls } from "../../src/context/model-calls.ts";
import { openEngine } from "../../src/engine.ts";
import { agentSessions } from "../../src/state/session/find-session.ts";
import type { HomeReport } from "../../src/view/report.ts";
import { asClaudeCode } from "../replay/claude-code-session.ts";
import { isAlmostSameLine } from "../rig/almost-same-line.ts";
import { Place } from "./place.ts";

const place = new Place();
after(() => place.remove());

interface ModeJson {
	readonly requests: number;
	readonly maxTokens: number;
	readonly meanTokens: number;
	readonly costUnits: number;
	readonly costUnits3k: number;
	readonly healedUnits3k: number;
	readonly editSupport: number | null;
	readonly pathSupport: number | null;
	readonly termSupport: number | null;
	readonly editsAtHand: number | null;
	readonly seals: number;
	readonly invalid: number;
}

interface ReportJson {
	readonly modes: Record<string, ModeJson>;
	readonly billed: object;
	readonly prices: { readonly read: number; readonly write: number };
	readonly fixedTokens: number;
	readonly startMissing: boolean;
	readonly cacheLifetime: number;
}

interface Line {
	readonly mode: string;
	readonly index: number;
	readonly ts: number;
	readonly tokens: number;
	readonly summariserTokens: number;
	readonly messages: readonly {
		readonly role: string;
		readonly content?: unknown;
		readonly summary?: string;
		readonly output?: string;
	}[];
}

test("weft replay prints one object with every mode and what was billed, and leaves nothing behind", async () => {
	const temporary = join(place.folder, "tmp");
	mkdirSync(temporary);
	const { code, out } = await place.weftIn({ TMPDIR: temporary }, "replay", SHIPPED_SESSION, "--json");
	assert.equal(code, 0);
	const report = JSON.parse(out) as ReportJson;
	assert.deepEqual([typeof report.fixedTokens, report.startMissing, report.cacheLifetime], ["number", false, 300_000]);
	assert.deepEqual(Object.keys(report.modes), ["woven", "warp", "lossless", "host", "tail"]);
	const fields =
		"requests meanTokens maxTokens costUnits costUnits3k healedUnits3k costDollars hitShare prefixBreaks seals editSupport pathSupport termSupport invalid";
	for (const mode of Object.values(report.modes)) {
		for (const field of fields.split(" ")) assert.equal(typeof mode[field as keyof ModeJson], "number", field);
		assert.equal(mode.requests, 21);
		assert.equal(mode.invalid, 0);
	}
	assert.ok("costUnits" in report.billed && "misses" in report.billed);
	// Node's compiled code stays for the next command.
	const left = readdirSync(temporary).filter((name) => !name.startsWith("weft-compiled"));
	assert.deepEqual(left, []);
});

test("costs and support of a replay can be computed from its dump, its report and the session file alone, within 2 %", async () => {
	const dump = join(place.folder, "dump.jsonl");
	const args = ["--mode", "woven,host", "--window", "20000", "--dump", dump];
	const report = await place.json<ReportJson>("replay", SHIPPED_SESSION, ...args);
	const lines = linesOf(dump);
	const answers = recordedAnswers();
	for (const name of ["woven", "host"]) {
		const mode = report.modes[name]!;
		const own = lines.filter((line) => line.mode === name);
		assert.deepEqual(
			own.map(({ index }) => index),
			answers.map((_, index) => index),
		);
		assert.equal(Math.max(...own.map(({ tokens }) => tokens)), mode.maxTokens);
		assert.equal(Math.round(own.reduce((sum, { tokens }) => sum + tokens, 0) / own.length), mode.meanTokens);
		for (const [field, fixed] of [["costUnits", report.fixedTokens] as const, ["costUnits3k", 3_000] as const]) {
			assert.ok(Math.abs(costOf(own, fixed, report) / mode[field] - 1) < 0.02, `${field} of ${name}`);
		}
		const support = { edits: [0, 0], paths: [0, 0], terms: [0, 0] };
		let healing = 0;
		for (const [index, { before, edits, paths, terms }] of answers.entries()) {
			const held = own[index]!.messages.map((message) => strings(message.content ?? message.summary));
			for (const [kind, wanted] of Object.entries({ edits, paths, terms })) {
				const isIn = kind === "terms" ? (text: string, each: string) => termsIn(text).includes(each) : undefined;
				const holds = isIn ?? ((text: string, each: string) => text.includes(each));
				const count = support[kind as keyof typeof support];
				for (const each of wanted.filter((text) => before.some((message) => holds(message, text)))) {
					count[1]!++;
					if (held.some((message) => holds(message, each))) count[0]!++;
					else if (kind === "edits") {
						const { tokens } = own[index]!;
						const { read, write } = report.prices;
						healing += 3 * (read * (tokens - report.fixedTokens + 3_000) + write * 1_500 + 5 * 100);
					}
				}
			}
		}
		assert.ok(support.edits[1]! > 0 && support.terms[1]! > 0);
		assert.equal(support.edits[0]! / support.edits[1]!, mode.editSupport, `edits in ${name}`);
		assert.equal(support.paths[0]! / support.paths[1]!, mode.pathSupport, `paths in ${name}`);
		assert.equal(support.terms[0]! / support.terms[1]!, mode.termSupport, `terms in ${name}`);
		assert.ok(Math.abs((costOf(own, 3_000, report) + healing) / mode.healedUnits3k - 1) < 0.02, `healed ${name}`);
	}
	assert.ok(lines.some(({ summariserTokens }) => summariserTokens > 0));
});

test("several files are summed up, the host of each by itself", async () => {
	const own = place.file("as-cc.jsonl", asClaudeCode(readFileSync(SHIPPED_SESSION, "utf8")));
	const args = [SHIPPED_SESSION, own, "--mode", "woven,host"];
	type Sums = Record<string, { readonly costUnits3k: number; readonly sessions: number; readonly ofHost3k: number }>;
	const report = await place.json<{
		sessions: readonly ReportJson[];
		totals: { all: Sums; byHost: Record<string, Sums> };
	}>("replay", ...args);
	const { all, byHost } = report.totals;
	assert.deepEqual(Object.keys(byHost), ["claude-code", "pi"]);
	const [woven, host] = ["woven", "host"].map((name) =>
		report.sessions.reduce((sum, { modes }) => sum + modes[name]!.costUnits3k, 0),
	);
	assert.deepEqual([all["woven"]!.sessions, all["woven"]!.costUnits3k], [2, woven]);
	assert.equal(all["woven"]!.ofHost3k, woven! / host!);
	assert.equal(byHost["pi"]!["woven"]!.costUnits3k, report.sessions[0]!.modes["woven"]!.costUnits3k);
	const { out } = await place.weft("replay", ...args);
	for (const each of out.split("\n")) assert.ok(each.length <= 80, each);
	assert.match(out, /^claude-code +woven/m);
	assert.equal((await place.weft("replay", ...args, "--dump", join(place.folder, "d"))).code, 2);
});

test("a folder is replayed by agent, and a file that cannot be read does not stop the others", async () => {
	const text = readFileSync(SHIPPED_SESSION, "utf8");
	const good = [place.file("sessions/deep/one.jsonl", text), place.file("sessions/two.jsonl", text)];
	place.file("sessions/bad.jsonl", "no session\n");
	symlinkSync(SHIPPED_SESSION, join(place.folder, "sessions/linked.jsonl"));
	const { code, out, err } = await place.weft(
		"replay",
		join(place.folder, "sessions"),
		"--mode",
		"woven,tail,host",
		"--json",
	);
	assert.equal(code, 1);
	assert.match(err, /^Skipped: .*bad\.jsonl is not of a known kind/m);
	assert.match(
		err,
		/^Skipped a link out of the folder \(.*linked\.jsonl\)\. To replay its target, name it: weft replay FILE\.$/m,
	);
	const { sessions, totals } = JSON.parse(out);
	assert.deepEqual(
		sessions.map((each: { file: string }) => each.file),
		good,
	);
	assert.deepEqual(Object.keys(totals.all), ["woven", "host", "tail"]);
	assert.deepEqual([totals.all.woven.sessions, totals.all.woven.bySession.terms.sessions], [2, 2]);
	assert.equal(totals.all.host.editsOfHost ?? 1, 1);
});

test("--sweep compares the seal rule with the best fixed threshold", async () => {
	const { code, out } = await place.weft("replay", SHIPPED_SESSION, "--mode", "woven", "--sweep");
	assert.equal(code, 0);
	assert.match(out, /the regret rule costs 1\.000 of the best/);
});

test("it answers in one sentence and a picture, and the tables are behind --table", async () => {
	const args = [SHIPPED_SESSION, "--mode", "woven,host"];
	const { out } = await place.weft("replay", ...args);
	assert.match(
		out,
		/^This session cost \$0\.\d\d\. With weft about \$0\.\d\d, \d+ % (?:less|more); \d of 6 edits still had their text before them \(the agent alone: 6\)\.\n\nTokens per request/,
	);
	assert.doesNotMatch(out, /of host/);
	const { out: table } = await place.weft("replay", ...args, "--table");
	assert.ok(table.startsWith(out.split("\n")[0] ?? "?"));
	assert.match(table, /^mode +mean +max +cost +of host/m);
});

test("a session that ran with weft is compared with the agent alone", async () => {
	const seal = readFileSync(SHIPPED_SESSION, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line))
		.map((entry) => JSON.stringify(entry.type === "compaction" ? { ...entry, details: { weft: "woven" } } : entry))
		.join("\n");
	const { out } = await place.weft("replay", place.file("with-weft.jsonl", seal), "--mode", "woven,host");
	assert.match(
		out,
		/^This session ran with weft and cost \$0\.\d\d\. Without weft about \$0\.\d\d, \d+ % (?:less|more)\.\n/,
	);
});

test("the page on replay shows what the command prints", async () => {
	const page = readFileSync(join(import.meta.dirname, "../../docs/replay.md"), "utf8");
	const [, shown = ""] = /```\n\$ weft replay demo\/session\.jsonl --table\n([\s\S]*?)```/.exec(page) ?? [];
	const lines = shown.split("\n").filter((line) => line !== "");
	assert.ok(lines.length > 15, shown);
	const { out } = await place.weft("replay", SHIPPED_SESSION, "--table");
	const printed = out.split("\n");
	const missing = lines.filter((line) => !printed.some((other) => isAlmostSameLine(line, other)));
	assert.deepEqual(missing, []);
});

test("the report says what weft would have saved, and its second answer comes from the first replay", async (t) => {
	const own = new Place();
	t.after(() => own.remove());
	await own.weft("import", SHIPPED_SESSION);
	const report = await own.json<HomeReport>("report");
	const { saving, dollars, sessions } = report;
	assert.ok(saving && Math.abs(saving.paid - dollars) < 1e-9, "the replayed session is the whole cost");
	assert.ok(saving.weft > 0 && saving.weft !== saving.paid);
	assert.equal(saving.left, 0);
	// A replay by hand gives the same answer, also from another folder.
	const { out } = await own.weft(
		"replay",
		"--session",
		sessions[0]?.session ?? "",
		"--mode",
		"woven,host",
		"--project",
		report.projects[0]?.name ?? "",
	);
	const amounts = (text: string) => /\$[\d.]+\. With weft about .*$/m.exec(text)?.[0];
	assert.equal(amounts(saving.sentence), amounts(out));
	assert.deepEqual(await own.json("report"), report);
	const { out: text } = await own.weft("report");
	assert.ok(text.includes(saving.sentence));
	assert.equal((await own.json<HomeReport>("report", "--replay", "0")).saving, null);
});

test("what cannot be meant is refused, and the recording itself is never written to", async () => {
	const file = place.file("own.jsonl", readFileSync(SHIPPED_SESSION, "utf8"));
	const cases = [
		{
			args: [file, "--mode", "woven,none"],
			code: 2,
			says: /--mode takes woven, plain, warp, lossless, host, tail, sent/,
		},
		{ args: [file, "--window", "12"], code: 2, says: /--window takes a whole number, at least 20000/ },
		{ args: [file, "--profile", "lavish"], code: 2, says: /--profile takes thrifty, balanced, roomy or full/ },
		{ args: [file, "--dump", file], code: 4, says: /is the recording itself/ },
		{ args: [join(place.folder, "none.jsonl")], code: 3, says: /cannot be read/ },
		{ args: [], code: 2, says: /takes a FILE, or --session ID/ },
		{ args: [file, "--session", "nobody"], code: 3, says: /has no session 'nobody'. Name one of: \S+\./ },
	];
	for (const { args, code, says } of cases) {
		const ended = await place.weft("replay", ...args);
		assert.equal(ended.code, code, args.join(" "));
		assert.match(ended.err, says);
	}
	assert.equal(readFileSync(file, "utf8"), readFileSync(SHIPPED_SESSION, "utf8"));
});

test("weft replay FILE, weft replay --session and weft context --at give the same messages for every request", async () => {
	const { project, home } = place;
	await place.json("import", SHIPPED_SESSION, "--project", project);
	const calls = recordedCalls(project, home);
	const modes = ["woven", "warp", "lossless"];
	const dumps: Line[][] = [];
	for (const what of [[SHIPPED_SESSION], ["--session", calls[0]!.session.session]]) {
		const dump = join(place.folder, `dump-${dumps.length}.jsonl`);
		const args = ["--mode", modes.join(","), "--window", "24000", "--dump", dump];
		const { code } = await place.weft("replay", ...what, ...args);
		assert.equal(code, 0);
		dumps.push(linesOf(dump));
	}
	assert.equal(dumps[0]!.length, calls.length * modes.length);
	assert.deepEqual(dumps[1], dumps[0]);
	// The function is compared for every request elsewhere; here, a few through the real command.
	for (const mode of modes) {
		for (const index of [0, 9, calls.length - 2, calls.length - 1]) {
			const at = ["--at", String(calls[index]!.upTo), "--recorded", "--mode", mode, "--window", "24000"];
			const { messages } = await place.json<Pick<Line, "messages">>("context", ...at);
			const line = dumps[0]!.find((each) => each.mode === mode && each.index === index);
			assert.deepEqual(messages, line?.messages, `${mode}, request ${index}`);
		}
	}
});

test("a session that ran without weft has no row of what weft sent", async () => {
	await place.json("import", SHIPPED_SESSION, "--project", place.project);
	const { session } = recordedCalls(place.project, place.home)[0]!.session;
	const report = await place.json<{ modes: Record<string, ModeJson> }>("replay", "--session", session.slice(0, 8));
	assert.deepEqual(Object.keys(report.modes), ["woven", "warp", "lossless", "host", "tail"]);
});

test("a session without a model call has nothing to replay", async () => {
	const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/x" };
	const { code, err } = await place.weft("replay", place.file("empty.jsonl", [header]));
	assert.equal(code, 3);
	assert.match(err, /has no model call/);
});

/** The rule of docs/replay.md, written down once more. */
function costOf(lines: readonly Line[], fixed: number, { prices, cacheLifetime }: ReportJson): number {
	let cost = 0;
	let last: { readonly keys: readonly string[]; readonly ts: number; readonly tokens: number } | undefined;
	for (const { messages, ts, summariserTokens } of lines) {
		const keys = messages.map(({ content, summary, role }) => JSON.stringify([role, content, summary]));
		const sizes = messages.map(({ content, summary, output }) => sizeOf(content ?? summary ?? output));
		const isCold = !last || ts - last.ts > cacheLifetime;
		let same = 0;
		while (!isCold && same < keys.length && keys[same] === last!.keys[same]) same++;
		const sum = (from: number, to: number) => sizes.slice(from, to).reduce((total, size) => total + size, 0);
		if (summariserTokens > 0) cost += prices.read * (last?.tokens ?? 0) + 5 * summariserTokens;
		cost +=
			(isCold ? prices.write : prices.read) * fixed +
			prices.read * sum(0, same) +
			prices.write * sum(same, sizes.length);
		last = { keys, ts, tokens: fixed + sum(0, sizes.length) };
	}
	return cost;
}

function linesOf(dump: string): Line[] {
	const lines = readFileSync(dump, "utf8").trimEnd().split("\n");
	return lines.map((line) => JSON.parse(line) as Line);
}

function recordedCalls(cwd: string, home: string): readonly RecordedCall[] {
	const engine = openEngine({ cwd, home, host: "test", env: {}, trusted: false });
	try {
		const sessions = agentSessions(engine.log);
		return readCalls(engine.log, engine.history.tree, sessions);
	} finally {
		engine.close();
	}
}

/** The answers of the shipped session with the texts before them, read without any of our own code. */
function recordedAnswers() {
	type Entry = { id: string; parentId: string | null; type: string; message?: { role: string; content: unknown } };
	const entries = readFileSync(SHIPPED_SESSION, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as Entry);
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const answers: { before: string[]; edits: string[]; paths: string[]; terms: string[] }[] = [];
	for (const entry of entries) {
		if (entry.message?.role !== "assistant") continue;
		const before: string[] = [];
		for (let at = byId.get(entry.parentId ?? ""); at; at = byId.get(at.parentId ?? "")) {
			if (at.message && at.message.role !== "system") before.push(strings(at.message.content));
		}
		const blocks = entry.message.content as { type: string; text?: string; arguments?: Record<string, unknown> }[];
		const calls = blocks.filter(({ type }) => type === "toolCall");
		const said = [...blocks.map(({ text }) => text ?? ""), ...calls.map((call) => strings(call.arguments))].join("\n");
		const terms = [...new Set(termsIn(said))];
		const paths = [...new Set(calls.flatMap(({ arguments: args }) => (args?.["path"] ? [String(args["path"])] : [])))];
		const edits = calls.flatMap(({ arguments: args }) => {
			const several = Array.isArray(args?.["edits"]) ? (args["edits"] as { oldText?: string }[]) : [];
			return [args?.["oldText"], ...several.map((edit) => edit.oldText)].filter((text) => typeof text === "string");
		});
		answers.push({ before, edits, paths, terms });
	}
	return answers;
}

function termsIn(text: string): readonly string[] {
	const name =
		/[A-Za-z_$][\p{L}\p{N}_$]*(?:[./:-][\p{L}\p{N}_$]+)+|[a-z]+[A-Z][\p{L}\p{N}_]*|[A-Za-z]+_[\p{L}\p{N}_]+|[A-Z][a-z]+[A-Z][\p{L}\p{N}_]*|[\p{L}\p{N}_]*\p{Nd}[\p{L}\p{N}_]*[A-Za-z][\p{L}\p{N}_]*/gu;
	return text.match(name) ?? [];
}

test("--exam asks each row what an agent must know, and says which questions it cannot answer", async () => {
	const exam = join(import.meta.dirname, "../../demo/exam.json");
	const { code, out } = await place.weft("replay", SHIPPED_SESSION, "--exam", exam, "--json");
	assert.equal(code, 0);
	const rows = (JSON.parse(out) as { exam: Record<string, ExamJson> }).exam;
	assert.deepEqual(Object.keys(rows), ["woven", "warp", "lossless", "host"]);
	const { woven, warp } = rows;
	// The newest messages answer three of the eight.
	assert.deepEqual([woven?.held, woven?.of, woven?.missed], [5, 5, []]);
	assert.equal(warp?.of, 5);
	assert.equal(warp.missed.length, 5 - warp.held);
	assert.deepEqual(woven?.kinds["task"], [1, 1]);
	const table = await place.weft("replay", SHIPPED_SESSION, "--exam", exam, "--mode", "woven");
	assert.match(table.out, /exam +held +tail +tokens\n/);
});

test("an exam that cannot be read is named with its item and what is wrong with it", async () => {
	const file = join(place.folder, "exam.json");
	const refuse = async (text: string, message: RegExp) => {
		writeFileSync(file, text);
		const { code, err } = await place.weft("replay", SHIPPED_SESSION, "--exam", file);
		assert.notEqual(code, 0);
		assert.match(err, message);
	};
	await refuse("{", /exam\.json is not an exam: /);
	await refuse('[{ "index": 1, "kind": "guess" }]', /item 0: kind must be one of task, rule/);
	await refuse(
		'[{ "index": 1, "kind": "task", "question": "?", "needs": [["re:("]] }]',
		/item 0: a pattern cannot be read/,
	);
	const { code, err } = await place.weft("replay", SHIPPED_SESSION, "--exam", join(place.folder, "none.json"));
	assert.notEqual(code, 0);
	assert.match(err, /There is no exam/);
});

interface ExamJson {
	readonly held: number;
	readonly of: number;
	readonly kinds: Record<string, readonly [held: number, of: number]>;
	readonly missed: readonly { readonly question: string }[];
}

/** The parts of a message that a model reads: texts, thinking, the values in arguments, pictures. */
function sizeOf(content: unknown): number {
	const blocks = Array.isArray(content) ? (content as Record<string, unknown>[]) : [{ text: content }];
	const words = blocks.map((block) => strings(block["text"] ?? block["thinking"] ?? block["arguments"] ?? ""));
	return Buffer.byteLength(words.join("\n")) / 3.2 + 1_600 * blocks.filter((block) => "mimeType" in block).length;
}

/** Every text in a value. */
function strings(value: unknown): string {
	if (typeof value === "string") return value;
	if (value === null || typeof value !== "object") return String(value);
	return Object.values(value).map(strings).join("\n");
}
