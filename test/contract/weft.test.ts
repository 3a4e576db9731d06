/** The suite, on weft; and what can only be seen in weft's own log. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HostModel, type HostOptions, type Step } from "../../src/agent/openclaw/conformance/host-model.ts";
import type { CompletionRequest, TranscriptRewriteRequest } from "../../src/agent/openclaw/contract.ts";
import { recordReset } from "../../src/agent/openclaw/plugin-engine.ts";
import type { TranscriptQuery } from "../../src/agent/openclaw/transcript-pages.ts";
import { type Engine, openEngine } from "../../src/engine.ts";
import { checkOpenClaw } from "../../src/view/openclaw-use.ts";
import { type Place, place } from "../openclaw/rig.ts";
import { askSixtyTimes, contractSuite, results, unpaired, WINDOWS } from "./suite.ts";

const TOOLS = ["lcm_grep", "lcm_describe", "lcm_expand"];

contractSuite({
	name: "weft",
	tools: TOOLS,
	open: (t) => {
		const { engine } = place(t);
		return (host) => engine({ now: () => host.now, readTranscript: host.readTranscript });
	},
});

interface Run extends Place {
	readonly host: HostModel;
	/** What the log has of the session, in its order: the user's words, and what tools and models said, in short. */
	said(session?: string): string[];
}

function begin(t: TestContext, options: Partial<HostOptions> = {}): Run {
	const here = place(t);
	const make = (host: HostModel) => here.engine({ now: () => host.now, readTranscript: host.readTranscript });
	const host = new HostModel({ make, tools: ["read", ...TOOLS], ...options });
	return {
		...here,
		host,
		said: (session = "s1") =>
			here.events("Message", session).map(({ payload }) => {
				const { role, content } = payload["raw"] as { role: string; content: unknown };
				return `${role[0]} ${typeof content === "string" ? content : JSON.stringify(content).length}`;
			}),
	};
}

const textOf = (value: unknown): string => JSON.stringify(value);
const rowsOf = (host: HostModel) => host.rows.map(({ message }) => `${message.role} ${message["timestamp"]}`);

function logged({ events }: Pick<Run, "events">, session = "s1"): string[] {
	return events("Message", session).map(({ payload }) => {
		const raw = payload["raw"] as { role: string; timestamp: number };
		return `${raw.role} ${raw.timestamp}`;
	});
}

test("C8: turns that never reached commitTurn are in the log after the next one, once, in the host's order", async (t) => {
	const run = begin(t);
	const { host } = run;
	await host.turn("One.", results(1, 500));
	await host.turn("Aborted.", results(2, 500, 5), { outcome: "aborted" });
	await host.turn("Failed.", results(2, 500, 10), { outcome: "failed" });
	await host.turn("By another engine.", results(1, 500, 15), { legacy: true });
	await host.turn("Four.", results(1, 500, 20));
	assert.deepEqual(logged(run), rowsOf(host));
	const read = host.rowsRead;
	await host.turn("Five.");
	assert.equal(host.rowsRead - read, 4, "only what is new since the last turn is read");
	assert.deepEqual(logged(run), rowsOf(host));
	assert.deepEqual(run.events("Fault"), []);
});

test("C8: a turn that the host never delivers is in the log when its engine is disposed of, with what it taught", async (t) => {
	const run = begin(t, { overhead: 12_000 });
	const { host } = run;
	await host.turn("One.", results(2, 500), { outcome: "undelivered" });
	assert.deepEqual(logged(run), rowsOf(host), "the first of a session, which has no bootstrap");
	await host.turn("Two.", results(2, 500, 5), { outcome: "undelivered" });
	assert.deepEqual(logged(run), rowsOf(host));
	await host.turn("Three.", results(1, 500, 10), { outcome: "failed" });
	await host.turn("Four.", results(1, 500, 15), { outcome: "aborted" });
	assert.deepEqual(logged(run), rowsOf(host));
	const states = run.events("Custom").filter(({ payload }) => payload["name"] === "openclaw.state");
	const { overhead, window } = states.at(-1)!.payload["data"] as { overhead: number; window: number };
	assert.ok(Math.abs(overhead - 12_000) < 1_500, `${overhead}`);
	assert.equal(window, 64_000);
	assert.equal(
		run.look(({ log }) => checkOpenClaw(log, host.now))?.level,
		"ok",
		"weft doctor knows that weft was asked",
	);
	await host.turn("Five.");
	assert.deepEqual(logged(run), rowsOf(host));
	assert.deepEqual(run.events("Fault"), []);
});

