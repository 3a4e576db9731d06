import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
	appendFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import type { JsonObject } from "../../base/json/read.ts";
import { openEngine } from "../../engine.ts";
import { renderEvent } from "../../message/dialect/dialect.ts";
import { openSession } from "../../replay/recording.ts";
import { readUsage } from "../../state/session/usage-fold.ts";
import { SessionRequests } from "../../view/requests.ts";
import { READERS } from "../agents.ts";
import { type ServedProxy, serveProxy } from "./serve.ts";

const WINDOW = 16_000;
const THRESHOLD = 167_000;
const KEY = "sk-ant-very-secret";
const COMPACT =
	"CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a detailed summary of the conversation so far.";

interface Place {
	readonly proxy: ServedProxy;
	readonly cwd: string;
	readonly home: string;
	readonly config: string;
	/** Bodies that reached the provider. */
	readonly sent: JsonObject[];
	/** What was said to the user. */
	readonly told: string[];
	restart(): Promise<void>;
}

/** A provider that calls a tool each time, and a proxy before it. */
async function place(t: TestContext, now?: () => number, seal = "thrift"): Promise<Place> {
	const folder = mkdtempSync(join(tmpdir(), "weft-proxy-"));
	const [cwd, home, config] = ["project", "weft", "claude"].map((name) => join(folder, name)) as [
		string,
		string,
		string,
	];
	mkdirSync(cwd);
	const sent: JsonObject[] = [];
	let count = 0;
	const server = http.createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const bytes = Buffer.concat(chunks);
			const isPacked = request.headers["content-encoding"] === "gzip";
			const body = JSON.parse((isPacked ? gunzipSync(bytes) : bytes).toString("utf8")) as JsonObject;
			sent.push(body);
			const n = ++count;
			const usage = { input_tokens: 10, cache_creation_input_tokens: 500, cache_read_input_tokens: 1_000 * n };
			const call = { type: "tool_use", id: `toolu_${n}`, name: "Bash", input: {} };
			const isSummary = JSON.stringify(body).includes("CRITICAL: Respond");
			const [start, delta] = isSummary
				? [
						{ type: "text", text: "" },
						{ type: "text_delta", text: "<summary>by the provider</summary>" },
					]
				: [call, { type: "input_json_delta", partial_json: `{"command":"echo ${n}"}` }];
			response.writeHead(200, { "content-type": "text/event-stream" });
			const message = { id: `msg_${n}`, type: "message", role: "assistant", model: "claude-x", content: [], usage };
			response.write(renderEvent({ type: "message_start", message }));
			response.write(renderEvent({ type: "content_block_start", index: 0, content_block: start }));
			response.write(renderEvent({ type: "content_block_delta", index: 0, delta }));
			const end = renderEvent({ type: "message_delta", delta: {}, usage: { ...usage, output_tokens: 20 } });
			// In two parts: an event may come in pieces.
			response.write(end.slice(0, 30));
			setImmediate(() => response.end(end.slice(30) + renderEvent({ type: "message_stop" })));
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const told: string[] = [];
	const start = () =>
		serveProxy({
			readers: READERS,
			agent: "claude",
			upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
			// Its model has no price and seems to run here: by itself weft would seal late.
			env: { HOME: folder, CLAUDE_CONFIG_DIR: config, WEFT_SEAL: seal },
			cwd,
			home,
			threshold: THRESHOLD,
			window: WINDOW,
			now,
			onNotice: (notice) => told.push(notice),
		});
	let proxy = await start();
	t.after(async () => {
		await proxy.close();
		server.closeAllConnections();
		server.close();
		rmSync(folder, { recursive: true, force: true });
	});
	return {
		get proxy() {
			return proxy;
		},
		cwd,
		home,
		config,
		sent,
		told,
		restart: async () => {
			await proxy.close();
			proxy = await start();
		},
	};
}

/** Claude Code as far as it matters here: its requests, its transcript, its compaction. */
class Host {
	readonly id: string = randomUUID();
	readonly #place: Place;
	readonly #agent: string | undefined;
	#messages: JsonObject[] = [];
	#tip: string | null = null;
	#lines: { readonly uuid: string; readonly message: JsonObject }[] = [];
	compactions = 0;
	version = "2.1.325";
	/** Features that it asks for in its headers. */
	beta: string | undefined;
	/** Says something else in its first message each time. */
	isUnsteady = false;
	/** True: what it writes of a compaction stands in its transcript two answers later. */
	isLate = false;
	#late: string[] = [];
	/** True: its newest result stands in its transcript a moment after a compaction was asked for. */
	isSlowToWrite = false;
	/** Its lines stand in its transcript this much later than it sends them: as in the real one. */
	writesAfterMs = 0;
	/** Between the answer to a compaction and its lines. */
	afterAnswer: (() => Promise<void>) | undefined;
	#asksTillWritten = 0;
	/** Tokens as it was told. */
	used = 0;
	readonly #usages: JsonObject[] = [];

