import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { temporaryFolder } from "../../test/rig/temporary-folder.ts";
import { readPriceLines } from "../base/tokens/prices.ts";
import type { NewEvent } from "../log/event/types.ts";
import { TableFolds } from "../log/fold/table-folds.ts";
import { Log } from "../log/log.ts";
import { sessionFold } from "../state/session/session-fold.ts";
import { type AnswersSeen, readUsage, usageFold } from "../state/session/usage-fold.ts";
import { renderCost, sumCost, viewCost } from "./cost.ts";
import { renderSessions, selectSessions } from "./session-list.ts";
import { viewSessionPage } from "./session-page.ts";
import { viewSessions } from "./sessions.ts";
import { PLAIN } from "./text-style.ts";

const folder = temporaryFolder();
/** Noon, so that the day is the same in most places. */
const NOON = Date.UTC(2026, 0, 5, 12);
const DAY_MS = 86_400_000;

let entries = 0;
function message(session: string, ts: number, form: "pi" | "anthropic", body: object): NewEvent {
	const raw = JSON.stringify(form === "pi" ? { type: "message", message: body } : { type: "assistant", message: body });
	return { type: "Message", session, host: "h", ts, entry: `e${++entries}`, payload: { role: "assistant", form }, raw };
}

function piAnswer(session: string, ts: number, usage: object, model = "claude-3-7-sonnet"): NewEvent {
	return message(session, ts, "pi", { role: "assistant", content: [{ type: "text", text: "x" }], model, usage });
}

function line(session: string, ts: number, id: string, output: number): NewEvent {
	const usage = { input_tokens: 10, output_tokens: output, cache_read_input_tokens: 100 };
	return message(session, ts, "anthropic", { id, role: "assistant", model: "claude-opus-4-6", content: [], usage });
}

const log = new Log({ folder, origin: "here", projection: () => new TableFolds([sessionFold, usageFold]) });
after(() => log.close());
log.append([
	piAnswer("a", NOON, { input: 1_000, output: 50, cacheRead: 2_000, cacheWrite: 300, cost: { total: 0.25 } }),
	piAnswer("a", NOON + DAY_MS, { input: 1_000_000, output: 50, cacheRead: 0, cacheWrite: 0 }),
	// One answer in three lines: its last one has the final count.
	line("b", NOON, "msg_1", 1),
	line("b", NOON, "msg_1", 7),
	line("b", NOON, "msg_2", 5),
]);

test("an answer counts once; money is the host's own, or an estimate that says so", () => {
	const { rows, total } = viewCost(log, { by: "session" });
	assert.deepEqual(
		rows.map(({ name, requests, input, cacheRead, cacheWrite, output, estimated }) => {
			return { name, requests, input, cacheRead, cacheWrite, output, estimated };
		}),
		[
			{
				name: "a",
				requests: 2,
				input: 1_001_000,
				cacheRead: 2_000,
				cacheWrite: 300,
				output: 100,
				estimated: true,
			},
			{ name: "b", requests: 2, input: 20, cacheRead: 200, cacheWrite: 0, output: 12, estimated: true },
		],
	);
	assert.equal(total.requests, 4);
	const days = viewCost(log, { by: "day", session: "a" }).rows;
	assert.deepEqual(
		days.map(({ name, dollars, estimated }) => [name, dollars, estimated]),
		[
			["2026-01-05", 0.25, false],
			["2026-01-06", 3.00075, true],
		],
	);
	// Both days are in one week, which began on a Monday, and in one month.
	for (const [by, name] of [
		["week", "2026-01-05"],
		["month", "2026-01"],
	] as const) {
		const spans = viewCost(log, { by, session: "a" });
		assert.deepEqual(
			spans.rows.map((row) => [row.name, row.dollars]),
			[[name, 3.25075]],
		);
	}
	const since = viewCost(log, { by: "model", since: NOON + DAY_MS });
	assert.deepEqual([since.rows.length, since.total.requests], [1, 1]);
	assert.deepEqual(renderCost(viewCost(log, { by: "model", until: 1 }), PLAIN), [
		"This log has no request with usage yet.",
	]);
	assert.match(renderCost(viewCost(log, { by: "day" }), PLAIN).at(-1)!, /^~ the agent gave no price/);
});

