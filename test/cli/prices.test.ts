/** `weft prices`, and one cost for a session wherever it is shown. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { SHIPPED_SESSION } from "../../bench/replay.ts";
import { openEngine } from "../../src/engine.ts";
import { SessionRequests } from "../../src/view/requests.ts";
import { viewVitals } from "../../src/view/vitals.ts";
import { ended, Place } from "./place.ts";

const place = new Place();
after(() => place.remove());

const LIST = JSON.stringify({
	anthropic: {
		models: {
			"claude-opus-9": { cost: { input: 7, output: 70, cache_read: 0.35, cache_write: 8.75 } },
			"claude-opus-5": { cost: { input: 50, output: 250, cache_read: 5, cache_write: 62.5 } },
		},
	},
});

interface PricesJson {
	readonly day: string;
	readonly prices: readonly { readonly model: string; readonly input: number; readonly from: string }[];
	readonly files: readonly object[];
	readonly more: number;
}

test("weft prices shows the table in use, with its day, its steps and what an unknown model costs", async () => {
	const { code, out } = await place.weft("prices");
	assert.equal(code, 0);
	assert.match(out, /^Dollars per million tokens; weft's own table is of 20\d{2}-\d{2}-\d{2}\.$/m);
	assert.match(out, /^claude-fable-5-1 +2026-09-01 +10 +50 +0\.25 +12\.5 +20 +table$/m);
	assert.match(out, /^claude-haiku-5-5 .*\n +above 100,000 tokens +0\.5 +2\.5 +0\.05 +0\.625 +1$/m);
	assert.match(out, /^claude-sonnet-5-5 +– +2 +10 +0\.2 .*\nclaude-sonnet-5-5 +2026-10-06 +2 +10 +0\.1 /m);
	assert.match(out, /^An agent's own prices win .* \$3 and \$15 of output are assumed/m);
	const { prices } = await place.json<PricesJson>("prices", "--model", "opus-5");
	assert.deepEqual(
		prices.map(({ model }) => model),
		["claude-opus-5-5", "claude-opus-5"],
	);
});

test("lines of the setting that never apply are named: malformed, negative and misspelt ones", async () => {
	const refused = await place.weft("config", "set", "prices", '["claude-opus-5=-4"]');
	assert.notEqual(refused.code, 0);
	assert.match(refused.err, /the line 'claude-opus-5=-4' of prices is not used/);
	await place.weft("config", "set", "prices", '["claude-opsu-5-5=9", "claude-opus-5.5=9"]');
	const { out } = await place.weft("prices", "--model", "opus-5-5");
	assert.match(out.replaceAll(/\s+/g, " "), /names 'claude-opsu-5-5'\. Did you mean 'claude-opus-5-5'\?/);
	const { prices } = await place.json<PricesJson>("prices", "--model", "opus-5.5");
	assert.deepEqual(
		prices,
		prices.filter(({ from, input }) => from === "setting" && input === 9),
	);
	await place.weft("config", "set", "prices");
});

test("weft prices FILE takes a list over, the setting keeps the user's lines, and --default goes back", async () => {
	const file = place.file("api.json", LIST);
	await place.weft("config", "set", "prices", '["mine-1=2/.2/2.5/8"]');
	const taken = await place.weft("prices", file);
	assert.equal(taken.code, 0);
	assert.match(taken.err, /Took over 4 names of models from .*api\.json \(models\.dev\)/);
	assert.match(taken.out, /^mine-1 .* setting$/m);
	assert.match(taken.out, /^claude-opus-5 +– +50 +250 .* file$/m);
	const copy = join(place.home, "prices.json");
	assert.ok(existsSync(copy), "a copy: the file may go");
	const { prices } = await place.json<PricesJson>("prices", "--model", "opus-9");
	assert.deepEqual(
		prices.map(({ model, input, from }) => [model, input, from]),
		[
			["anthropic/claude-opus-9", 7, "file"],
			["claude-opus-9", 7, "file"],
		],
	);
	const back = await place.weft("prices", "--default");
	assert.match(back.err, /Back to weft's own table/);
	assert.match(back.out, /^claude-opus-5 +– +5 +25 .* table$/m);
	assert.match(back.out, /^mine-1 /m);
	assert.equal(existsSync(copy), false);
	await place.weft("config", "set", "prices", "--default");
});

test("a file that is no price list is refused, and changes nothing", async () => {
	const { code, err } = await place.weft("prices", place.file("odd.json", '{"a":1}'));
	assert.equal(code, 2);
	assert.match(err, /no prices that weft can read/);
	assert.deepEqual((await place.json<PricesJson>("prices")).files, []);
	assert.equal((await place.weft("prices", "x.json", "--default")).code, 2);
});

/** Over the raw file alone: the last line of each answer, at list prices, output included. */
function rawCost(text: string): number {
	const answers = new Map<string, { usage: Record<string, number>; model: string }>();
	for (const line of text.split("\n").filter(Boolean)) {
		const { message } = JSON.parse(line) as { message?: { id: string; usage?: Record<string, number>; model: string } };
		if (message?.usage) answers.set(message.id, { usage: message.usage, model: message.model });
	}
	let dollars = 0;
	for (const { usage: u } of answers.values()) {
		const long = (u["cache_creation"] as unknown as { ephemeral_1h_input_tokens: number }).ephemeral_1h_input_tokens;
		const short = (u["cache_creation_input_tokens"] ?? 0) - long;
		const input = (u["input_tokens"] ?? 0) + (u["cache_read_input_tokens"] ?? 0) * 0.1 + short * 1.25 + long * 2;
		dollars += (input * 5 + (u["output_tokens"] ?? 0) * 25) / 1e6;
	}
	return dollars;
}

