/** The plan as agents keep it in their tools: whole lists, or one task at a time. */
import { asList, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import { isRequest } from "../session/intent.ts";
import { isQuestion } from "./cues.ts";
import { isDelivery, isReply } from "./governing-task.ts";
import type { PlanItem, Proof, SessionThread } from "./thread.ts";

const MAX_ITEM_CHARS = 400;
export const MAX_PLAN_ITEMS = 80;

interface PlanChange {
	readonly seq: number;
	readonly handle: string;
	/** The newest proof of the session that still holds. */
	readonly proof: Proof | null;
	/** When a file of the project changed last. */
	readonly changedAt: number;
}

interface ListedItem {
	readonly text: string;
	readonly state: PlanItem["state"];
}

/** The whole list in a call, in the form of any agent; empty: the call holds none. */
export function listedInCall(input: JsonObject): ListedItem[] {
	for (const key of ["todos", "plan", "items", "tasks"]) {
		const list = asList(input[key]);
		const items = list.flatMap((given) => listedItem(asObject(given)));
		if (items.length > 0 && items.length === list.length) return items;
	}
	return [];
}

function listedItem(fields: JsonObject | undefined): ListedItem[] {
	const text = ["content", "step", "text", "title", "subject", "description"]
		.map((key) => asText(fields?.[key]))
		.find((each) => each !== undefined && each.trim() !== "");
	const status = asText(fields?.["status"]);
	return text === undefined || status === undefined ? [] : [{ text, state: stateOf(status) }];
}

const BOX = /^\s*(?:[-*+]|\d+[.)]) \[([ xX~-])\] (.+)/;

/** The check boxes in a text of the agent. */
export function listedInText(text: string): ListedItem[] {
	if (!text.includes("] ")) return [];
	const items = text.split("\n").flatMap((line): ListedItem[] => {
		const [, box, words] = BOX.exec(line) ?? [];
		if (box === undefined || words === undefined) return [];
		return [{ text: words.trim(), state: box === " " ? "open" : box === "~" || box === "-" ? "doing" : "done" }];
	});
	return items.length < 2 ? [] : items;
}

/** Items keep their proof and the moment of their last change. */
export function updatedPlan(known: readonly PlanItem[], listed: readonly ListedItem[], change: PlanChange): PlanItem[] {
	return listed.slice(0, MAX_PLAN_ITEMS).map(({ text, state }) => {
		const id = cutStart(text, MAX_ITEM_CHARS);
		const before = known.find((item) => item.text === id);
		if (before?.state === state) return { ...before, handle: change.handle };
		return { id, text: id, handle: change.handle, state, seq: change.seq, ...doneWith(id, before, state, change) };
	});
}

/** A proof counts for an item if it came after the item was begun and files changed for it. */
function doneWith(
	text: string,
	before: PlanItem | undefined,
	state: PlanItem["state"],
	{ proof, changedAt }: PlanChange,
): Pick<PlanItem, "proof" | "hasChanges"> {
	if (state !== "done" || !before) return { proof: null, hasChanges: false };
	const hasChanges = changedAt > before.seq;
	const isOwn = proof !== null && proof.seq > before.seq && mayProve(proof, { text, hasChanges });
	return { proof: isOwn ? proof : null, hasChanges };
}

/** Items that are themselves a run, a commit or a push. */
const NAMED_WORK: Readonly<Partial<Record<Proof["kind"], RegExp>>> = {
	tests: /\b(?:tests?|specs?|suite|checks?|verify)\b|テスト|检查|测试|테스트|prüf|prueba/iu,
	commit: /\bcommit|コミット|提交|커밋/iu,
	push: /\bpush|プッシュ|推送|푸시/iu,
	"pull-request": /\b(?:pr|pull request|merge request)\b|プルリク|풀 ?리퀘/iu,
	release: /\b(?:release|publish)|リリース|发布|배포/iu,
};

/** Nothing changed for a question that was looked into, so no test run and no commit is about it. */
export function mayProve({ kind }: Proof, { text, hasChanges }: Pick<PlanItem, "text" | "hasChanges">): boolean {
	return hasChanges || (NAMED_WORK[kind]?.test(text) ?? false);
}

function stateOf(status: string): PlanItem["state"] {
	if (/^(?:completed?|done|finished)$/i.test(status)) return "done";
	if (/^(?:in[_ -]?progress|doing|active|started)$/i.test(status)) return "doing";
	return /^(?:deleted|cancell?ed|dropped|abandoned|skipped)$/i.test(status) ? "dropped" : "open";
}

/** The item of a call that makes one task. Its id comes with the result. */
export function createdTask(tool: string, input: JsonObject): { subject: string; detail?: string } | undefined {
	const subject = /^task_?create$/i.test(tool) ? asText(input["subject"]) : undefined;
	if (subject === undefined) return undefined;
	const detail = asText(input["description"]);
	return detail === undefined ? { subject } : { subject, detail: cutStart(detail, MAX_ITEM_CHARS) };
}

export function updateTask(plan: readonly PlanItem[], tool: string, input: JsonObject, change: PlanChange): void {
	if (!/^task_?update$/i.test(tool)) return;
	const item = plan.find(({ id }) => id === asText(input["taskId"]));
	const status = asText(input["status"]);
	if (!item || status === undefined) return;
	const state = stateOf(status);
	Object.assign(item, doneWith(item.text, item, state, change));
	item.state = state;
	item.seq = change.seq;
}

/** What the agent began last and has not ended; else the first item that is open. */
export function currentItem<Item extends Pick<PlanItem, "state" | "seq">>(plan: readonly Item[]): Item | undefined {
	const doing = plan.filter(({ state }) => state === "doing");
	const newest = Math.max(-1, ...doing.map(({ seq }) => seq));
	return doing.find(({ seq }) => seq === newest) ?? plan.find(({ state }) => state === "open");
}

/** False: newer requests have replaced the plan, and the agent has not touched it since. A side question and "commit" replace none. */
export function isPlanInWork({ plan, orders }: Pick<SessionThread, "plan" | "orders">): boolean {
	const touched = Math.max(-1, ...plan.map(({ seq }) => seq));
	return !orders.some(
		({ seq, text, via }, at) =>
			seq > touched &&
			(via === "message" || via === "parent") &&
			isRequest(text) &&
			!isQuestion(text.trim()) &&
			!isDelivery(text) &&
			!isReply(text, orders[at - 1]),
	);
}