	constructor(of: Place, id?: string, agent?: string) {
		this.#place = of;
		this.#agent = agent;
		if (id !== undefined) this.id = id;
		this.#say({
			role: "user",
			content: "go through all of it, one file after the other, and say of each what it is for",
		});
	}

	async run(turns: number): Promise<void> {
		for (let turn = 0; turn < turns; turn++) {
			if (this.used > THRESHOLD) await this.compact();
			const first = this.isUnsteady ? [{ role: "user", content: `it is ${turn}` }] : [];
			const answer = await this.ask(this.#body([...first, ...this.#messages]));
			const call = answer.content[0]!;
			this.#say({ role: "assistant", id: answer.id, model: "claude-x", content: [call], usage: answer.usage });
			if (this.isSlowToWrite && this.used > THRESHOLD) this.#writeLater(150);
			const text = `result of ${String(call["id"])}: ${"some words that take room. ".repeat(60)}`;
			this.#say({ role: "user", content: [{ type: "tool_result", tool_use_id: call["id"], content: text }] });
		}
	}

	/** A turn without a call, whose lines stand in its transcript a moment later. */
	talk(answer: string, words: string): void {
		this.#writeLater(150);
		this.#say({ role: "assistant", id: randomUUID(), model: "claude-x", content: [{ type: "text", text: answer }] });
		this.#say({ role: "user", content: words });
	}

	/** Gives the summary that it got. */
	async compact(words?: string): Promise<string> {
		const kept = words === undefined ? this.#lines.slice(-2) : [];
		const leaving = this.#messages.slice(0, this.#messages.length - kept.length);
		const prompt =
			words === undefined
				? COMPACT
				: `${COMPACT}\n\n\nAdditional Instructions:\n${words}\n\nREMINDER: Do NOT call any tools. Respond with plain text only.`;
		const last = leaving.at(-1)!;
		const content = [...(Array.isArray(last["content"]) ? last["content"] : [{ type: "text", text: last["content"] }])];
		const asked = [...leaving.slice(0, -1), { ...last, content: [...content, { type: "text", text: prompt }] }];
		const { text } = await this.ask(this.#body(asked));
		const summary = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1]?.trim() ?? "";
		this.compactions++;
		await this.afterAnswer?.();
		if (this.isLate) this.#asksTillWritten = 2;
		// A look at this moment finds nothing new.
		if (this.isLate) await this.#place.proxy.settle();
		const boundary = randomUUID();
		const preservedSegment = kept[0] && { headUuid: kept[0].uuid };
		this.#line({
			type: "system",
			subtype: "compact_boundary",
			uuid: boundary,
			parentUuid: null,
			logicalParentUuid: this.#tip,
			compactMetadata: { trigger: words === undefined ? "auto" : "manual", preservedSegment },
		});
		this.#tip = boundary;
		this.#messages = [];
		this.#say(
			{ role: "user", content: `This session is being continued. Summary:\n${summary}` },
			{ isCompactSummary: true },
		);
		this.#messages.push(...kept.map(({ message }) => message));
		this.used = 0;
		return summary;
	}

	/** The last line of a process tells what was used in all, with `more` that no line tells of, and follows nothing. */
	exit(more = 0): void {
		const count = (name: string) => this.#usages.reduce((sum, usage) => sum + Number(usage[name]), 0);
		const used = {
			inputTokens: count("input_tokens") + more,
			outputTokens: count("output_tokens"),
			cacheReadInputTokens: count("cache_read_input_tokens"),
			cacheCreationInputTokens: count("cache_creation_input_tokens"),
		};
		this.#line({ type: "cost-state", modelUsage: { "claude-x": used } });
	}

	async ask(body: JsonObject): Promise<{ id: string; content: JsonObject[]; usage: JsonObject; text: string }> {
		const headers = {
			"content-type": "application/json",
			"content-encoding": "gzip",
			"x-api-key": KEY,
			"user-agent": `claude-cli/${this.version} (external, cli)`,
			"x-claude-code-session-id": this.id,
			...(this.beta === undefined ? {} : { "anthropic-beta": this.beta }),
			...(this.#agent === undefined ? {} : { "x-claude-code-agent-id": this.#agent }),
		};
		const response = await fetch(`${this.#place.proxy.address}/v1/messages?beta=true`, {
			method: "POST",
			headers,
			body: gzipSync(JSON.stringify(body)),
		});
		const whole = await response.text();
		if (this.#asksTillWritten > 0 && --this.#asksTillWritten === 0) {
			await this.#place.proxy.settle();
			this.writeHeld();
		}
		const events = whole.split("\n\n").flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);
		const all = events.map((data) => JSON.parse(data));
		const usage = all.find(({ type }) => type === "message_delta").usage;
		this.#usages.push(usage);
		this.used = Object.values(usage as Record<string, number>).reduce((sum, each) => sum + each, 0);
		return {
			id: all[0].message.id,
			content: all.filter(({ type }) => type === "content_block_start").map((each) => each.content_block),
			usage,
			text: all.map(({ delta }) => delta?.text ?? "").join(""),
		};
	}

	#body(messages: readonly JsonObject[]): JsonObject {
		return { model: "claude-x", stream: true, tools: [{ name: "Bash" }], messages: messages.map(asSent) };
	}

	#say(message: JsonObject, more: JsonObject = {}): void {
		const uuid = randomUUID();
		this.#messages.push(message);
		this.#lines.push({ uuid, message });
		this.#line({ type: message["role"], uuid, parentUuid: this.#tip, message, ...more });
		this.#tip = uuid;
	}

	#line(line: JsonObject): void {
		const { cwd } = this.#place;
		const side = this.#agent === undefined ? {} : { isSidechain: true, agentId: this.#agent };
		const all = { ...line, sessionId: this.id, cwd, timestamp: new Date().toISOString(), ...side };
		if (this.#asksTillWritten > 0) this.#late.push(`${JSON.stringify(all)}\n`);
		else if (this.writesAfterMs > 0)
			setTimeout(() => appendFileSync(this.#file(), `${JSON.stringify(all)}\n`), this.writesAfterMs);
		else appendFileSync(this.#file(), `${JSON.stringify(all)}\n`);
	}

	#writeLater(ms: number): void {
		this.#asksTillWritten = Number.POSITIVE_INFINITY;
		setTimeout(() => this.writeHeld(), ms);
	}

	/** What it held back so far stands in its transcript from now on. */
	writeHeld(): void {
		this.#asksTillWritten = 0;
		appendFileSync(this.#file(), this.#late.splice(0).join(""));
	}

	#file(): string {
		const project = join(this.#place.config, "projects", "-project");
		const agents = join(project, this.id, "subagents");
		mkdirSync(this.#agent === undefined ? project : agents, { recursive: true });
		return this.#agent === undefined ? join(project, `${this.id}.jsonl`) : join(agents, `agent-${this.#agent}.jsonl`);
	}
}

/** The provider gets no ids and usage. */
function asSent({ role, content }: JsonObject): JsonObject {
	return { role, content };
}

function messagesOf(body: JsonObject): string[] {
	return (body["messages"] as JsonObject[]).map((message) => JSON.stringify(message));
}

function epochsOf(sent: readonly JsonObject[]): number[] {
	const epochs: number[] = [];
	let before: string[] = [];
	for (const body of sent) {
		const messages = messagesOf(body);
		const isExtended = before.every((message, at) => message === messages[at]);
		if (isExtended && epochs.length > 0) epochs[epochs.length - 1]!++;
		else epochs.push(1);
		before = messages;
	}
	return epochs;
}

function recorded({ cwd, home }: Place, ...types: string[]) {
	const engine = openEngine({ cwd, home, host: "test", env: {} });
	try {
		return [...engine.log.read({ types })];
	} finally {
		engine.close();
	}
}

function allFiles(folder: string): string[] {
	return readdirSync(folder, { recursive: true })
		.map((name) => join(folder, String(name)))
		.filter((path) => statSync(path).isFile());
}

test("waits for the result of a call that is kept, where the host writes it down a moment after it asks", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	host.isSlowToWrite = true;
	await host.run(36);
	assert.ok(host.compactions >= 2, `${host.compactions} compactions`);
	assert.equal(of.sent.length, 36, "no summary was asked of the provider");
});

test("waits for the user's newest words, where the host writes them down a moment after it asks", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	await host.run(4);
	await of.proxy.settle();
	host.talk("All four are read.", "From now on the port is 7443.");
	assert.match(await host.compact("be brief"), /the port is 7443/);
	assert.equal(of.sent.length, 4, "no summary was asked of the provider");
});

test("leaves the summary to the provider, where the host does not write the user's newest words down in time", async (t) => {
	let ms = Date.now();
	const of = await place(t, () => (ms += 6_000));
	const host = new Host(of);
	await host.run(4);
	await of.proxy.settle();
	host.talk("All four are read.", "From now on the port is 7443.");
	assert.match(await host.compact("be brief"), /by the provider/);
	assert.match(JSON.stringify(of.sent.at(-1)), /the port is 7443/);
});

test("seals without the result of a call that is kept, where the host does not write it down in time", async (t) => {
	let ms = Date.now();
	const of = await place(t, () => (ms += 6_000));
	const host = new Host(of);
	host.isSlowToWrite = true;
	host.afterAnswer = async () => host.writeHeld();
	await host.run(36);
	await of.proxy.settle();
	assert.ok(host.compactions >= 2, `${host.compactions} compactions`);
	assert.equal(of.sent.length, 36, "no summary was asked of the provider");
	assert.equal(recorded(of, "Seal").length, host.compactions);
	assert.deepEqual(recorded(of, "Fault"), []);
});

test("leads Claude Code to compact and answers with the seed; every epoch only grows, and the sums stay true", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	await host.run(36);
	host.exit();
	await of.proxy.settle();
	assert.ok(host.compactions >= 2, `${host.compactions} compactions`);
	assert.deepEqual(of.told, []);
	assert.equal(of.sent.length, 36, "no summary was asked of the provider");
	assert.equal(epochsOf(of.sent).length, host.compactions + 1);
	const seals = recorded(of, "Seal");
	assert.equal(seals.length, host.compactions);
	// The last raise may come too late for another compaction.
	const raises = recorded(of, "UsageRaised").length;
	assert.ok(raises === host.compactions || raises === host.compactions + 1);
	const engine = openEngine({ cwd: of.cwd, home: of.home, host: "test", env: {} });
	try {
		const [usage] = readUsage(engine.log);
		assert.equal(usage!.requests, 36, "a seed is no request");
		const requests = Array.from({ length: 36 }, (_, at) => 1_000 * (at + 1));
		assert.equal(
			usage!.cache_read,
			requests.reduce((sum, each) => sum + each, 0),
		);
		// Nor does replay, or the list of requests, take the figure that led to a seal for true.
		const recording = openSession(engine.history, { session: host.id, host: "claude-code" });
		assert.deepEqual(
			recording.calls.map(({ answer }) => answer.usage?.cacheRead),
			requests,
		);
		const rows = new SessionRequests(engine.history, { session: host.id, host: "claude-code" }).rows();
		assert.deepEqual(
			rows.flatMap(({ reported }) => reported?.read ?? []),
			requests,
		);
		// What the log says of the next request is what the host sends: its summary, the pair that it kept, and what came since.
		const { opening, messages } = engine.requests.moment({ session: host.id, host: "claude-code" }).path;
		const last = messagesOf(of.sent.at(-1)!);
		assert.equal(opening?.by, "weft/woven");
		assert.equal(JSON.stringify({ role: "user", content: opening?.text }), last[0]);
		assert.deepEqual(
			messages.slice(0, last.length - 1).map(({ sent: { role, content } }) => JSON.stringify({ role, content })),
			last.slice(1),
		);
	} finally {
		engine.close();
	}
	for (const file of allFiles(of.home)) assert.ok(!readFileSync(file).includes(KEY), `${file} holds the key`);
});