test("C13: an engine is disposed of within a second; what it could not read by then is read before the next turn", async (t) => {
	const silent = place(t).engine({ readTranscript: () => new Promise<never>(() => {}) });
	await silent.assemble({ sessionId: "s1", sessionKey: "agent:main:s1", messages: [], prompt: "Hello." });
	const isDisposed = silent.dispose().then(() => true);
	assert.equal(await Promise.race([isDisposed, sleep(10_000, false, { ref: false })]), true, "it waits for nobody");
	let pageMs = 0;
	const here = place(t);
	const readTranscript = (host: HostModel) => async (query: TranscriptQuery) => {
		await sleep(pageMs);
		return host.readTranscript(query);
	};
	const make = (host: HostModel) => here.engine({ now: () => host.now, readTranscript: readTranscript(host) });
	const host = new HostModel({ make, window: 1_000_000 });
	await host.turn("One.");
	const steps = results(60, 5_000);
	const last: Step = {
		get result() {
			pageMs = 450;
			return "From here on the transcript is slow.";
		},
	};
	await host.turn("Everything.", [...steps, last], { outcome: "undelivered" });
	pageMs = 0;
	const read = logged(here).length;
	assert.ok(read > 2 && read < host.rows.length, `${read} of ${host.rows.length}`);
	await host.turn("Three.");
	assert.deepEqual(logged(here), rowsOf(host));
	assert.deepEqual(here.events("Fault"), []);
});

test("C9: a transcript that was rewritten, is missing or cannot be read now: nothing twice, nothing lost", async (t) => {
	const run = begin(t);
	const { host } = run;
	await host.turn("One.", results(2, 3_000));
	const whole = run.events("Message").map(({ payload }) => JSON.stringify(payload["raw"]));
	host.rewrite(200);
	await host.turn("Two.", results(1, 500, 5), { outcome: "aborted" });
	host.cursorSays = "unavailable";
	await host.turn("Three.");
	host.cursorSays = "missing";
	await host.turn("Four.");
	host.cursorSays = "page";
	host.rewrite(100);
	await host.turn("Five.");
	assert.deepEqual(logged(run).toSorted(), rowsOf(host).toSorted());
	const first = run.events("Message").map(({ payload }) => JSON.stringify(payload["raw"]));
	assert.deepEqual(
		first.slice(0, whole.length),
		whole,
		"a row that the host has cut since is the one that we have whole",
	);
	assert.deepEqual(run.events("Fault"), []);
});

test("weft: C5: calls and results stay together, and the host's messages stand there unchanged, in their order", async (t) => {
	const { host } = begin(t);
	for (let nth = 0; nth < 6; nth++) await host.turn(`Look at ${nth}.`, results((nth % 4) + 1, 3_500, nth * 5));
	const known = new Set(host.visible(host.rows.length).map(textOf));
	for (const { messages, assembled } of host.requests) {
		assert.deepEqual(unpaired(messages), []);
		const own = messages.slice(0, assembled).filter((message) => !known.has(textOf(message)));
		assert.ok(own.length <= 1, "one message at most is the engine's own");
		const times = messages.map((message) => Number(message["timestamp"] ?? 0));
		assert.deepEqual(
			times.toSorted((one, other) => one - other),
			times,
		);
	}
});

