/**
 * Which result belongs to which call? By id; where an id is used twice, to the newest call before the result; where the
 * result was stored before its call, to the first one. A real result beats a stand-in, whichever comes first.
 */
import { createHash } from "node:crypto";
import { isStandIn, type WireResult } from "./form/format.ts";
import type { Placed } from "./validity.ts";

export interface CallPlan {
	/** As it will be sent: a second call of the same id gets another. */
	readonly id: string;
	readonly tool: string;
	/** undefined: none was recorded. */
	readonly result?: WireResult;
}

interface Waiting {
	readonly view: Placed;
	readonly tool: string;
	id: string;
	/** As the history has it; results name it. */
	name: string;
	result: WireResult | undefined;
}

export function planCalls(views: readonly Placed[]): {
	readonly calls: ReadonlyMap<Placed, readonly CallPlan[]>;
	readonly repairs: readonly string[];
} {
	const repairs: string[] = [];
	const waiting = nameCalls(views, repairs);
	assignResults(views, waiting, repairs);
	for (const call of waiting) {
		if (!call.result) repairs.push(`made a result for the call '${call.name}', which has none`);
	}
	const calls = Map.groupBy(waiting, ({ view }) => view);
	const plans = new Map<Placed, readonly CallPlan[]>();
	for (const [view, list] of calls) plans.set(view, list.map(toPlan));
	return { calls: plans, repairs };
}

function nameCalls(views: readonly Placed[], repairs: string[]): Waiting[] {
	const used = new Set(views.flatMap(({ calls }) => calls.map(({ id }) => id)));
	const seen = new Set<string>();
	return views.flatMap((view, index) => {
		const unnamed = view.calls.some(({ id }) => id === "");
		const orphans = unnamed ? orphanIds(views, index, used) : [];
		return view.calls.map((call, nth): Waiting => {
			const name = call.id === "" ? (orphans.shift() ?? inventId(view.at, call.tool, nth)) : call.id;
			if (call.id === "") repairs.push(`gave the call of '${call.tool}' in message ${view.at} the id '${name}'`);
			const id = seen.has(name) ? freeId(name, used, seen) : name;
			if (id !== name) repairs.push(`renamed the second call '${name}' to '${id}'`);
			seen.add(name).add(id);
			return { view, tool: call.tool, id, name, result: undefined };
		});
	});
}

/** Ids that the results right behind a message name and no call has: those of its calls without one. */
function orphanIds(views: readonly Placed[], index: number, used: ReadonlySet<string>): string[] {
	const ids: string[] = [];
	for (let at = index + 1; views[at]?.role === "result"; at++) {
		for (const { callId } of views[at]!.results) if (callId !== "" && !used.has(callId)) ids.push(callId);
	}
	return ids;
}

function assignResults(views: readonly Placed[], waiting: readonly Waiting[], repairs: string[]): void {
	const byName = Map.groupBy(waiting, ({ name }) => name);
	for (const view of views) {
		for (const result of view.results) {
			const calls = byName.get(result.callId) ?? [];
			const call = calls.findLast((each) => each.view.at < view.at) ?? calls[0];
			if (!call) repairs.push(`left out a result of '${result.callId}', which nothing called`);
			else if (!call.result || (isStandIn(call.result) && !isStandIn(result))) call.result = result;
			else repairs.push(`left out a second result of '${result.callId}'`);
		}
	}
}

function toPlan({ id, tool, result }: Waiting): CallPlan {
	return result ? { id, tool, result } : { id, tool };
}

function freeId(name: string, used: ReadonlySet<string>, seen: ReadonlySet<string>): string {
	for (let copy = 2; ; copy++) {
		const id = `${name}_${copy}`;
		if (!used.has(id) && !seen.has(id)) return id;
	}
}

function inventId(at: number, tool: string, nth: number): string {
	return `call_${createHash("sha256").update(`${at} ${tool} ${nth}`).digest("hex").slice(0, 16)}`;
}