test("a seal comes with the request that makes it due, also where the host writes its file later than it sends", async (t) => {
	const sealedAfter = async (writesAfterMs: number) => {
		const of = await place(t);
		const host = new Host(of);
		host.writesAfterMs = writesAfterMs;
		while (host.compactions === 0) await host.run(1);
		return of.sent.length;
	};
	assert.equal(await sealedAfter(100), await sealedAfter(0));
});

test("the policy decides how full the context is before a seal: late, only when Claude Code compacts, or by the price", async (t) => {
	const requestsBefore = async (seal: string, beta?: string) => {
		const of = await place(t, undefined, seal);
		const host = new Host(of);
		host.beta = beta;
		for (let turn = 0; turn < 36 && host.compactions === 0; turn++) await host.run(1);
		await of.proxy.settle();
		return host.compactions === 0 ? Number.POSITIVE_INFINITY : of.sent.length;
	};
	const thrift = await requestsBefore("thrift");
	const late = await requestsBefore("late");
	assert.ok(thrift < late && late < 36, `${thrift}, ${late}`);
	assert.equal(await requestsBefore("host"), Number.POSITIVE_INFINITY);
	// An answer is recorded after it was passed on, so a seal may come one request later.
	const isLike = (one: number, other: number) => Math.abs(one - other) <= 1;
	const auto = await requestsBefore("auto");
	assert.ok(isLike(auto, late), `a model without a price, on this machine: ${auto}, ${late}`);
	const window = await requestsBefore("window");
	const flat = await requestsBefore("auto", "oauth-2025-04-20");
	assert.ok(isLike(flat, window), `a subscription: ${flat}, ${window}`);
	assert.ok(window < late, `${window}, ${late}`);
});

