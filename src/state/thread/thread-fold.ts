/**
 * Folds the thread of each session: the user's words with what became of them. Deterministic, bounded by bytes: where the
 * oldest requests outgrow their room, they lose their details first, never their words.
 */

import { asObject, asText } from "../../base/json/read.ts";
import { cutMiddle, cutStart } from "../../base/text/cut.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { emptyRecent, getKey, getRecent, putRecent, setKey, touch } from "../../log/fold/keyed.ts";
import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { userWords } from "../../message/user-words.ts";
import { type CallBlock, type MessageView, messageText, type ResultBlock, viewMessage } from "../../message/view.ts";
import { isDecision, isFinding, isPromise } from "./cues.ts";
import { createdTask, listedPlan, MAX_PLAN_ITEMS, updateTask } from "./plan-items.ts";
import { proofsIn } from "./proofs.ts";
import { sentencesOf } from "./sentences.ts";
import { shortenPastes } from "./user-prose.ts";
import type { SessionThread, ThreadOrder, ThreadState } from "./thread.ts";

const MAX_SESSIONS = 20;
const MAX_ORDER_BYTES = 12_000;
const MAX_OUTCOME_BYTES = 4_000;
const MAX_STATEMENT_CHARS = 300;
const MAX_STATEMENTS = 120;
const MAX_SESSION_STATEMENTS = 900;
const MAX_ORDERS = 400;
const MAX_PROOFS = 12;
const MAX_FILES = 40;
const MAX_FAILED_FORMS = 40;
const MAX_SUMMARY_BYTES = 12_000;

export const threadFold: StateFold<ThreadState> = {
	name: "thread",
	version: 1,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		const step = getKey(STEPS, record.type);
		if (!step) return;
		const thread = getRecent(state.sessions, record.session) ?? newThread();
		step(thread, record);
		putRecent(state.sessions, record.session, thread, MAX_SESSIONS);
	},
};

function newThread(): SessionThread {
	return { orders: [], plan: [], failedForms: [], approved: null, ruleFiles: [], summary: null, afterResult: false, waiting: {} };
}

const STEPS: Readonly<Record<string, (thread: SessionThread, record: EventRecord) => void>> = {
	Message(thread, record) {
		const view = viewMessage(record.payload);
		if (view.role === "assistant") return answered(thread, record, view);
		if (view.role === "compactionSummary") {
			const text = view.shown ?? messageText(view);
			thread.summary = { handle: handleOf(record), text: cutMiddle(text, MAX_SUMMARY_BYTES, handleOf(record)) };
			return;
		}
		for (const block of view.blocks) {
			if (block.kind === "result") resulted(thread, record, block);
		}
		if (view.role === "user" && !view.injected) asked(thread, record, userWords(messageText(view)), "message");
	},
	FileChanged(thread, { payload }) {
		const path = textIn(payload, "path");
		const order = thread.orders.at(-1);
		if (order && path !== null) touch(order.changed, path, MAX_FILES);
	},
	CommandRun(thread, record) {
		const { payload, seq } = record;
		const command = textIn(payload, "command") ?? "";
		const output = getKey(thread.waiting, `output ${textIn(payload, "callId") ?? ""}`)?.subject ?? "";
		const order = thread.orders.at(-1);
		if (order) {
			for (const proof of proofsIn(command, output, seq)) {
				if (order.proofs.some(({ text }) => text === proof.text)) continue;
				order.proofs.push(proof);
				if (order.proofs.length > MAX_PROOFS) order.proofs.shift();
			}
		}
		noteForm(thread, record, command, output, numberIn(payload, "exit"));
	},
};

function asked(thread: SessionThread, record: EventRecord, words: string, via: ThreadOrder["via"]): void {
	if (words === "") return;
	const handle = handleOf(record);
	thread.orders.push({
		handle,
		seq: record.seq,
		text: cutMiddle(shortenPastes(words), MAX_ORDER_BYTES, handle),
		via,
		statements: [],
		outcome: null,
		proofs: [],
		changed: [],
	});
	thread.afterResult = true;
	bound(thread);
}

function answered(thread: SessionThread, record: EventRecord, view: MessageView): void {
	if (view.stopReason === "aborted" || view.stopReason === "error") return;
	const text = messageText(view).trim();
	const order = thread.orders.at(-1);
	if (text !== "" && order) {
		const handle = handleOf(record);
		order.outcome = { handle, text: cutMiddle(text, MAX_OUTCOME_BYTES, handle) };
		for (const sentence of statementsIn(text)) order.statements.push({ seq: record.seq, text: sentence });
		if (order.statements.length > MAX_STATEMENTS) order.statements.splice(0, order.statements.length - MAX_STATEMENTS);
	}
	for (const block of view.blocks) {
		if (block.kind === "call") called(thread, record, block);
	}
}

/** The opening of an answer, and the sentences in it that say a finding, a choice or what is left. */
function statementsIn(text: string): string[] {
	const sentences = sentencesOf(text);
	const opening: string[] = [];
	for (const sentence of sentences.slice(0, 2)) {
		if (opening.length > 0 && opening.join(" ").length + sentence.length > MAX_STATEMENT_CHARS) break;
		opening.push(sentence);
	}
	const telling = sentences
		.slice(opening.length)
		.filter((sentence) => sentence.length > 20 && (isFinding(sentence) || isDecision(sentence) || isPromise(sentence)))
		.slice(0, MAX_TELLING);
	return [opening.join(" "), ...telling].map((each) => cutStart(each, MAX_STATEMENT_CHARS));
}

const MAX_TELLING = 4;