/** Answers of Claude Code in two lines each, the first with a count that is not final; some writes are for an hour. */
function claudeSession(model = "claude-opus-4-8"): string {
	const base = { sessionId: "0199aaaa-0000-7000-8000-000000000001", cwd: "/home/dev/app", version: "2.1.0" };
	const lines: object[] = [];
	let parent: string | null = null;
	const add = (type: string, message: object) => {
		const uuid = `00000000-0000-4000-8000-${String(lines.length).padStart(12, "0")}`;
		const timestamp = new Date(Date.UTC(2026, 7, 3, 9, 0, lines.length * 20)).toISOString();
		lines.push({
			...base,
			type,
			uuid,
			parentUuid: parent,
			timestamp,
			isSidechain: false,
			userType: "external",
			message,
		});
		parent = uuid;
	};
	add("user", { role: "user", content: "Read the code and say what it does." });
	for (let at = 0; at < 12; at++) {
		const written = 3_000 + at * 10;
		const usage = {
			input_tokens: 4 + at,
			cache_read_input_tokens: 30_000 + at * 3_000,
			cache_creation_input_tokens: written,
			cache_creation: {
				ephemeral_5m_input_tokens: at % 3 ? written : 0,
				ephemeral_1h_input_tokens: at % 3 ? 0 : written,
			},
		};
		const message = { id: `msg_${at}`, type: "message", role: "assistant", model };
		for (const [part, output] of [3, 700 + at].entries()) {
			const content = [{ type: "text", text: `Part ${part} of answer ${at}.` }];
			add("assistant", { ...message, content, usage: { ...usage, output_tokens: output } });
		}
		add("user", { role: "user", content: `Go on, please: ${at}.` });
	}
	return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

test("a session has one cost in sessions, cost, cache, replay, the status line and the page: that of its raw usage", async () => {
	const own = new Place();
	try {
		const text = claudeSession();
		const file = own.file("session.jsonl", text);
		await own.weft("import", file, "--project", own.project);
		const [session] = (await own.json<{ sessions: readonly { session: string; dollars: number }[] }>("sessions"))
			.sessions;
		const cents = (dollars: number) => dollars.toFixed(6);
		const cost = cents(rawCost(text));
		assert.equal(cents(session!.dollars), cost);
		const total = await own.json<{ total: { dollars: number } }>("cost", "--by", "session");
		assert.equal(cents(total.total.dollars), cost);
		assert.equal(cents((await own.json<{ dollars: number }>("cache")).dollars), cost);
		for (const args of [[file], ["--session", session!.session]]) {
			const { billed } = await own.json<{ billed: { costDollars: number } }>("replay", ...args, "--mode", "host");
			assert.equal(cents(billed.costDollars), cost);
		}
		const engine = openEngine({ cwd: own.project, home: own.home, host: "test", env: {} });
		try {
			const of = { session: session!.session, host: "claude-code" };
			const requests = new SessionRequests(engine.history, of);
			const vitals = viewVitals(engine, requests, of, { now: Date.now(), window: 200_000 });
			assert.equal(cents(vitals.cost.dollars), cost);
			assert.equal(
				cents(requests.rows().reduce((sum, row) => sum + (row.dollars ?? 0), 0)),
				cost,
				"request by request",
			);
		} finally {
			engine.close();
		}
		const shown = `~$${rawCost(text).toFixed(2)}`;
		const line = own.start(["status", "--line"]);
		line.stdin?.end();
		assert.ok((await ended(line)).out.includes(`cost ${shown}`));
		assert.ok((await own.weft("sessions")).out.includes(shown));
		assert.ok((await own.weft("cache")).out.includes(shown));
	} finally {
		own.remove();
	}
});

test("the cost of a model that no list has is marked as assumed wherever it is shown", async () => {
	const own = new Place();
	try {
		const file = own.file("session.jsonl", claudeSession("claude-opus-9"));
		await own.weft("import", file, "--project", own.project);
		const line = own.start(["status", "--line"]);
		line.stdin?.end();
		assert.match((await ended(line)).out, /cost ~\$[\d.]+\? ·/);
		const shown = async (...args: string[]) => (await own.weft(...args)).out;
		assert.match(await shown("sessions"), /~\$[\d.]+\?\n[\s\S]*\? no list has the price of a model in it/);
		assert.match(await shown("cost"), /~\$[\d.]+\?\n[\s\S]*\? no list has the price of claude-opus-9/);
		assert.match(await shown("cost", "--why"), /cost ~\$[\d.]+, in part at an assumed price\./);
		assert.match(await shown("cache"), /~\$[\d.]+\?, output included \(assumed: the model's price is unknown\)/);
		assert.match(await shown("replay", file, "--mode", "host"), /\$[\d.]+\? at an assumed price;/);
		const engine = openEngine({ cwd: own.project, home: own.home, host: "test", env: {} });
		try {
			const of = { session: "0199aaaa-0000-7000-8000-000000000001", host: "claude-code" };
			const requests = new SessionRequests(engine.history, of);
			const { cost } = viewVitals(engine, requests, of, { now: Date.now(), window: 200_000 });
			assert.deepEqual([cost.assumed, requests.rows().every(({ isAssumed }) => isAssumed)], [true, true]);
		} finally {
			engine.close();
		}
	} finally {
		own.remove();
	}
});

test("where the agent priced its answers, its own cost is the session's", async () => {
	const own = new Place();
	try {
		await own.weft("import", SHIPPED_SESSION, "--project", own.project);
		const lines = readFileSync(SHIPPED_SESSION, "utf8").split("\n").filter(Boolean);
		const costs = lines.map((line) => {
			const { message } = JSON.parse(line) as { message?: { usage?: { cost?: { total: number } } } };
			return message?.usage?.cost?.total ?? 0;
		});
		const { sessions } = await own.json<{ sessions: readonly { dollars: number; estimated: boolean }[] }>("sessions");
		const sum = costs.reduce((all, each) => all + each, 0);
		assert.ok(sum > 0);
		assert.deepEqual([sessions[0]!.dollars.toFixed(6), sessions[0]!.estimated], [sum.toFixed(6), false]);
		const { billed } = await own.json<{ billed: { costDollars: number } }>("replay", SHIPPED_SESSION, "--mode", "host");
		assert.equal(billed.costDollars.toFixed(6), sum.toFixed(6));
	} finally {
		own.remove();
	}
});
