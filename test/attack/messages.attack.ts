/** An agent's messages of every size, broken ones among them, and connections that break: `weft mcp` answers or ends in order. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openEngine } from "../../src/engine.ts";
import { memoryFolder } from "../../src/state/memory/memory-files.ts";
import { TOOLS } from "../../src/tool/catalogue.ts";
import { Place } from "../cli/place.ts";
import { type McpAnswer, McpWire } from "../rig/mcp-wire.ts";
import { randomFrom, tellCount } from "./count.ts";
import { rounds } from "./time.ts";

const MAIN = fileURLToPath(new URL("../../src/show/cli/main.ts", import.meta.url));
const MB = 1_000_000;
const LIMIT_MS = 600_000;
const SESSION = "cc-large";

class Attacked {
	readonly place = new Place();
	readonly transcript = join(this.place.folder, "config/projects/p", `${SESSION}.jsonl`);
	#next = 0;
	#wire: McpWire | undefined;

	constructor(t: TestContext) {
		mkdirSync(dirname(this.transcript), { recursive: true });
		t.after(async () => {
			await this.#wire?.end();
			this.place.remove();
		});
	}

	get wire(): McpWire {
		const { project, folder } = this.place;
		const env = { CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_CONFIG_DIR: join(folder, "config") };
		this.#wire ??= new McpWire([MAIN], project, this.place.env(env));
		return this.#wire;
	}

	/** The next call starts another process, as an agent does. */
	forget(): void {
		this.#wire = undefined;
	}

	/** `idIsLast`: as the protocol's own library writes a message; otherwise as Codex does. */
	async ask(method: string, params: object, { idIsLast = true } = {}): Promise<McpAnswer> {
		const id = ++this.#next;
		const message = idIsLast ? { method, params, jsonrpc: "2.0", id } : { jsonrpc: "2.0", id, method, params };
		this.wire.write(`${JSON.stringify(message)}\n`);
		return this.wire.answer(id);
	}

	call(name: string, args: object): Promise<McpAnswer> {
		return this.ask("tools/call", { name, arguments: args });
	}

	hook(event: string, fields: Readonly<Record<string, unknown>>): Promise<McpAnswer> {
		const texts = Object.entries(fields).map(([key, value]) => [
			key,
			typeof value === "string" ? value : JSON.stringify(value),
		]);
		const { project: cwd } = this.place;
		const of = { event, session: SESSION, agent: "", transcript: this.transcript, cwd };
		return this.call("hook", { ...of, ...Object.fromEntries(texts) });
	}

	faults(): readonly string[] {
		const { project: cwd, home } = this.place;
		const engine = openEngine({ cwd, home, host: "attack", env: {}, readOnly: true });
		try {
			return [...engine.log.read({ types: ["Fault"] })].map(({ payload }) => String(payload["code"]));
		} finally {
			engine.close();
		}
	}

	memoryFiles(): readonly string[] {
		const { project: cwd, home } = this.place;
		const engine = openEngine({ cwd, home, host: "attack", env: {}, readOnly: true });
		const folder = memoryFolder(engine.project.folder);
		engine.close();
		return readdirSync(folder, { recursive: true }).map(String);
	}
}

test("hooks with files of up to 60 MB are answered in time that grows with their size", {
	timeout: LIMIT_MS,
}, async (t) => {
	const attacked = new Attacked(t);
	const file_path = join(attacked.place.project, "large.txt");
	writeFileSync(file_path, "one\n");
	let answered = 0;
	const perMb: number[] = [];
	for (const size of [0.1, 1, 5, 9, 11, 30, 60]) {
		const text = "x".repeat(size * MB);
		const edit = { file_path, old_string: "one", new_string: "two" };
		const start = performance.now();
		const response = { filePath: file_path, oldString: "one", newString: "two", originalFile: text };
		for (const answer of [
			await attacked.hook("PostToolUse", { tool: "Edit", call: `e${size}`, input: edit, response }),
			await attacked.hook("PreToolUse", { tool: "Write", call: `w${size}`, input: { file_path, content: text } }),
			await attacked.hook("PostToolUse", { tool: "WebFetch", call: `f${size}`, input: {}, response: { result: text } }),
		]) {
			assert.ok(answer.result, JSON.stringify(answer).slice(0, 300));
			answered++;
		}
		if (size >= 5) perMb.push((performance.now() - start) / size);
	}
	assert.ok((perMb.at(-1) ?? 0) < 4 * (perMb[0] ?? 0) + 50, `ms per MB: ${perMb.map(Math.round)}`);
	assert.deepEqual(attacked.faults(), []);
	tellCount("large hooks", { answered, "ms per MB at the end": Math.round(perMb.at(-1) ?? 0) });
});