test("a summary that the user asks for is answered with the user's words in it, and the same when it is tried again", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	await host.run(4);
	const summary = await host.compact("keep the result of toolu_2");
	assert.match(summary, /keep the result of toolu_2/);
	assert.doesNotMatch(summary, /REMINDER/);
	assert.equal(of.sent.length, 4);
	host.exit(9_000_000);
	await of.proxy.settle();
	assert.equal(recorded(of, "Seal")[0]?.payload["why"], "asked");
});

test("a compaction far below the threshold is the agent's own, unless its file says that the user asked", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	await host.run(4);
	await host.compact();
	await host.run(4);
	await host.compact("keep the rest");
	await of.proxy.settle();
	const whys = recorded(of, "Seal").map(({ payload }) => payload["why"]);
	assert.deepEqual(whys, ["host-threshold", "asked"]);
});

test("what would leave is summarised while nobody waits: a compaction summarises only what came last", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	await host.run(11);
	await of.proxy.settle();
	const ahead = recorded(of, "Summary").length;
	assert.ok(ahead >= 1);
	assert.equal(recorded(of, "UsageRaised").length, 0, "nothing was due");
	await host.compact("keep the newest");
	await of.proxy.settle();
	assert.ok(recorded(of, "Summary").length <= ahead + 1);
	assert.equal(recorded(of, "Seal").length, 1);
});

