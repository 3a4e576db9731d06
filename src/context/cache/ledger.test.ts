import assert from "node:assert/strict";
import { test } from "node:test";
import { userMessage } from "../../../test/rig/envelope-message.ts";
import {
	assistant,
	type EventWord,
	event,
	foreignEvent,
	type MessageWord,
	recordsOf,
	type SessionWords,
} from "../../../test/rig/events.ts";
import { foldRecords, stateAfter } from "../../../test/rig/fold-specification.ts";
import { segmentsOf } from "../envelope/bytes.ts";
import { type EnvelopeMessage, makeEnvelope, makeManifest } from "../envelope/envelope.ts";
import { priceBreak, reportCache } from "./cache-report.ts";
import { type LedgerState, ledgerFold, noteCompaction } from "./ledger.ts";

const PRICES = { input: 4, output: 5, read: 0.1, write: 1.25, writeLong: 2 };
const prices = () => PRICES;
const long = (mark: string): string => mark.repeat(16_000);
const segments = (...messages: EnvelopeMessage[]) => segmentsOf(makeEnvelope({ messages }));
const MINUTE = 60_000;

function manifest(ts: number, of: Parameters<typeof makeManifest>[0]): EventWord {
	return event("Request", makeManifest(of), { ts });
}

function answer(ts: number, [read, write, input]: readonly [number, number, number], more: object = {}): MessageWord {
	const usage = { input, output: 1, cacheRead: read, cacheWrite: write };
	return assistant("", { model: "m", timestamp: ts, usage, ...more });
}

function fold(words: SessionWords): LedgerState {
	return stateAfter(ledgerFold, ...words);
}

const first = segments(userMessage("a", long("a")));
const second = segments(userMessage("a", long("a")), userMessage("b", "two"));
const changed = segments(userMessage("a", `!${long("a")}`), userMessage("b", "two"));

test("requests that extend each other have no break, and the usage of their answers is counted", () => {
	const state = fold([
		manifest(0, { request: "1", segments: first, reasons: [], warm: true }),
		answer(1_000, [0, 5_000, 10]),
		manifest(2_000, { request: "2", segments: second, last: { segments: first }, reasons: [], warm: true }),
		answer(3_000, [5_000, 100, 10]),
	]);
	const report = reportCache(state, prices);
	assert.deepEqual(report.breaks, []);
	assert.deepEqual([report.requests, report.answered], [2, 2]);
	assert.deepEqual(report.reported, { read: 5_000, write: 5_100, input: 20 });
	assert.equal(report.hitShare, 0.4941);
	assert.ok(report.predictedShare !== null && report.predictedShare > 0.49);
});

test("where the provider has no cache, a change costs nothing again", () => {
	const state = fold([
		manifest(0, { request: "1", segments: second, reasons: [], warm: true }),
		answer(1_000, [0, 0, 10_000]),
		manifest(2_000, { request: "2", segments: changed, last: { segments: second }, reasons: ["sealed"], warm: true }),
		answer(3_000, [0, 0, 10_000]),
		answer(4_000, [0, 0, 10_000]),
	]);
	const { breaks } = reportCache(state, prices);
	assert.deepEqual(
		breaks.map(({ kind, tokens }) => [kind, tokens]),
		[["changed", 0]],
	);
});

test("bytes that changed are a break: explained by its reasons, or flagged", () => {
	const last = { segments: second };
	const state = fold([
		manifest(0, { request: "1", segments: second, reasons: [], warm: true }),
		manifest(1, { request: "2", segments: changed, last, reasons: ["redact", "seal"], warm: true, model: "m" }),
		manifest(2, { request: "3", segments: second, last: { segments: changed }, reasons: [], warm: true }),
	]);
	const report = reportCache(state, prices);
	assert.deepEqual([report.changed, report.missed, report.unexplained], [2, 0, 1]);
	assert.deepEqual(
		report.breaks.map(({ kind, segment, byte, cause, explained, model }) => ({
			kind,
			segment,
			byte,
			cause,
			explained,
			model,
		})),
		[
			{ kind: "changed", segment: "tail", byte: 26, cause: "no reason was given", explained: false, model: null },
			{ kind: "changed", segment: "tail", byte: 26, cause: "redact; seal", explained: true, model: "m" },
		],
	);
});