function called(thread: SessionThread, record: EventRecord, { id, tool, input }: CallBlock): void {
	const fields = asObject(input) ?? {};
	const listed = listedPlan(fields, record.seq, thread.plan);
	if (listed) thread.plan = listed;
	updateTask(thread.plan, tool, fields, record.seq);
	const subject = createdTask(tool, fields) ?? null;
	const plan = asText(fields["plan"]);
	if (plan !== undefined) {
		const handle = handleOf(record);
		thread.approved = { handle, text: cutMiddle(plan, MAX_ORDER_BYTES, handle) };
	}
	const command = asText(fields["command"]) ?? asText(fields["cmd"]);
	const path = asText(fields["file_path"]) ?? asText(fields["path"]) ?? asText(fields["filePath"]) ?? command;
	const rules = path !== undefined && RULE_FILE.test(path) && !/write|edit|patch/i.test(tool) ? RULE_FILE.exec(path)?.[0] : undefined;
	if (subject !== null || command !== undefined || rules !== undefined) {
		setKey<SessionThread["waiting"][string]>(thread.waiting, id, { tool, subject, path: rules });
	}
}

const RULE_FILE = /(?:[\w./~-]*\/)?(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|CONVENTIONS|\.cursorrules|copilot-instructions)[\w.-]*(?:\.mdc?)?\b/;
const RULE_LINE =
	/\b(?:never|always|must|do not|don't|should(?: not)?|only|avoid|prefer|use|required?|before|unless|without|ensure|make sure|keep|under \d+|no )\b|(?:必ず|禁止|しない|すること|してはいけない|必须|不要|禁止|总是|请勿|항상|절대|하지|금지|반드시|immer|niemals|nie|nicht|muss|siempre|nunca|debe|toujours|jamais)/i;
const MAX_RULE_LINES = 60;

function ruleLines(text: string): string[] {
	return text
		.split("\n")
		.map((line) => line.replace(/^\s*\d+(?:→|\t)/, "").trim())
		.filter((line) => line.length > 14 && line.length < 400 && !/^[|`#{}<]/.test(line) && RULE_LINE.test(line))
		.slice(0, MAX_RULE_LINES);
}

/** Words that the user typed when a call was refused. */
const REFUSED = /the user said:\s*\n?([\s\S]+)$/i;
const DIALOG = /^User has answered your questions?:/i;

function resulted(thread: SessionThread, record: EventRecord, { callId, text }: ResultBlock): void {
	thread.afterResult = true;
	const call = getKey(thread.waiting, callId);
	delete thread.waiting[callId];
	const id = /^Task #(\w+) created/.exec(text)?.[1];
	if (call?.subject && id !== undefined) {
		thread.plan.push({ id, text: call.subject, state: "open", seq: record.seq });
		if (thread.plan.length > MAX_PLAN_ITEMS) thread.plan.shift();
	}
	if (call?.path !== undefined) {
		const { path } = call;
		const lines = ruleLines(text);
		thread.ruleFiles = thread.ruleFiles.filter((each) => each.path !== path).slice(-5);
		if (lines.length > 0) thread.ruleFiles.push({ path, handle: handleOf(record), lines });
	}
	for (const key of Object.keys(thread.waiting)) if (key.startsWith("output ")) delete thread.waiting[key];
	setKey<SessionThread["waiting"][string]>(thread.waiting, `output ${callId}`, { tool: "", subject: text.slice(-40_000) });
	if (/^The user doesn't want to/.test(text)) {
		const words = REFUSED.exec(text)?.[1]?.trim() ?? "";
		asked(thread, record, words, "refusal");
	} else if (DIALOG.test(text)) asked(thread, record, text.replace(/ ?You can now continue with the user's answers in mind\.?$/, ""), "answer");
}

const ERROR = /\b(?:error|fail(?:ed|ure)?|cannot|can't|not found|denied|undefined|panic|exception|refused|no such|unknown|invalid|fatal|unable|ENOENT|404)\b/i;

function noteForm(thread: SessionThread, record: EventRecord, command: string, output: string, exit: number | null): void {
	const program = programOf(command);
	if (program === "") return;
	const isFailed = exit !== null && exit !== 0;
	if (!isFailed) {
		for (const form of thread.failedForms) {
			if (form.works === null && programOf(form.command) === program && form.command !== command) {
				form.works = cutStart(command.replace(/\s+/g, " "), 300);
			}
		}
		return;
	}
	const line = output.split("\n").find((each) => ERROR.test(each)) ?? output.trim().split("\n").at(-1) ?? "";
	const form = {
		seq: record.seq,
		handle: handleOf(record),
		command: cutStart(command.replace(/\s+/g, " "), 300),
		error: cutStart(line.trim(), 240),
		works: null,
	};
	const same = thread.failedForms.findIndex((each) => each.command === form.command && each.error === form.error);
	if (same !== -1) thread.failedForms.splice(same, 1);
	thread.failedForms.push(form);
	if (thread.failedForms.length > MAX_FAILED_FORMS) thread.failedForms.shift();
}

function programOf(command: string): string {
	return /^(?:cd [^&;|]+(?:&&|;)\s*)?((?:[\w./-]+)(?: [\w:-]+)?)/.exec(command.trim())?.[1] ?? "";
}

/** The oldest requests lose statements first, then files and proofs. */
function bound(thread: SessionThread): void {
	if (thread.orders.length > MAX_ORDERS) thread.orders.splice(1, 1);
	let count = thread.orders.reduce((sum, { statements }) => sum + statements.length, 0);
	for (const order of thread.orders) {
		if (count <= MAX_SESSION_STATEMENTS) return;
		const kept = order.statements.filter((_, at) => at % 2 === 1);
		count -= order.statements.length - kept.length;
		order.statements = kept;
	}
}