test("a model that no list knows is named, and costs what the settings say", () => {
	using other = new Log({
		folder: join(folder, "unknown"),
		origin: "here",
		projection: () => new TableFolds([sessionFold, usageFold]),
	});
	other.append([piAnswer("c", NOON, { input: 1_000_000, output: 5, cacheRead: 0, cacheWrite: 0 }, "loom-1")]);
	const assumed = viewCost(other, { by: "model" });
	assert.deepEqual([assumed.total.dollars, assumed.total.assumed, assumed.unknownModels], [3.000075, true, ["loom-1"]]);
	assert.match(renderCost(assumed, PLAIN).join("\n"), /no list has the price of loom-1: \$3 per million tokens/);
	const prices = readPriceLines(["loom-1=7/.7/7/14"]);
	const told = viewCost(other, { by: "model" }, prices);
	assert.deepEqual([told.total.dollars, told.total.assumed, told.unknownModels], [7.00007, false, []]);
	assert.equal(viewSessions(other, { savedIn: () => undefined, prices })[0]!.dollars, 7.00007);
});

test("a request has the tariff of its length and the price of its day, also beside others of the same hour", () => {
	using other = new Log({
		folder: join(folder, "steps"),
		origin: "here",
		projection: () => new TableFolds([sessionFold, usageFold]),
	});
	const OCTOBER = Date.UTC(2026, 9, 5, 12);
	const usage = (cacheRead: number) => ({ input: 0, output: 1_000, cacheRead, cacheWrite: 0 });
	other.append([
		piAnswer("h", OCTOBER, usage(100_000), "claude-haiku-5-5"),
		piAnswer("h", OCTOBER, usage(100_001), "claude-haiku-5-5"),
		piAnswer("s", OCTOBER, usage(100_000), "claude-sonnet-5-5"),
		piAnswer("s", OCTOBER + DAY_MS, usage(100_000), "claude-sonnet-5-5"),
		// The agent's own price goes before any list, and an answer beside it has none.
		piAnswer("p", OCTOBER, { ...usage(1_000), cost: { total: 2 } }, "claude-opus-5"),
		piAnswer("p", OCTOBER, usage(1_000), "claude-opus-5"),
	]);
	const dollars = new Map(viewCost(other, { by: "session" }).rows.map((row) => [row.name, row.dollars.toFixed(6)]));
	assert.deepEqual(Object.fromEntries(dollars), {
		h: ((100_000 * 0.01 + 500 + 100_001 * 0.05 + 2_500) / 1e6).toFixed(6),
		s: ((100_000 * 0.2 + 100_000 * 0.1 + 20_000) / 1e6).toFixed(6),
		p: (2 + (1_000 * 0.5 + 25_000) / 1e6).toFixed(6),
	});
});

test("over several logs an answer counts where it came first: a fork may have gone on in another project", () => {
	using fork = new Log({
		folder: join(folder, "fork"),
		origin: "here",
		projection: () => new TableFolds([sessionFold, usageFold]),
	});
	fork.append([line("f", NOON, "msg_1", 7), line("f", NOON, "msg_2", 5), line("f", NOON, "msg_3", 9)]);
	fork.flush();
	using reader = new Log({ folder: join(folder, "fork"), origin: "here", readOnly: true });
	for (const second of [fork, reader]) {
		const seen: AnswersSeen = new Set();
		const usage = [log, second].flatMap((each) => readUsage(each, { seen }).map((row) => ({ ...row, project: "" })));
		const { rows } = sumCost(usage, { by: "session" });
		assert.deepEqual(
			rows.filter(({ name }) => name !== "a").map(({ name, requests, output }) => [name, requests, output]),
			[
				["b", 2, 12],
				["f", 1, 9],
			],
		);
	}
});

