/**
 * Makes a damaged history (a crash between call and result, an aborted turn, an id used twice) sendable again. Deterministic: the same
 * history gives the same bytes. A valid turn comes back untouched, so later damage does not change bytes that were sent before. Messages
 * that are left out here are left out of the prompt alone.
 */
import { sha256 } from "../base/hash/sha256.ts";
import type { JsonObject } from "../base/json/read.ts";
import { isStandIn, type PlacedResult } from "./dialect/form.ts";
import { formOf } from "./dialect/forms.ts";
import { checkRequest, type IndexedView, isSigned, type RequestRule, readRequest } from "./validity.ts";
import { callsOf, type Form, isEmpty, type ReadResult, readWire, resultsOf } from "./view.ts";

export interface Repaired {
	readonly messages: readonly unknown[];
	/** For the log. */
	readonly repairs: readonly string[];
}

const REPAIRABLE: ReadonlySet<RequestRule> = new Set<RequestRule>([
	"ends-with-assistant",
	"empty-content",
	"call-without-id",
	"call-without-result",
	"result-without-call",
	"duplicate-call-id",
	"duplicate-result",
	"result-not-first",
	"thinking-identity",
]);

export function repairRequest(messages: readonly unknown[], form: Form): Repaired {
	const placed = readRequest(messages, form);
	const unsent = messages.length - placed.length;
	const isBroken = checkRequest(messages, form).some(({ rule }) => REPAIRABLE.has(rule));
	if (!isBroken && unsent === 0) return { messages, repairs: [] };
	const repairs: string[] = unsent > 0 ? [`left out ${unsent} that the host does not send`] : [];
	const calls = planCalls(placed, repairs);
	const whole = wholeTurns(placed, calls);
	const rebuilt = placed.flatMap((each) => {
		const own = whole.has(each.at) ? [] : (calls.get(each.at) ?? []);
		const isKept = whole.has(each.at) && each.view.speaker === "result";
		return isKept ? [each.view.raw] : rebuild(each, own, form, repairs);
	});
	return { messages: withoutEnd(rebuilt, form, repairs), repairs };
}

function rebuild({ at, view }: IndexedView, calls: readonly CallPlan[], form: Form, repairs: string[]): JsonObject[] {
	const { withoutResults, unsigned, withCallIds, results } = formOf(form);
	if (view.speaker === "result") {
		const rest = withoutResults(view.raw);
		return rest ? [rest] : [];
	}
	if (isEmpty(view)) {
		repairs.push(`left out the empty message ${at}`);
		return [];
	}
	if (view.speaker !== "assistant") return [view.raw];
	const isUnknown = !view.isIdentified && isSigned(view);
	if (isUnknown) repairs.push(`took the signature off the thinking in message ${at}: its model is not known`);
	const message = isUnknown ? unsigned(view.raw) : view.raw;
	if (calls.length === 0) return [message];
	const ids = calls.map(({ id }) => id);
	const placed = calls.map(({ id, tool, result }): PlacedResult => ({ callId: id, tool, message, result }));
	return [withCallIds(message, ids), ...results(placed)];
}

/** Indices of the messages of whole turns, in which every call has its one result right after it. */
function wholeTurns(
	placed: readonly IndexedView[],
	calls: ReadonlyMap<number, readonly CallPlan[]>,
): ReadonlySet<number> {
	const whole = new Set<number>();
	for (const [index, { at, view }] of placed.entries()) {
		const planned = calls.get(at);
		if (!planned) continue;
		let end = index + 1;
		while (placed[end]?.view.speaker === "result") end++;
		const answers = placed.slice(index + 1, end);
		const given = answers.flatMap((each) => resultsOf(each.view));
		const isNamed = callsOf(view).every(({ id }, nth) => id === planned[nth]?.id);
		const isAnswered = planned.every(({ result }) => result !== undefined && given.includes(result));
		const hasMore = given.length > planned.length || answers.some((each) => each.view.hasLateResult);
		if (isNamed && isAnswered && !hasMore)
			for (const turnAt of [at, ...answers.map((each) => each.at)]) whole.add(turnAt);
	}
	return whole;
}