test("weft: C11: compaction answers by what is sent, also where nothing more can leave", async (t) => {
	const { host } = begin(t);
	for (let nth = 0; nth < 3; nth++) await host.turn(`Look at ${nth}.`, results(3, 4_000, nth * 5));
	const engine = await host.options.make(host);
	const asked = { ...host.target, tokenBudget: 64_000, force: true, compactionTarget: "budget" } as const;
	for (let again = 0; again < 4; again++) {
		const answer = await engine.compact({
			...asked,
			currentTokenCount: 90_000,
			runtimeContext: { trigger: "overflow" },
		});
		assert.deepEqual([answer.ok, answer.compacted], [true, true], "less is sent than the host counted");
		assert.equal(answer.result!.tokensBefore, 90_000);
		assert.ok(answer.result!.tokensAfter! < 64_000);
	}
	const unasked = await engine.compact({ ...host.target, tokenBudget: 64_000, currentTokenCount: 60_000 });
	assert.equal(unasked.compacted, true, "nobody needs it, and still less is sent than the host counted");
	const none = await engine.compact({ ...asked, currentTokenCount: 1 });
	assert.equal(none.compacted, false);
	const stopped = await engine.compact({ ...asked, abortSignal: AbortSignal.abort() });
	assert.equal(stopped.compacted, false);
	await engine.dispose();
});

test("sixty requests extend one another except at five seals, in small and large windows", async (t) => {
	for (const [window, overhead] of WINDOWS) {
		const { host } = begin(t, { window, overhead, sessionId: `w${window}-${overhead}` });
		const { breaks, seals } = await askSixtyTimes(host);
		assert.equal(breaks, 0, `window ${window}, overhead ${overhead}`);
		assert.ok(seals <= 5, `window ${window}, overhead ${overhead}: ${seals} seals`);
	}
});

test("a seal in the middle of a turn teaches nothing wrong about how the provider counts", async (t) => {
	const { host, events } = begin(t, { overhead: 26_000 });
	for (let nth = 0; nth < 4; nth++) {
		await host.turn(`Read files ${nth}.`, [...results(4, 2_250, nth * 5), ...results(1, 4_000, nth * 5 + 4)]);
		const states = events("Custom").filter(({ payload }) => payload["name"] === "openclaw.state");
		const { overhead } = states.at(-1)!.payload["data"] as { overhead: number };
		assert.ok(Math.abs(overhead - 26_000) < 1_500, `turn ${nth}: ${overhead}`);
	}
	assert.ok(events("Seal").length > 0);
});

test("a seal that is due is made ready after the turn, also after one that is never delivered: the next turn writes no summary", async (t) => {
	for (const outcome of ["ok", "undelivered"] as const) {
		const { host, events } = begin(t, { window: 200_000 });
		let summaries = 0;
		for (let nth = 0; nth < 9 && events("Seal").length === 0; nth++) {
			summaries = events("Summary").length;
			await host.turn(`Read files ${nth}.`, results(3, 12_000, nth * 3), { outcome });
		}
		const sealedAt = events("Seal")[0]!.seq;
		const written = events("Summary").filter(({ seq }) => seq < sealedAt);
		assert.ok(written.length > 0);
		assert.deepEqual([outcome, written.length], [outcome, summaries]);
		assert.deepEqual(events("Fault"), []);
	}
});

test("two that make the same seal at once: what leaves is summarised for both, once", async (t) => {
	const { host, cwd, home, events } = begin(t, { window: 200_000 });
	await host.turn("Read these files.", results(22, 3_500));
	assert.equal(events("Summary").length, 0);
	const engines = [1, 2].map(() => openEngine({ cwd, home, host: "openclaw", env: {}, now: () => host.now }));
	try {
		const input = { session: "s1", host: "openclaw", force: true } as const;
		const seals = await Promise.all(engines.map(({ requests }) => requests.seal(input)));
		const [one, other] = seals.map((seal) => seal!.seed.text);
		assert.equal(one, other);
		const [{ history }] = engines as [Engine];
		const nodes = history.nodes({ session: "s1", host: "openclaw" }).filter(({ depth }) => depth === 0);
		assert.ok(nodes.length > 16, "more than one commit");
		assert.equal(new Set(nodes.map(({ first }) => first)).size, nodes.length);
		const uncovered = history.path(input).runs.flat();
		assert.deepEqual(uncovered[0]?.entry, seals[0]!.from);
	} finally {
		for (const engine of engines) engine.close();
	}
});