test("a message above the limit is refused by name wherever its id is, and the session goes on", {
	timeout: LIMIT_MS,
}, async (t) => {
	const attacked = new Attacked(t);
	let refused = 0;
	for (let round = 0; round < rounds(2); round++) {
		for (const idIsLast of [true, false]) {
			const params = { name: "hook", arguments: { event: "PostToolUse", response: "x".repeat(70 * MB) } };
			const { error } = await attacked.ask("tools/call", params, { idIsLast });
			assert.equal(error?.data?.name, "message-too-large");
			assert.match(error?.message ?? "", /^message-too-large: this message has 70,000,\d+ bytes/);
			assert.ok((await attacked.ask("tools/list", {})).result);
			refused++;
		}
		const notification = { method: "notifications/x", params: "x".repeat(70 * MB), jsonrpc: "2.0" };
		attacked.wire.write(`${JSON.stringify(notification)}\n`);
		assert.deepEqual((await attacked.ask("ping", {})).result, {});
	}
	assert.match(JSON.stringify((await attacked.call("lcm_grep", { query: "anything" })).result), /No results/);
	assert.deepEqual((await attacked.wire.end()).code, 0);
	const faults = attacked.faults();
	assert.deepEqual([...new Set(faults)], ["message-too-large"]);
	tellCount("messages above the limit", { refused, faults: faults.length });
});

test("an argument of 30 MB, for every text of every tool, gets an answer in words", {
	timeout: LIMIT_MS,
}, async (t) => {
	const attacked = new Attacked(t);
	let answered = 0;
	for (const { name, parameters } of TOOLS) {
		for (const [key, { type }] of Object.entries(parameters.properties)) {
			if (type !== "string") continue;
			const usual = {
				query: "word",
				section: "overview",
				summary_id: "m-0123456789ab",
				decision: "Tabs",
				question: "Why?",
			};
			// An argument that the tool does not have would be refused before the long one is looked at.
			const known = Object.fromEntries(Object.entries(usual).filter(([each]) => each in parameters.properties));
			for (const value of ["x".repeat(30 * MB), "s-".repeat(15 * MB), "1 ".repeat(15 * MB)]) {
				const { result, error } = await attacked.call(name, { ...known, [key]: value });
				const text = JSON.stringify(result ?? error);
				assert.ok(result && text.length < 10_000, `${name} ${key}: ${text.slice(0, 300)}`);
				answered++;
			}
		}
	}
	assert.deepEqual(attacked.faults(), []);
	tellCount("arguments of 30 MB", { answered });
});

test("lines that no agent would send are answered or passed over, and the next question is answered", {
	timeout: LIMIT_MS,
}, async (t) => {
	const attacked = new Attacked(t);
	const random = randomFrom(31);
	const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
	const odd: readonly (() => string)[] = [
		() => "[".repeat(100_000),
		() => `{"jsonrpc":"2.0","id":${pick(["null", "{}", "[1]", "1e999", '""'])},"method":"tools/list"}`,
		() => `{"jsonrpc":"2.0","id":"a","method":${pick(["5", "null", '"no/such"', '"__proto__"'])}}`,
		() =>
			`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":${pick(["5", "[]", '{"name":5}', '{"name":"hook"}'])}}`,
		() =>
			`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"lcm_grep","arguments":${pick(["null", "[]", '{"query":{}}'])}}}`,
		() => Array.from({ length: 200 }, () => String.fromCharCode(32 + Math.floor(random() * 60_000))).join(""),
		() => `{"method":"notifications/cancelled","params":{"requestId":${pick(['"c"', "{}", "7"])}}}`,
		() => "",
	];
	let sent = 0;
	for (let round = 0; round < rounds(40); round++) {
		for (let n = 0; n < 10; n++, sent++) attacked.wire.write(`${pick(odd)().replaceAll("\n", " ")}\n`);
		assert.deepEqual((await attacked.ask("ping", {})).result, {});
	}
	assert.deepEqual((await attacked.wire.end()).code, 0);
	tellCount("odd lines", { sent });
});

test("a connection that breaks in the middle of a message ends in order: memory is kept, and the next start works", {
	timeout: LIMIT_MS,
}, async (t) => {
	const attacked = new Attacked(t);
	let ended = 0;
	const line = (n: number) => ({
		...{ type: "user", uuid: `u${n}`, parentUuid: n === 0 ? null : `u${n - 1}`, sessionId: SESSION },
		...{ cwd: attacked.place.project, timestamp: new Date(Date.UTC(2026, 2, 1, 10, 0, n)).toISOString() },
		message: { role: "user", content: `Reconcile ledger ${n}; totals are kept in pence.` },
	});
	const lines: object[] = [];
	for (let round = 0; round < rounds(2); round++) {
		for (const breakOff of ["closeInput", "closeOutput", "SIGTERM", "SIGINT"] as const) {
			lines.push(line(lines.length));
			writeFileSync(attacked.transcript, lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
			assert.ok((await attacked.hook("UserPromptSubmit", { prompt: "Reconcile the ledger" })).result);
			assert.ok((await attacked.hook("Stop", {})).result);
			attacked.wire.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${"x".repeat(5 * MB)}`);
			const { code } = await attacked.wire.breakOff(breakOff);
			assert.equal(code, 0, breakOff);
			attacked.forget();
			ended++;
		}
	}
	const found = JSON.stringify((await attacked.call("lcm_grep", { query: "pence" })).result);
	assert.match(found, new RegExp(`Found ${lines.length} results`));
	assert.ok(
		attacked.memoryFiles().some((name) => name.includes(SESSION)),
		"the session's memory was written",
	);
	const faults = attacked.faults();
	assert.ok(faults.includes("EPIPE") || faults.length > 0, "a connection that failed is a fault");
	tellCount("broken connections", { ended, faults: faults.length });
});
