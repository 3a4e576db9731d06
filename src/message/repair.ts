/**
 * Makes a history that a host has damaged (a crash between call and result, an aborted turn, an id used twice) sendable
 * again. Deterministic: the same history yields the same bytes. What is valid comes back untouched; what is left out here is
 * left out of the prompt alone.
 */
import type { JsonObject } from "../json/read.ts";
import type { FormatName, PlacedResult } from "./form/format.ts";
import { formatOf } from "./form/formats.ts";
import { type CallPlan, planCalls } from "./plan-calls.ts";
import { checkRequest, type Placed, type Rule, readRequest } from "./validity.ts";

export interface Repaired {
	readonly messages: readonly unknown[];
	/** What was done, for the log. */
	readonly repairs: readonly string[];
}

const REPAIRABLE: ReadonlySet<Rule> = new Set<Rule>([
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

export function repairRequest(messages: readonly unknown[], format: FormatName): Repaired {
	const views = readRequest(messages, format);
	const unsent = messages.length - views.length;
	const broken = checkRequest(messages, format).some(({ rule }) => REPAIRABLE.has(rule));
	if (!broken && unsent === 0) return { messages, repairs: [] };
	const repairs: string[] = unsent > 0 ? [`left out ${unsent} that the host does not send`] : [];
	const plan = planCalls(views);
	repairs.push(...plan.repairs);
	const rebuilt = views.flatMap((view) => rebuild(view, plan.calls, format, repairs));
	return { messages: withoutEnd(rebuilt, format, repairs), repairs };
}

function rebuild(
	view: Placed,
	calls: ReadonlyMap<Placed, readonly CallPlan[]>,
	format: FormatName,
	repairs: string[],
): readonly JsonObject[] {
	const wire = formatOf(format);
	if (view.role === "result") {
		const rest = wire.withoutResults(view.raw);
		return rest ? [rest] : [];
	}
	if (isEmpty(view)) {
		repairs.push(`left out the empty message ${view.at}`);
		return [];
	}
	if (view.role !== "assistant") return [view.raw];
	const signed = view.identified || !view.thinking.some((each) => each.signed);
	if (!signed) repairs.push(`took the signature off the thinking in message ${view.at}: its model is not known`);
	const message = signed ? view.raw : wire.unsigned(view.raw);
	const planned = calls.get(view) ?? [];
	if (planned.length === 0) return [message];
	const placed = planned.map(
		({ id, tool, result }): PlacedResult => ({ callId: id, tool, message, ...(result ? { result } : {}) }),
	);
	return [
		wire.withCallIds(
			message,
			planned.map(({ id }) => id),
		),
		...wire.results(placed),
	];
}

/** Some models refuse a request that ends with their own words. */
function withoutEnd(messages: readonly JsonObject[], format: FormatName, repairs: string[]): readonly JsonObject[] {
	const { read } = formatOf(format);
	let end = messages.length;
	while (end > 0 && read(messages[end - 1]!).role === "assistant") end--;
	if (end < messages.length) repairs.push("left out the assistant's message at the end");
	return messages.slice(0, end);
}

function isEmpty({ texts, thinking, calls, others }: Placed): boolean {
	return texts.every((text) => text.trim() === "") && thinking.length === 0 && calls.length === 0 && others === 0;
}
