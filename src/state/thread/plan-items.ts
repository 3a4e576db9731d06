/** The plan as agents keep it in their tools: whole lists, or one task at a time. */
import { asList, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import type { PlanItem } from "./thread.ts";

const MAX_ITEM_CHARS = 400;
export const MAX_PLAN_ITEMS = 80;

/** The whole list in a call, in the form of any agent; undefined: the call holds none. */
export function listedPlan(input: JsonObject, seq: number, known: readonly PlanItem[]): PlanItem[] | undefined {
	for (const key of ["todos", "plan", "items", "tasks"]) {
		const list = asList(input[key]);
		const items = list.flatMap((given) => listedItem(asObject(given), seq, known));
		if (items.length > 0 && items.length === list.length) return items.slice(0, MAX_PLAN_ITEMS);
	}
	return undefined;
}

function listedItem(fields: JsonObject | undefined, seq: number, known: readonly PlanItem[]): PlanItem[] {
	const text = ["content", "step", "text", "title", "subject", "description"]
		.map((key) => asText(fields?.[key]))
		.find((each) => each !== undefined && each.trim() !== "");
	const status = asText(fields?.["status"]);
	if (text === undefined || status === undefined) return [];
	const state = stateOf(status);
	const id = cutStart(text, MAX_ITEM_CHARS);
	const before = known.find((item) => item.id === id);
	return [{ id, text: id, state, seq: before?.state === state ? before.seq : seq }];
}

export function stateOf(status: string): PlanItem["state"] {
	if (/^(?:completed?|done|finished)$/i.test(status)) return "done";
	if (/^(?:in[_ -]?progress|doing|active|started)$/i.test(status)) return "doing";
	return /^(?:deleted|cancell?ed|dropped|abandoned|skipped)$/i.test(status) ? "dropped" : "open";
}

/** The item of a call that makes one task. Its id comes with the result. */
export function createdTask(tool: string, input: JsonObject): string | undefined {
	return /^task_?create$/i.test(tool) ? asText(input["subject"]) : undefined;
}

export function updateTask(plan: readonly PlanItem[], tool: string, input: JsonObject, seq: number): void {
	if (!/^task_?update$/i.test(tool)) return;
	const item = plan.find(({ id }) => id === asText(input["taskId"]));
	const status = asText(input["status"]);
	if (!item || status === undefined) return;
	item.state = stateOf(status);
	item.seq = seq;
}