test("the provider's miss after a break that we know is not counted again", () => {
	const last = { segments: second };
	const state = fold([
		manifest(0, { request: "1", segments: second, reasons: [], warm: true }),
		answer(1, [0, 8_000, 1]),
		manifest(2, { request: "2", segments: changed, last, reasons: ["seal"], warm: true }),
		answer(3, [0, 8_000, 1]),
	]);
	const report = reportCache(state, prices);
	assert.deepEqual([report.changed, report.missed], [1, 0]);
});

test("a miss is told by the usage alone where there is no manifest, with the likeliest cause", () => {
	const report = reportCache(
		fold([
			answer(0, [0, 20_000, 5]),
			answer(MINUTE, [20_000, 1_000, 5]),
			answer(20 * MINUTE, [0, 22_000, 5]),
			answer(21 * MINUTE, [0, 22_500, 5]),
			answer(22 * MINUTE, [0, 5_000, 5]),
			answer(23 * MINUTE, [0, 6_000, 5], { model: "n" }),
		]),
		prices,
	);
	assert.equal(report.requests, 6);
	assert.deepEqual(
		report.breaks.map(({ tokens, cause }) => [tokens, cause]),
		[
			[5_000, "another model (m before)"],
			[5_005, "the host made its history shorter"],
			[22_000, "changed by the host, or lost by the provider"],
			[21_000, "19m since the last answer"],
		],
	);
	assert.deepEqual([report.missed, report.unexplained, report.lostTokens], [4, 0, 53_005]);
});

test("a miss after the agent loaded more tools names them as its cause", () => {
	const load = [{ type: "toolCall", id: "t1", name: "ToolSearch", arguments: { query: "select:WebFetch" } }];
	const report = reportCache(
		fold([
			answer(0, [0, 20_000, 5]),
			answer(MINUTE, [20_000, 1_000, 5], { content: load }),
			answer(2 * MINUTE, [3_000, 19_000, 5]),
			answer(3 * MINUTE, [0, 23_000, 5]),
		]),
		prices,
	);
	assert.deepEqual(
		report.breaks.map(({ state, cause }) => [state, cause]),
		[
			["broken", "changed by the host, or lost by the provider"],
			["broken", "the agent loaded more tools (ToolSearch)"],
		],
	);
});

test("a request whose bytes were the same and that still was not read is the provider's miss", () => {
	const report = reportCache(
		fold([
			answer(0, [0, 20_000, 5]),
			manifest(MINUTE, { request: "1", segments: first, reasons: [], warm: true }),
			answer(MINUTE, [0, 20_500, 5]),
		]),
		prices,
	);
	assert.equal(report.breaks[0]?.cause, "the bytes were the same; the provider did not find them");
});

test("one answer in several lines counts once", () => {
	const usage = { input_tokens: 5, cache_read_input_tokens: 10 };
	const message = { id: "msg_1", role: "assistant", content: [], usage };
	const line = event("Message", { role: "assistant", form: "anthropic", raw: { type: "assistant", message } });
	assert.deepEqual(reportCache(fold([line, line, line]), prices).reported, { read: 10, write: 0, input: 5 });
});

test("sessions are kept apart", () => {
	const [first, other, last] = recordsOf([
		answer(0, [0, 20_000, 5]),
		answer(1, [0, 30_000, 5]),
		answer(2, [20_000, 10, 5]),
	]);
	const state = foldRecords(ledgerFold, [first!, { ...other!, session: "s2" }, last!]);
	assert.equal(reportCache(state, prices).missed, 0);
	assert.equal(reportCache(state, prices, { session: "s2" }).requests, 1);
});

test("a break costs what writing costs more than reading", () => {
	const short = { isLong: false };
	assert.deepEqual(priceBreak(100_000, PRICES, short), { units: 115_000, dollars: 0.46 });
	assert.deepEqual(priceBreak(100_000, PRICES, { isLong: true }), { units: 190_000, dollars: 0.76 });
	assert.deepEqual(priceBreak(100, { ...PRICES, read: 0.5, write: 0.2 }, short), { units: 0, dollars: 0 });
});

test("the list of breaks is bounded, the sums are not", () => {
	const records = Array.from({ length: 500 }, (_, at) => answer(at * 10 * MINUTE, [0, 10_000, 5]));
	const report = reportCache(fold(records), prices);
	assert.deepEqual([report.missed, report.breaks.length, report.lostTokens], [499, 200, 4_990_000]);
});