test("the same sums come from a log that cannot be written", () => {
	log.flush();
	using reader = new Log({ folder, origin: "here", readOnly: true });
	assert.deepEqual(viewCost(reader, { by: "model" }), viewCost(log, { by: "model" }));
	assert.deepEqual(viewCost(reader, { by: "day" }), viewCost(log, { by: "day" }), "folded once, asked twice");
});

test("sessions are listed by title, with what weft saved where it was there, and add up to the cost", () => {
	const lines = viewSessions(log, { savedIn: ({ session }) => (session === "a" ? 1.5 : undefined) });
	assert.deepEqual(
		lines.map(({ session, model, requests, saved }) => [session, model, requests, saved]),
		[
			["a", "claude-3-7-sonnet", 2, 1.5],
			["b", "claude-opus-4-6", 2, null],
		],
	);
	const list = selectSessions(lines, { order: "last" });
	assert.deepEqual(list.total, viewCost(log, { by: "session" }).total);
	const [, , first, second] = renderSessions(list, PLAIN);
	assert.match(first!, /^\S.* a .* 3-7-sonnet +2 +~\$3\.25 +~\$1\.50$/);
	assert.match(second!, /–$/);
	const screen = renderSessions(list, { ...PLAIN, columns: 80 });
	assert.ok(screen.every((line) => line.length <= 80));
	assert.match(screen[3]!, / a .*\$1\.50$/, "the newest comes last on a terminal");
	assert.match(screen.at(-2)!, /^2 sessions: 4 requests, ~\$\d+\.\d\d$/);
	assert.match(
		renderSessions(selectSessions(lines, { order: "cost", limit: 1 }), PLAIN).join("\n"),
		/^1 of 2 sessions shown/m,
	);
	assert.deepEqual(selectSessions(lines, { order: "last", agent: "nothing" }).sessions, []);
});

test("a sub-agent comes under the session it works for", () => {
	const [line] = viewSessions(log, { savedIn: () => undefined });
	const of = (session: string, last: number, title: string | null) => ({ ...line!, session, last, title });
	const lines = [of("p", 1, "Fix the login"), of("q", 3, "Another"), of("p/child", 4, null), of("gone/alone", 2, null)];
	const shown = renderSessions(selectSessions(lines, { order: "last" }), PLAIN).slice(2, 6);
	assert.deepEqual(
		shown.map((each) => each.split(/ {2,}/).slice(0, 2)),
		[
			["Another", "q"],
			["sub-agent", "/alone"],
			["Fix the login", "p"],
			["└ sub-agent", "/child"],
		],
	);
});

test("totals, days and facets follow the filters, and each facet counts as if it were not set itself", () => {
	const source = { project: "key", name: "app", log, saved: () => undefined };
	const view = (filters: object) => viewSessionPage([source], { order: "last", offset: 0, limit: 10, ...filters });
	const whole = view({});
	assert.deepEqual(whole.total, viewCost(log, { by: "day" }).total);
	const dollars = (rows: readonly { readonly dollars: number }[]) => rows.reduce((sum, row) => sum + row.dollars, 0);
	const isSame = (one: number, other: number) => assert.ok(Math.abs(one - other) < 1e-9, `${one} ${other}`);
	for (const values of [whole.days, whole.facets.agent, whole.facets.model, whole.facets.project])
		isSame(dollars(values), whole.total.dollars);
	for (const { value, sessions, dollars: of } of whole.facets.model) {
		const chosen = view({ model: value });
		isSame(chosen.total.dollars, of);
		assert.equal(chosen.count, sessions);
		assert.deepEqual(chosen.facets.model, whole.facets.model, "the other values can still be chosen");
		isSame(dollars(chosen.days), of);
	}
	const [day] = whole.days;
	isSame(view({ day: day?.name }).total.dollars, day?.dollars ?? 0);
	const span = `${day?.name}..${whole.days.at(-1)?.name}`;
	isSame(view({ day: span }).total.dollars, whole.total.dollars);
	isSame(view({ day: `1999-01-01..${day?.name}` }).total.dollars, day?.dollars ?? 0);
	assert.equal(view({ day: "1999-01-01" }).count, 0);
	assert.deepEqual(view({ text: "no such words" }).total, view({ agent: "no such agent" }).total);
});
