import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { segmentsOf } from "../../src/context/envelope/bytes.ts";
import { makeEnvelope, makeManifest } from "../../src/context/envelope/envelope.ts";
import { openEngine } from "../../src/engine.ts";
import type { GivenPayload } from "../../src/log/event/types.ts";
import { Place } from "./place.ts";

const place = new Place();
const START = Date.UTC(2026, 0, 5, 10);
after(() => place.remove());

function request(name: string, text: string, last?: string, reasons: readonly string[] = []): GivenPayload<"Request"> {
	const segments = (content: string) => segmentsOf(makeEnvelope({ messages: [{ id: "a", role: "user", content }] }));
	return makeManifest({
		request: name,
		segments: segments(text),
		reasons,
		warm: true,
		model: "claude-opus-5-5",
		last: last === undefined ? undefined : { segments: segments(last) },
	});
}

before(() => {
	const engine = openEngine({
		cwd: place.project,
		home: place.home,
		host: "pi",
		session: "s1",
		env: {},
		now: () => START,
	});
	const [one, two] = ["x".repeat(32_000), `y${"x".repeat(32_000)}`];
	engine.record([
		{ type: "Request", payload: request("1", one) },
		{ type: "Request", payload: request("2", two, one, ["redact secrets"]) },
		{ type: "Request", payload: request("3", one, two) },
	]);
	const usage = { input: 100, output: 5, cacheRead: 300, cacheWrite: 600 };
	const message = { role: "assistant", content: [], model: "claude-opus-5-5", usage };
	engine.record([
		{
			type: "Message",
			payload: { role: "assistant", form: "pi" },
			raw: JSON.stringify({ type: "message", id: "e1", message }),
		},
	]);
	engine.close();
});

test("weft cache shows the hit share, and each break with its cause and price", async () => {
	const { code, out, err } = await place.weft("cache");
	assert.deepEqual([code, err], [0, ""]);
	assert.deepEqual(
		out.split("\n").map((line) => line.replace(/─+/g, "─").trimEnd()),
		[
			"requests    3, 1 with usage reported",
			"hit share   30.0 % (0.0 % expected)",
			"tokens      300 read, 600 written, 100 plain",
			"cost        ~$0.00, output included",
			"breaks      2 by changed bytes (1 unexplained), 0 misses",
			"paid again  19,992 tokens, 23,990 in units of plain input, about $0.10",
			"",
			"event  what          at byte  tokens     price  cause",
			"─  ─  ─  ─  ─  ─",
			"    3  tail changed       26   9,996  ~$0.0480  UNEXPLAINED: no reason was given",
			"    2  tail changed       26   9,996  ~$0.0480  redact secrets",
			"",
		],
	);
});

test("--json has the same, with a stable shape; --limit and --session narrow it", async () => {
	const report = await place.json("cache", "--limit", "1", "--session", "s1");
	assert.deepEqual(Object.keys(report), [
		"requests",
		"answered",
		"reported",
		"hitShare",
		"predictedShare",
		"changed",
		"missed",
		"unexplained",
		"lostTokens",
		"lostUnits",
		"lostDollars",
		"stepSavedUnits",
		"stepSavedDollars",
		"assumed",
		"breaks",
		"dollars",
		"estimated",
		"readAgain",
	]);
	assert.equal((report["breaks"] as object[]).length, 1);
	assert.equal((await place.weft("cache", "--session", "nobody")).code, 3);
	assert.equal((await place.weft("cache", "--limit", "few")).code, 2);
});

test("files that were read again soon after a seal are counted", async () => {
	const other = new Place();
	try {
		const engine = openEngine({ cwd: other.project, home: other.home, host: "pi", session: "s1", env: {} });
		const slice = { path: "a.ts", from: 1, to: 100, sliceHash: "slice", tool: "read", callId: "c" };
		const read = { type: "FileRead", payload: slice } as const;
		engine.record([{ type: "Request", payload: request("1", "x") }, read]);
		const arithmetic = { regret: 0, price: 0, floor: 0 };
		const sealed = {
			from: "m",
			why: "asked",
			mode: "woven",
			arithmetic,
			tokensBefore: 9,
			tokensAfter: 5,
			left: 1,
			sections: [],
		};
		engine.record([{ type: "Seal", payload: sealed }, read]);
		engine.close();
		const { out } = await other.weft("cache");
		assert.match(out, /^read again {2}1 file, ~1,200 tokens, soon after 1 seal: the next seal waits longer$/m);
		assert.deepEqual((await other.json("cache"))["readAgain"], { seals: 1, files: 1, failed: 0, tokens: 1_200 });
	} finally {
		other.remove();
	}
});

test("without a request in the log it says so", async () => {
	const empty = new Place();
	try {
		await empty.weft("log", "add", "note");
		const { code, out } = await empty.weft("cache");
		assert.deepEqual([code, out], [0, "This log has no request to a model yet.\n"]);
	} finally {
		empty.remove();
	}
});

test("prices are the host's own, then those of the settings: a free model costs nothing, and an assumed price says so", async () => {
	const other = new Place();
	try {
		const engine = openEngine({ cwd: other.project, home: other.home, host: "pi", env: {}, now: () => START });
		const [one, two] = ["x".repeat(32_000), `y${"x".repeat(32_000)}`];
		for (const [session, model] of [
			["free", "local-1"],
			["listed", "mine-2"],
			["unknown", "nobody-3"],
		] as const) {
			const cost = session === "free" ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } : undefined;
			const usage = { input: 100, output: 5, cacheRead: 300, cacheWrite: 600, cost };
			const raw = JSON.stringify({
				type: "message",
				id: "e1",
				message: { role: "assistant", content: [], model, usage },
			});
			engine.record([
				{ type: "Request", session, payload: { ...request("1", one), model } },
				{ type: "Request", session, payload: { ...request("2", two, one, ["redacted"]), model } },
				{ type: "Message", session, payload: { role: "assistant", form: "pi" }, raw },
			]);
		}
		engine.close();
		const set = await other.weft("config", "set", "prices", '["mine-2=2/0.2/2"]');
		assert.deepEqual([set.code, set.err], [0, ""]);
		const paid = async (session: string) => /about .*/.exec((await other.weft("cache", "--session", session)).out)?.[0];
		assert.equal(await paid("free"), "about $0.00");
		assert.equal(await paid("listed"), "about $0.02");
		assert.match((await paid("unknown"))!, /^about \$0\.03 \(assumed/);
		const asked = await other.weft("request", "--session", "free");
		assert.match(asked.out, /agent alone .* \$0\.0000 estimated/);
		const cost = await other.json("cost", "--by", "model");
		assert.deepEqual(
			(cost["rows"] as { name: string; dollars: number }[]).map(({ name, dollars }) => [name, dollars.toFixed(6)]),
			[
				["nobody-3", "0.002715"],
				["mine-2", "0.001510"],
				["local-1", "0.000000"],
			],
		);
	} finally {
		other.remove();
	}
});