test("a seal below a step of the price says what it saved, beside the break that it paid", () => {
	const arithmetic = { regret: 0, price: 36_100, floor: 20_000, stepSaved: 40_400 };
	const seal = { from: "x", why: "step", arithmetic, tokensBefore: 96_000, tokensAfter: 15_000, left: 9, sections: [] };
	const last = { segments: second };
	const report = reportCache(
		fold([
			manifest(0, { request: "1", segments: second, reasons: [], warm: true, model: "m" }),
			event("Seal", seal, { ts: 1 }),
			manifest(2, { request: "2", segments: changed, last, reasons: ["sealed: step"], warm: true, model: "m" }),
			manifest(3, { request: "3", segments: second, last: { segments: changed }, reasons: ["x"], warm: true }),
		]),
		prices,
	);
	assert.deepEqual([report.stepSavedUnits, report.stepSavedDollars], [40_400, 0.1616]);
	assert.deepEqual(
		report.breaks.map(({ cause, stepSaved }) => [cause, stepSaved]),
		[
			["x", undefined],
			["sealed: step", 40_400],
		],
	);
});

test("an event of a newer version is passed over", () => {
	const newer = foreignEvent("Request", { anything: 1 }, { v: 2 });
	assert.equal(reportCache(fold([newer]), prices).requests, 0);
});

test("tools and system are compared with the session's request before, also over a resume, and weft is named where it was the cause", () => {
	const part = (name: string, text: string, tokens: number) => ({ name, bytes: 4 * tokens, tokens, sha256: text });
	const request = (
		n: number,
		tools: string,
		system: string,
		head: { weft: string; agent: string } | undefined,
		more = {},
	) => {
		const segments = [part("tools", tools, 4_000), part("system", system, 3_000), part("tail", `t${n}`, 20_000 + n)];
		return event(
			"Request",
			{
				...makeManifest({ request: String(n), segments: [], reasons: [], warm: true, model: "m" }),
				...{ segments, head, ...more },
			},
			{ ts: n * MINUTE },
		);
	};
	const [own, newer] = [
		{ weft: "w1", agent: "a1" },
		{ weft: "w2", agent: "a1" },
	];
	const report = reportCache(
		fold([
			request(1, "t1", "s1", own),
			answer(1 * MINUTE, [0, 27_000, 5]),
			request(2, "t1", "s1", own),
			request(3, "t2", "s1", newer),
			answer(3 * MINUTE, [0, 27_000, 5]),
			request(
				4,
				"t2",
				"s2",
				{ weft: "w2", agent: "a2" },
				{
					difference: { segment: "tools", byte: 0, tokens: 27_000 },
					reasons: ["the host changed what it had sent"],
				},
			),
			request(5, "t3", "s2", undefined),
			// A part that is not known says nothing.
			request(6, "t3", "s2", own, { segments: [part("tail", "x", 9)] }),
			answer(6 * MINUTE, [27_000, 10, 5]),
			request(40, "t4", "s9", own),
		]),
		prices,
	);
	assert.deepEqual(
		report.breaks.map(({ kind, segment, byte, tokens, cause, explained }) => [
			kind,
			segment,
			byte,
			tokens,
			cause,
			explained,
		]),
		[
			["changed", "tools", 0, 27_004, "weft or the agent changed the tools", true],
			["changed", "system", 16_000, 23_003, "the agent changed the system prompt", true],
			["changed", "tools", 0, 27_002, "weft changed the tools", true],
		],
	);
	assert.deepEqual([report.changed, report.missed, report.unexplained], [3, 0, 0]);
});

test("says of each miss which state it is, and how long the pause before it was", () => {
	const state = ledgerFold.initial();
	const records = recordsOf([
		answer(0, [0, 20_000, 5]),
		answer(20 * MINUTE, [0, 22_000, 5]),
		answer(21 * MINUTE, [0, 20_000, 5]),
		answer(22 * MINUTE, [0, 21_000, 5], { model: "n" }),
		answer(23 * MINUTE, [0, 22_000, 5], { model: "n" }),
	]);
	for (const [at, record] of records.entries()) {
		if (at === 2) noteCompaction(state, record);
		ledgerFold.step(state, record);
	}
	assert.deepEqual(
		reportCache(state, prices).breaks.map(({ state, pauseMs }) => [state, pauseMs]),
		[
			["broken", MINUTE],
			["model", MINUTE],
			["compaction", MINUTE],
			["cold", 20 * MINUTE],
		],
	);
});

test("tokens that are kept for an hour are priced as such when they are paid again", () => {
	assert.deepEqual(priceBreak(100_000, PRICES, { isLong: true }), { units: 190_000, dollars: 0.76 });
});