test("a log that is deleted in the middle of a turn is there again after the next one: all of the session, in the host's order", async (t) => {
	const run = begin(t);
	const { host } = run;
	await host.turn("One.", results(2, 500));
	await host.turn("Two.", results(1, 500, 5));
	const folder = run.look(({ project }) => project.folder);
	const [first, last] = results(2, 500, 10) as [Step, Step];
	const deleting: Step = {
		get result() {
			rmSync(folder, { recursive: true, force: true });
			return first.result;
		},
	};
	await assert.rejects(host.turn("Three.", [deleting, last]), /was deleted or replaced while it was in use/);
	assert.equal(host.outbox, 1, "the host keeps it");
	await host.turn("Four.", results(1, 500, 15));
	assert.deepEqual(logged(run), rowsOf(host));
	await host.turn("Five.");
	assert.deepEqual(logged(run), rowsOf(host));
	assert.equal(host.outbox, 0);
	const { messages } = host.requests.at(-1)!;
	for (const words of ["One.", "Two.", "Three.", "Four.", "Five."]) assert.ok(JSON.stringify(messages).includes(words));
});

test("a log that cannot be written: turns are answered, and are in it in the host's order as soon as it can be", async (t) => {
	const run = begin(t);
	const { host } = run;
	await host.turn("One.", results(2, 500));
	const saboteur = new DatabaseSync(run.look(({ log }) => log.path));
	saboteur.exec("CREATE TRIGGER locked BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'readonly database'); END");
	await assert.rejects(host.turn("Two.", results(2, 500, 5)), /readonly database/);
	const asked = host.requests.filter(({ messages }) => textOf(messages).includes("Two."));
	assert.equal(asked.length, 3, "the model was asked for each step");
	assert.ok(
		asked.every(({ messages }) => textOf(messages).includes("One.")),
		"by the host's own messages",
	);
	// It fails again before the next turn, so the host answers that one by itself.
	await assert.rejects(host.turn("Three."), /readonly database/);
	await host.turn("Four.", results(1, 500, 10), { legacy: true });
	saboteur.exec("DROP TRIGGER locked");
	saboteur.close();
	await host.turn("Five.");
	assert.deepEqual([host.outbox, logged(run)], [0, rowsOf(host)]);
});

test("a turn that was aborted while the log could not be written comes before the one that the host delivers later", async (t) => {
	const run = begin(t);
	const { host } = run;
	await host.turn("One.", results(2, 500));
	const saboteur = new DatabaseSync(run.look(({ log }) => log.path));
	saboteur.exec("CREATE TRIGGER locked BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'readonly database'); END");
	await host.turn("Two.", results(2, 500, 5), { outcome: "aborted" });
	await assert.rejects(host.turn("Three.", results(2, 500, 10)), /readonly database/);
	saboteur.exec("DROP TRIGGER locked");
	saboteur.close();
	await host.turn("Four.");
	assert.deepEqual([host.outbox, logged(run)], [0, rowsOf(host)]);
});

/** The host's model, and what it was asked. */
function writingModel() {
	const asked: string[] = [];
	const complete = async ({ messages }: CompletionRequest) => {
		asked.push(messages[0]!.content);
		return { text: "The agent read several parts of the project and noted the values that each of them holds." };
	};
	return { asked, complete };
}

test("after turns that are never delivered the host asks for no upkeep: its model writes their summaries after the next one that is", async (t) => {
	const here = place(t);
	const { asked, complete } = writingModel();
	const make = (host: HostModel) => here.engine({ now: () => host.now, readTranscript: host.readTranscript });
	const host = new HostModel({ make, window: 1_000_000 });
	const undelivered = { outcome: "undelivered" } as const;
	for (let nth = 0; nth < 3; nth++) await host.turn(`Look at ${nth}.`, results(4, 3_000, nth * 4), undelivered);
	assert.deepEqual([asked, here.events("Summary")], [[], []]);
	await host.turn("And then?", results(1, 500, 20));
	const runtimeContext = { llm: { complete }, allowDeferredCompactionExecution: true };
	for (let nth = 1; nth <= 2; nth++) {
		await make(host).maintain({ ...host.target, runtimeContext });
		assert.equal(asked.length, nth, "one a turn");
	}
	const [first, second] = here
		.events("Summary")
		.map(({ payload }) => payload["messages"] as { from: string; to: string });
	const names = here.events("Message").map(({ entry }) => entry);
	assert.equal(first!.from, names[0], "the oldest first");
	assert.equal(names.indexOf(second!.from), names.indexOf(first!.to) + 1);
});

