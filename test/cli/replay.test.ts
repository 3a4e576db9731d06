import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test, { after } from "node:test";
import { SHIPPED_SESSION } from "../../bench/replay.ts";
import { type RecordedCall, readCalls } from "../../src/context/calls.ts";
import { openEngine } from "../../src/engine.ts";
import { agentSessions } from "../../src/view/session.ts";
import { Place } from "./place.ts";

const place = new Place();
after(() => place.remove());

interface ModeJson {
	readonly requests: number;
	readonly maxTokens: number;
	readonly meanTokens: number;
	readonly costUnits: number;
	readonly editSupport: number;
	readonly termSupport: number;
	readonly invalid: number;
}

interface Line {
	readonly mode: string;
	readonly index: number;
	readonly tokens: number;
	readonly messages: readonly { readonly role: string; readonly content?: unknown; readonly summary?: string }[];
}

test("weft replay prints one object with every mode and what was billed, and leaves nothing behind", async () => {
	const temporary = join(place.folder, "tmp");
	mkdirSync(temporary);
	const { code, out } = await place.weftIn({ TMPDIR: temporary }, "replay", SHIPPED_SESSION, "--json");
	assert.equal(code, 0);
	const report = JSON.parse(out) as { modes: Record<string, ModeJson>; billed: object };
	assert.deepEqual(Object.keys(report.modes), ["woven", "warp", "lossless", "host"]);
	const fields =
		"requests meanTokens maxTokens costUnits costDollars hitShare prefixBreaks seals editSupport pathSupport termSupport invalid";
	for (const mode of Object.values(report.modes)) {
		for (const field of fields.split(" ")) assert.equal(typeof mode[field as keyof ModeJson], "number", field);
		assert.equal(mode.requests, 21);
		assert.equal(mode.invalid, 0);
	}
	assert.ok("costUnits" in report.billed && "misses" in report.billed);
	assert.deepEqual(readdirSync(temporary), []);
});

test("the numbers of a replay can be computed from its dump and the session file alone", async () => {
	const dump = join(place.folder, "dump.jsonl");
	const report = await place.json<{ modes: Record<string, ModeJson> }>(
		"replay",
		SHIPPED_SESSION,
		"--mode",
		"woven,host",
		"--dump",
		dump,
	);
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
		const support = { edits: [0, 0], terms: [0, 0] };
		for (const [index, { before, edits, terms }] of answers.entries()) {
			const held = own[index]!.messages.map((message) => strings(message.content ?? message.summary));
			for (const [kind, wanted] of [["edits", edits] as const, ["terms", terms] as const]) {
				for (const each of wanted.filter((text) => before.some((message) => message.includes(text)))) {
					support[kind][1]!++;
					if (held.some((message) => message.includes(each))) support[kind][0]!++;
				}
			}
		}
		assert.ok(support.edits[1]! > 0 && support.terms[1]! > 0);
		assert.equal(support.edits[0]! / support.edits[1]!, mode.editSupport, `edits in ${name}`);
		assert.equal(support.terms[0]! / support.terms[1]!, mode.termSupport, `terms in ${name}`);
	}
});

test("the page stands alone: one file, no script, nothing from outside, light and dark, with its numbers as tables", async () => {
	const page = join(place.folder, "page.html");
	const { code, out } = await place.weft("replay", SHIPPED_SESSION, "--sweep", "--html", page);
	assert.equal(code, 0);
	assert.match(out, /the regret rule comes to 1\.000 of the best/);
	const html = readFileSync(page, "utf8");
	assert.doesNotMatch(html, /<script|<link|<img|<iframe|https?:|url\(|@import/i);
	assert.match(html, /Content-Security-Policy" content="default-src 'none'/);
	assert.match(html, /prefers-color-scheme: dark/);
	assert.match(html, /<svg [^>]*role="img" aria-label="Tokens per request: woven at most/);
	assert.match(html, /<table><caption>[\s\S]*<th scope="row">woven<\/th>/);
	assert.match(html, /<details><summary>/);
});

test("what cannot be meant is refused, and the recording itself is never written to", async () => {
	const file = place.file("own.jsonl", readFileSync(SHIPPED_SESSION, "utf8"));
	const cases = [
		{ args: [file, "--mode", "woven,none"], code: 2, says: /--mode takes woven, warp, lossless, host, sent/ },
		{ args: [file, "--window", "12"], code: 2, says: /--window takes a whole number, at least 20000/ },
		{ args: [file, "--profile", "lavish"], code: 2, says: /--profile takes thrifty, balanced or roomy/ },
		{ args: [file, "--dump", file], code: 4, says: /is the recording itself/ },
		{ args: [file, "--html", file], code: 4, says: /is the recording itself/ },
		{ args: [join(place.folder, "none.jsonl")], code: 3, says: /cannot be read/ },
		{ args: [], code: 2, says: /takes a FILE, or --session ID/ },
		{ args: [file, "--session", "tides"], code: 2, says: /takes a FILE, or --session ID/ },
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
	assert.deepEqual(Object.keys(report.modes), ["woven", "warp", "lossless", "host"]);
});

test("a session without a model call has nothing to replay", async () => {
	const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/x" };
	const { code, err } = await place.weft("replay", place.file("empty.jsonl", [header]));
	assert.equal(code, 3);
	assert.match(err, /holds no call of a model/);
});

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
	const answers: { before: string[]; edits: string[]; terms: string[] }[] = [];
	for (const entry of entries) {
		if (entry.message?.role !== "assistant") continue;
		const before: string[] = [];
		for (let at = byId.get(entry.parentId ?? ""); at; at = byId.get(at.parentId ?? "")) {
			if (at.message && at.message.role !== "system") before.push(strings(at.message.content));
		}
		const blocks = entry.message.content as { type: string; text?: string; arguments?: Record<string, unknown> }[];
		const calls = blocks.filter(({ type }) => type === "toolCall");
		const said = [...blocks.map(({ text }) => text ?? ""), ...calls.map((call) => strings(call.arguments))].join("\n");
		const runs = said.match(/[A-Za-z0-9_$]+(?:[./-][A-Za-z0-9_$]+)*/g) ?? [];
		const terms = [...new Set(runs.filter((run) => run.length >= 5 && /[0-9_./A-Z]/.test(run)))];
		const edits = calls.flatMap(({ arguments: args }) => {
			const several = Array.isArray(args?.["edits"]) ? (args["edits"] as { oldText?: string }[]) : [];
			return [args?.["oldText"], ...several.map((edit) => edit.oldText)].filter((text) => typeof text === "string");
		});
		answers.push({ before, edits, terms });
	}
	return answers;
}

/** Every text in a value. */
function strings(value: unknown): string {
	if (typeof value === "string") return value;
	if (value === null || typeof value !== "object") return String(value);
	return Object.values(value).map(strings).join("\n");
}