/** Some models refuse a request that ends with their own words. */
function withoutEnd(messages: readonly JsonObject[], form: Form, repairs: string[]): readonly JsonObject[] {
	let end = messages.length;
	while (end > 0 && readWire(messages[end - 1], form).speaker === "assistant") end--;
	if (end < messages.length) repairs.push("left out the assistant's message at the end");
	return messages.slice(0, end);
}

interface CallPlan {
	/** Index of its message. */
	readonly at: number;
	readonly tool: string;
	/** In the request: a second call with the same id gets a new one. */
	readonly id: string;
	/** In the history: results name it. */
	readonly name: string;
	/** undefined: none was recorded. */
	result: ReadResult | undefined;
}

/**
 * Which result belongs to which call? The id decides; for an id that is used twice, the newest call before the result; for a result that was
 * stored before its call, the first one. A real result beats a stand-in, whichever comes first.
 */
function planCalls(placed: readonly IndexedView[], repairs: string[]): ReadonlyMap<number, readonly CallPlan[]> {
	const calls = nameCalls(placed, repairs);
	assignResults(placed, calls, repairs);
	for (const { name, result } of calls) {
		if (!result) repairs.push(`made a result for the call '${name}', which has none`);
	}
	return Map.groupBy(calls, ({ at }) => at);
}

function nameCalls(placed: readonly IndexedView[], repairs: string[]): CallPlan[] {
	const used = new Set(placed.flatMap(({ view }) => callsOf(view).map(({ id }) => id)));
	const seen = new Set<string>();
	return placed.flatMap(({ at, view }, index) => {
		const own = callsOf(view);
		const orphans = own.some(({ id }) => id === "") ? orphanIds(placed, index, used) : [];
		return own.map((call, nth): CallPlan => {
			const name = call.id === "" ? (orphans.shift() ?? inventId(at, call.tool, nth)) : call.id;
			if (call.id === "") repairs.push(`gave the call of '${call.tool}' in message ${at} the id '${name}'`);
			const id = seen.has(name) ? freeId(name, used, seen) : name;
			if (id !== name) repairs.push(`renamed the second call '${name}' to '${id}'`);
			seen.add(name).add(id);
			return { at, tool: call.tool, id, name, result: undefined };
		});
	});
}

/** Ids in the results right after a message that no call has: they belong to its calls without an id. */
function orphanIds(placed: readonly IndexedView[], index: number, used: ReadonlySet<string>): string[] {
	const ids: string[] = [];
	for (const { view } of placed.slice(index + 1)) {
		if (view.speaker !== "result") break;
		for (const { callId } of resultsOf(view)) if (callId !== "" && !used.has(callId)) ids.push(callId);
	}
	return ids;
}

function assignResults(placed: readonly IndexedView[], calls: readonly CallPlan[], repairs: string[]): void {
	const byName = Map.groupBy(calls, ({ name }) => name);
	for (const { at, view } of placed) {
		for (const result of resultsOf(view)) {
			const named = byName.get(result.callId) ?? [];
			const call = named.findLast((each) => each.at < at) ?? named[0];
			if (!call) repairs.push(`left out a result of '${result.callId}', which nothing called`);
			else if (!call.result || (isStandIn(call.result) && !isStandIn(result))) call.result = result;
			else repairs.push(`left out a second result of '${result.callId}'`);
		}
	}
}

function freeId(name: string, used: ReadonlySet<string>, seen: ReadonlySet<string>): string {
	for (let copy = 2; ; copy++) {
		const id = `${name}_${copy}`;
		if (!used.has(id) && !seen.has(id)) return id;
	}
}

function inventId(at: number, tool: string, nth: number): string {
	return `call_${sha256(`${at} ${tool} ${nth}`).slice(0, 16)}`;
}