test("a commit that fails is delivered again, before or in the next turn, and is there once", async (t) => {
	const run = begin(t);
	const { host } = run;
	await host.turn("One.", results(1, 500), { lostCommits: 1 });
	assert.equal(host.outbox, 1);
	await host.turn("Two.");
	await host.turn("Three.", [], { lostCommits: 1 });
	await host.turn("Four.", [], { lostCommits: 1 });
	await host.turn("Five.");
	assert.deepEqual([host.outbox, logged(run)], [0, rowsOf(host)]);
});

test("a reset is told by hooks in any order, twice, late, or not at all", async (t) => {
	const run = begin(t);
	const { host, cwd, home } = run;
	const tell = (at: number) => recordReset({ cwd, home, env: {}, now: () => host.now }, host.ids, at);
	await host.turn("The word is PELICAN.");
	await host.turn("Never delivered: PELICAN.", results(1, 100), { outcome: "aborted" });
	host.reset();
	const at = host.now;
	await tell(at);
	await tell(at + 1);
	// Another engine has the first turn after it: nobody shows us the empty list.
	await host.turn("By another engine.", [], { legacy: true });
	const from = host.requests.length;
	await host.turn("After the reset.");
	await tell(at);
	await host.turn("And on.", results(3, 1_000));
	await host.compact();
	await host.turn("And on.");
	for (const { messages } of host.requests.slice(from)) assert.ok(!JSON.stringify(messages).includes("PELICAN"));
	assert.deepEqual([...logged(run), ...logged(run, "s1~2")], rowsOf(host), "every row is in its own conversation");
	assert.deepEqual(run.events("Message", "s1~3"), []);
});

test("a reset that nobody tells of, and one that is told late: what was said since is in the new conversation", async (t) => {
	const run = begin(t);
	const { host, cwd, home } = run;
	await host.turn("The word is PELICAN.");
	host.reset();
	await host.turn("Aborted after the reset.", results(1, 100), { outcome: "aborted" });
	await host.turn("After it.");
	assert.deepEqual([logged(run).length, logged(run, "s1~2")], [2, rowsOf(host).slice(2)]);
	host.reset();
	const at = host.now;
	await host.turn("By another engine.", [], { legacy: true });
	await recordReset({ cwd, home, env: {}, now: () => host.now }, host.ids, at);
	await host.turn("And on.");
	assert.deepEqual([...logged(run), ...logged(run, "s1~2")].length + 4, host.rows.length);
	assert.deepEqual(logged(run, "s1~3"), rowsOf(host).slice(-4));
	for (const { messages } of host.requests.slice(1)) assert.ok(!JSON.stringify(messages).includes("PELICAN"));
});

test("a reset that was none: the host shows the old conversation, and it goes on", async (t) => {
	const run = begin(t);
	const { host, cwd, home } = run;
	await host.turn("One.");
	await recordReset({ cwd, home, env: {}, now: () => host.now }, host.ids, host.now);
	await host.turn("Two.");
	await host.turn("Three.");
	assert.equal(host.requests.at(-1)!.messages.length, 5);
	assert.deepEqual(logged(run).slice(0, 2), rowsOf(host).slice(0, 2));
});