test("the words of a compaction that a person types go to the provider; a notice after the real one changes nothing", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	await host.run(2);
	const body = { model: "claude-x", stream: true, tools: [{ name: "Bash" }] };
	const asked = (content: unknown, ...after: readonly JsonObject[]) =>
		host.ask({ ...body, messages: [{ role: "user", content }, ...after] });
	const text = { type: "text", text: COMPACT };
	assert.match((await asked([{ ...text, cache_control: { type: "ephemeral" } }])).text, /by the provider/);
	assert.doesNotMatch((await asked([text], { role: "system", content: "A notice." })).text, /by the provider/);
});

test("where the host writes its summary late, the one before is not taken for it, and no second seal follows at once", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	host.isLate = true;
	await host.run(42);
	await of.proxy.settle();
	assert.ok(host.compactions >= 3, `${host.compactions} compactions`);
	const [first, ...epochs] = epochsOf(of.sent).slice(0, -1);
	assert.ok(
		epochs.every((requests) => requests >= first! / 2),
		`epochs of ${[first, ...epochs]} requests`,
	);
	assert.equal(recorded(of, "Seal").length, host.compactions);
});

test("a proxy that dies after its answer is followed by one that writes the account of it", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	host.afterAnswer = () => of.restart();
	await host.run(28);
	await of.proxy.settle();
	assert.ok(host.compactions >= 2, `${host.compactions} compactions`);
	assert.equal(recorded(of, "Seal").length, host.compactions);
	assert.deepEqual(of.told, []);
});

test("goes on after a restart, and tells a sub-agent from its session", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	const child = new Host(of, host.id, "a1");
	await Promise.all([host.run(12), child.run(12)]);
	await of.restart();
	await Promise.all([host.run(18), child.run(18)]);
	await of.proxy.settle();
	assert.ok(host.compactions >= 1 && child.compactions >= 1);
	const sessions = new Set(recorded(of, "Seal").map(({ session }) => session));
	assert.deepEqual([...sessions].sort(), [host.id, `${host.id}/a1`].sort());
	assert.equal(of.sent.length, 60);
});