test("the host's transcript is rewritten where the setting says so, and only results that a handle replaces", async (t) => {
	for (const rewriteTranscript of [false, true]) {
		const here = place(t);
		const make = (host: HostModel) =>
			here.engine({ now: () => host.now, readTranscript: host.readTranscript, rewriteTranscript });
		const host = new HostModel({ make, tools: ["read", ...TOOLS] });
		for (let nth = 0; nth < 3; nth++) await host.turn(`Look at ${nth}.`, results(3, 4_000, nth * 5));
		await host.compact();
		await host.turn("And now?");
		const asked: { entryId: string; message: { role: string } }[] = [];
		const rewriteTranscriptEntries = async ({ replacements }: { replacements: readonly object[] }) => {
			asked.push(...(replacements as typeof asked));
			return { changed: true, bytesFreed: 1, rewrittenEntries: replacements.length };
		};
		const runtimeContext = { rewriteTranscriptEntries, allowDeferredCompactionExecution: true };
		const { changed } = await make(host).maintain({ ...host.target, runtimeContext });
		assert.equal(changed, rewriteTranscript);
		const rows = asked.map(({ entryId }) => host.rows.find((row) => row.entryId === entryId)!.message.role);
		assert.deepEqual(rows, rewriteTranscript ? Array(rows.length).fill("toolResult") : []);
		assert.equal(rows.length > 0, rewriteTranscript);
		for (const { message } of asked) assert.match(JSON.stringify(message), /lcm_expand\(\\"m-\w+\\"\) gives it back/);
	}
});

test("a result is rewritten in the host's transcript once, though the transcript is another one after that", async (t) => {
	const here = place(t);
	const make = (host: HostModel) =>
		here.engine({ now: () => host.now, readTranscript: host.readTranscript, rewriteTranscript: true });
	const host = new HostModel({ make, tools: ["read", ...TOOLS] });
	const rewritten: string[] = [];
	const rewriteTranscriptEntries = async ({ replacements }: TranscriptRewriteRequest) => {
		const messages = new Map(replacements.map(({ entryId, message }) => [entryId, message]));
		rewritten.push(...replacements.map(({ message }) => String(message["toolCallId"])));
		host.rewriteRows(messages);
		return { changed: true, bytesFreed: 1, rewrittenEntries: replacements.length };
	};
	const runtimeContext = { rewriteTranscriptEntries, allowDeferredCompactionExecution: true };
	for (let nth = 0; nth < 8; nth++) {
		await host.turn(`Read ${nth}.`, results(5, 4_000, nth * 5));
		await make(host).maintain({ ...host.target, runtimeContext });
	}
	assert.ok(rewritten.length > 20, `${rewritten.length}`);
	assert.equal(new Set(rewritten).size, rewritten.length);
	assert.deepEqual([host.errors, logged(here)], [[], rowsOf(host)]);
});

test("the host's model is asked after a turn, once; overflow and the user's turn wait for no model", async (t) => {
	const here = place(t);
	const { asked, complete } = writingModel();
	const make = (host: HostModel) => here.engine({ now: () => host.now, readTranscript: host.readTranscript });
	const host = new HostModel({ make, window: 200_000 });
	for (let nth = 0; nth < 4; nth++) await host.turn(`Look at ${nth}.`, results(4, 3_000, nth * 4));
	assert.equal(asked.length, 0);
	const weft = make(host);
	const runtimeContext = { llm: { complete }, allowDeferredCompactionExecution: true };
	await weft.maintain({ ...host.target, runtimeContext: { llm: { complete } } });
	assert.equal(asked.length, 0, "before a turn somebody waits");
	await weft.maintain({ ...host.target, runtimeContext });
	assert.equal(asked.length, 1);
	const models = here.events("Summary").map(({ payload }) => payload["model"]);
	assert.deepEqual(models, ["openclaw/agent"], "what was not asked for waits for the next turn");
	const urgent = { llm: { complete }, trigger: "overflow" } as const;
	const answer = await weft.compact({ ...host.target, force: true, tokenBudget: 64_000, runtimeContext: urgent });
	assert.deepEqual([answer.compacted, asked.length], [true, 1]);
	assert.equal(here.events("Seal").at(-1)?.payload["why"], "overflow");
	assert.equal(answer.result?.firstKeptEntryId?.startsWith("row-"), true);
});