test("a version that nobody tested is only recorded until its wire has shown to be as expected", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	host.version = "9.9.9";
	await host.run(3);
	assert.match(await host.compact("anything"), /by the provider/);
	assert.deepEqual(recorded(of, "UsageRaised", "Seal"), []);
	await host.run(30);
	await of.proxy.settle();
	assert.ok(host.compactions >= 2, `${host.compactions} compactions`);
	assert.deepEqual(
		of.told.map((notice) => /^Version 9\.9\.9 was not tested/.test(notice)),
		[true],
	);
	// One that changes what it has sent never passes.
	const other = new Host(of);
	other.version = "9.9.10";
	other.isUnsteady = true;
	await other.run(20);
	assert.equal(other.compactions, 0);
});

test("passes the summary on where the host has written nothing that could be sealed", async (t) => {
	let ms = Date.now();
	const of = await place(t, () => (ms += 6_000));
	const host = new Host(of);
	await host.run(3);
	const other = new Host(of);
	const body = { model: "claude-x", stream: true, tools: [{ name: "Bash" }] };
	const messages = [{ role: "user", content: [{ type: "text", text: COMPACT }] }];
	Object.defineProperty(other, "id", { value: randomUUID() });
	const { text } = await other.ask({ ...body, messages });
	assert.match(text, /by the provider/);
});

test("a fork whose file comes after its first request sends no thinking that the compaction before it kept", async (t) => {
	const of = await place(t);
	const host = new Host(of);
	const id = randomUUID();
	Object.defineProperty(host, "id", { value: id });
	const [seed, next] = ["Summary: THE SEED", "and?"].map((content) => ({ role: "user", content }));
	const thought = (signature: string) => ({
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "hm", signature },
			{ type: "text", text: "ok" },
		],
	});
	const preservedSegment = { headUuid: "kept", anchorUuid: "summary", tailUuid: "note" };
	const lines = [
		{ type: "system", uuid: "boundary", subtype: "compact_boundary", compactMetadata: { preservedSegment } },
		{ type: "user", uuid: "summary", parentUuid: "boundary", isCompactSummary: true, message: seed },
		{ type: "assistant", uuid: "kept", parentUuid: "summary", message: thought("before") },
		{ type: "attachment", uuid: "note", parentUuid: "kept" },
		{ type: "user", uuid: "next", parentUuid: "note", message: next },
		{ type: "assistant", uuid: "later", parentUuid: "next", message: thought("after") },
		{ type: "user", uuid: "last", parentUuid: "later", message: next },
	].map((line) => ({ parentUuid: null, sessionId: id, cwd: of.cwd, timestamp: new Date().toISOString(), ...line }));
	const asked = host.ask({
		model: "claude-opus-5-5",
		thinking: { type: "adaptive" },
		stream: true,
		tools: [{ name: "Bash" }],
		messages: [seed, thought("before"), next, thought("after"), next],
	});
	// In two parts, as they may be flushed.
	const file = join(of.config, "projects", "-project", `${id}.jsonl`);
	for (const part of [lines.slice(0, 2), lines.slice(2)]) {
		await pause(100);
		appendFileSync(file, part.map((line) => `${JSON.stringify(line)}\n`).join(""));
	}
	await asked;
	const signatures = [...JSON.stringify(of.sent[0]).matchAll(/"signature":"(\w+)"/g)].map(([, name]) => name);
	assert.deepEqual(signatures, ["after"]);
});

test("twenty sessions at once, each in the log by itself", async (t) => {
	const of = await place(t);
	const hosts = Array.from({ length: 20 }, () => new Host(of));
	await Promise.all(hosts.map((host) => host.run(3)));
	await of.proxy.settle();
	assert.equal(of.sent.length, 60);
	const messages = Map.groupBy(recorded(of, "Message"), ({ session }) => session);
	assert.deepEqual(
		hosts.map(({ id }) => messages.get(id)?.length),
		hosts.map(() => 7),
	);
});

test("where the log cannot be opened everything passes, and it is said once", async (t) => {
	let ms = Date.now();
	const of = await place(t, () => (ms += 6_000));
	writeFileSync(of.home, "not a folder");
	const host = new Host(of);
	await host.run(20);
	assert.match(await host.compact("anything"), /by the provider/);
	assert.equal(host.compactions, 1);
	assert.equal(of.sent.length, 21);
	assert.equal(of.told.length, new Set(of.told).size);
	assert.ok(of.told.length >= 1 && of.told.length <= 2, of.told.join("\n"));
});
