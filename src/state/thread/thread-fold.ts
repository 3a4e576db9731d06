/**
 * Folds the thread of each session from its messages, without a model: the same log gives the same thread. Bounded by bytes: where
 * a session outgrows its room, the oldest requests lose details first and keep the beginning of their words.
 */

import { asObject, asText } from "../../base/json/read.ts";
import { cutMiddle, cutStart, cutWithEllipsis } from "../../base/text/cut.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { emptyRecent, getKey, getRecent, putRecent, setKey, touch } from "../../log/fold/keyed.ts";
import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { queueChangeIn } from "../../message/queued-words.ts";
import { stripRecalled } from "../../message/recall-tags.ts";
import { holdsSeed } from "../../message/seed-opening.ts";
import { summaryWords, userWords } from "../../message/user-words.ts";
import { type CallBlock, type MessageView, messageText, type ResultBlock, viewMessage } from "../../message/view.ts";
import { commandText } from "../session/shell-command.ts";
import {
	disprove,
	dropEditedDocument,
	dropUncommitted,
	learn,
	MAX_AWAITED,
	noteCheck,
	noteQuietCommit,
	noteSilentCheck,
	PROVING_ORDERS,
	runningCommand,
	toolOf,
} from "./call-results.ts";
import { isDecision, isFinding, isLeftOpen, isPromise, saysNotSo, saysTakenBack } from "./cues.ts";
import { dialogIn } from "./dialog-answers.ts";
import { noteFailedForm, noteWorkingForm } from "./failed-forms.ts";
import { movePhases, notePhases } from "./phases.ts";
import { createdTask, listedInCall, listedInText, updatedPlan, updateTask } from "./plan-items.ts";
import { isFailedRun } from "./proofs.ts";
import { noteChoices, noteRemarks } from "./remarks.ts";
import { ruleFileIn } from "./rule-files.ts";
import { sentencesOf } from "./sentences.ts";
import type { Proof, SessionThread, ThreadOrder, ThreadState } from "./thread.ts";
import { bound, shrinkOlder } from "./thread-bounds.ts";
import { applyThreadOps } from "./thread-ops-fold.ts";
import { shortenPastes } from "./user-prose.ts";

const MAX_SESSIONS = 200;
const MAX_ORDER_BYTES = 24_000;
const MAX_OUTCOME_BYTES = 4_000;
const MAX_STATEMENT_CHARS = 300;
const MAX_STATEMENTS = 120;
const MAX_COMMIT_CHARS = 3_000;
const MAX_TELLING = 4;
const MAX_FILES = 40;
const MAX_SUMMARY_BYTES = 12_000;
const MAX_QUEUED = 20;
const MAX_MARKS = 500;

export const threadFold: StateFold<ThreadState> = {
	name: "thread",
	version: 15,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		const step = getKey(STEPS, record.type);
		if (!step) return;
		const known = getRecent(state.sessions, record.session);
		const thread = known ?? newThread();
		step(thread, record);
		putRecent(state.sessions, record.session, thread, MAX_SESSIONS);
		if (!known) shrinkOlder(state);
	},
};

function newThread(): SessionThread {
	return {
		orders: [],
		orderCount: 0,
		remarks: [],
		corrections: [],
		plan: [],
		failedForms: [],
		approved: null,
		ruleFiles: [],
		summary: null,
		changedAt: -1,
		check: null,
		uncommitted: [],
		branch: null,
		phases: [],
		awaited: {},
		running: {},
		queued: [],
		written: [],
		closed: {},
		note: null,
		marks: {},
	};
}

const STEPS: Readonly<Record<string, (thread: SessionThread, record: EventRecord) => void>> = {
	Message(thread, record) {
		const view = viewMessage(record.payload);
		if (view.role === "assistant") return answered(thread, record, view);
		if (view.role === "compactionSummary") {
			const handle = handleOf(record);
			const text = summaryWords(view.shown ?? messageText(view));
			if (!holdsSeed(text))
				thread.summary = { seq: record.seq, handle, text: cutMiddle(text, MAX_SUMMARY_BYTES, handle) };
			return;
		}
		for (const block of view.blocks) {
			if (block.kind === "result") resulted(thread, record, block);
		}
		// What another agent asks of a sub-agent is its task, though no user said it.
		const isOrdered = view.injected && record.session.includes("/");
		if (view.role === "user" && (!view.injected || isOrdered))
			asked(thread, record, wordsIn(view, record.host), isOrdered ? "parent" : "message");
	},
	Entry(thread, record) {
		const change = queueChangeIn(record.payload["raw"]);
		if (!change) return;
		const waiting = thread.queued;
		if (change.kind === "typed") {
			waiting.push(change.words);
			if (waiting.length > MAX_QUEUED) waiting.shift();
		} else if (change.kind === "left") waiting.splice(0, change.all ? waiting.length : 1);
		else {
			const words = userWords(change.words ?? waiting.shift() ?? "", record.host);
			// An attachment follows the removal of the same words.
			if (words !== thread.orders.at(-1)?.text) asked(thread, record, words, "meanwhile");
		}
	},
	FileChanged(thread, { payload, seq }) {
		const path = textIn(payload, "path");
		if (path === null || textIn(payload, "actor") === "other") return;
		thread.changedAt = seq;
		if (thread.check) touch(thread.check.since, path, MAX_FILES);
		if (!NEVER_COMMITTED.test(path)) touch(thread.uncommitted, path, MAX_FILES);
		const order = thread.orders.at(-1);
		if (order) touch(order.changed, path, MAX_FILES);
		dropEditedDocument(thread, path);
	},
	CommandRun(thread, record) {
		const { payload } = record;
		const callId = textIn(payload, "callId") ?? "";
		const call = getKey(thread.awaited, callId);
		delete thread.awaited[callId];
		const exit = numberIn(payload, "exit");
		const command = textIn(payload, "command") ?? "";
		if (exit === null || command === "") return;
		const error = call?.error ?? "";
		if (exit === 0) {
			noteWorkingForm(thread, command, error);
			noteQuietCommit(thread, record, command);
			noteSilentCheck(thread, record, command);
		} else noteFailedForm(thread, record, command, { error });
	},
	TestStatus: noteCheck,
	ThreadOps: applyThreadOps,
	ThreadMark(thread, { payload }) {
		const [item, mark] = [textIn(payload, "item"), textIn(payload, "mark")];
		if (item === null) return;
		delete thread.marks[item];
		if (mark !== "pin" && mark !== "strike") return;
		setKey<"pin" | "strike">(thread.marks, item, mark);
		const [oldest] = Object.keys(thread.marks);
		if (oldest !== undefined && Object.keys(thread.marks).length > MAX_MARKS) delete thread.marks[oldest];
	},
};

/** Files of git itself, of the agent, and of folders for what passes: nobody commits them. */
const NEVER_COMMITTED =
	/(?:^|\/)\.git\/|^(?:\/private)?\/(?:tmp|var\/(?:tmp|folders))\/|[\\/]AppData[\\/]Local[\\/]Temp[\\/]|^(?:~|\/(?:home|Users)\/[^/]+)\/\.(?:claude|codex|pi|gemini|config|cache)\//;

function wordsIn(view: MessageView, agent: string): string {
	return userWords(stripRecalled(messageText(view)), agent).trim();
}

function asked(thread: SessionThread, record: EventRecord, words: string, via: ThreadOrder["via"]): void {
	if (words === "" || PROGRAM_COMMAND.test(words)) return;
	const handle = handleOf(record);
	const { seq } = record;
	// Only the newest request keeps its pastes.
	const before = thread.orders.at(-1);
	if (before) before.text = shortenPastes(before.text);
	// The user saw the result of what was done for the request before.
	if (before && saysNotSo(words)) disprove(thread.plan.filter((item) => item.seq > before.seq));
	if (saysTakenBack(words)) dropUncommitted(thread, record.seq);
	const text = cutMiddle(words, MAX_ORDER_BYTES, handle);
	const sender = textIn(record.payload, "sender");
	thread.orders.push({
		...(sender !== null && { sender }),
		handle,
		seq,
		text,
		via,
		statements: [],
		outcome: null,
		proofs: [],
		changed: [],
		hasBranch: false,
	});
	thread.orderCount++;
	if (via !== "parent") noteRemarks(thread, { handle, seq, text: words, ...(sender !== null && { sender }) });
	if (via === "message" || via === "meanwhile") noteChoices(thread, { handle, seq, text: words });
	notePhases(thread, { handle, text: words });
	bound(thread);
}

/** Commands to the agent's program, which ask the model for nothing. */
const PROGRAM_COMMAND =
	/^\/(?:exit|quit|clear|compact|model|help|cost|login|logout|resume|status|config|doctor|mcp|memory|permissions|context|usage|fast|vim|theme|export|new|reload|settings|session|tree|fork|agents|hooks|plugin|add-dir)\s*$/;

function answered(thread: SessionThread, record: EventRecord, view: MessageView): void {
	if (view.stopReason === "aborted" || view.stopReason === "error") return;
	const text = messageText(view).trim();
	const handle = handleOf(record);
	if (text !== "") {
		const order = thread.orders.at(-1);
		if (order) {
			order.outcome = { handle, text: cutMiddle(text, MAX_OUTCOME_BYTES, handle), leadsToCalls: false };
			for (const sentence of statementsIn(text)) order.statements.push({ seq: record.seq, handle, text: sentence });
			if (order.statements.length > MAX_STATEMENTS)
				order.statements.splice(0, order.statements.length - MAX_STATEMENTS);
		}
		movePhases(thread.phases, text);
		const listed = listedInText(text);
		if (listed.length > 0) thread.plan = updatedPlan(thread.plan, listed, planChange(thread, record));
	}
	const calls = view.blocks.filter((block) => block.kind === "call");
	const outcome = thread.orders.at(-1)?.outcome;
	// Some agents send the text and its calls as messages of their own.
	if (calls.length > 0 && outcome) outcome.leadsToCalls = true;
	for (const block of calls) called(thread, record, block);
}

/** The opening of an answer, and the sentences in it that say a finding, a choice or what is left. */
function statementsIn(text: string): string[] {
	const sentences = sentencesOf(text);
	const opening: string[] = [];
	for (const sentence of sentences.slice(0, 2)) {
		if (opening.length > 0 && opening.join(" ").length + sentence.length > MAX_STATEMENT_CHARS) break;
		opening.push(sentence);
	}
	const rest = sentences.slice(opening.length).filter((sentence) => sentence.length > 20);
	const telling = new Set([
		...rest.filter((each) => isFinding(each) || isDecision(each) || isPromise(each)).slice(0, MAX_TELLING),
		// What is left stands at the end.
		...rest.filter(isLeftOpen).slice(-MAX_TELLING),
	]);
	return [opening.join(" "), ...rest.filter((each) => telling.has(each))].map((each) =>
		cutWithEllipsis(each, MAX_STATEMENT_CHARS),
	);
}

function planChange(thread: SessionThread, record: EventRecord) {
	const { changedAt } = thread;
	return { seq: record.seq, handle: handleOf(record), proof: newestProof(thread), changedAt };
}

/** The newest proof that holds, before a test run a commit: neither proves anything about files that changed after them. */
function newestProof({ orders, changedAt }: SessionThread): Proof | null {
	for (const { proofs } of orders.toReversed().slice(0, PROVING_ORDERS)) {
		const holding = proofs.filter((each) => each.kind !== "issue" && each.seq > changedAt && !isFailedRun(each));
		const proof = holding.findLast(({ kind }) => kind !== "tests") ?? holding.at(-1);
		if (proof) return proof;
	}
	return null;
}

function called(thread: SessionThread, record: EventRecord, { id, tool, input }: CallBlock): void {
	const fields = asObject(input) ?? {};
	const change = planChange(thread, record);
	const listed = listedInCall(fields);
	if (listed.length > 0) thread.plan = updatedPlan(thread.plan, listed, change);
	updateTask(thread.plan, tool, fields, change);
	const plan = asText(fields["plan"]);
	if (plan !== undefined) {
		thread.approved = { handle: change.handle, text: cutMiddle(plan, MAX_ORDER_BYTES, change.handle) };
		notePhases(thread, { handle: change.handle, text: plan });
	}
	const earlier = runningCommand(thread, fields);
	const command = commandText(fields) ?? earlier;
	const path = asText(fields["file_path"]) ?? asText(fields["path"]) ?? asText(fields["filePath"]) ?? "";
	const call = command ?? `${tool} ${path || (asText(fields["pattern"]) ?? "")}`.trim();
	const order = thread.orders.at(-1)?.text;
	const rules = /write|edit|patch/i.test(tool) ? undefined : ruleFileIn(call, order);
	setKey<SessionThread["awaited"][string]>(thread.awaited, id, {
		tool,
		// The words of a commit tell which line of the log is that commit.
		call: cutStart(call.replace(/\s+/g, " "), / commit\b/.test(call) ? MAX_COMMIT_CHARS : MAX_STATEMENT_CHARS),
		isCommand: command !== undefined,
		isContinued: command !== undefined && command === earlier,
		created: createdTask(tool, fields) ?? null,
		rules: rules ?? null,
	});
	const waiting = Object.keys(thread.awaited);
	for (const old of waiting.slice(0, waiting.length - MAX_AWAITED)) delete thread.awaited[old];
}

/** Words that the user typed when a call was refused. */
const REFUSED = /the user said:\s*\n?([\s\S]+)$/i;

function resulted(thread: SessionThread, record: EventRecord, { callId, text, isError }: ResultBlock): void {
	const call = getKey(thread.awaited, callId);
	delete thread.awaited[callId];
	const answers = dialogIn(text);
	if (/^The user doesn't want to/.test(text)) {
		const words = REFUSED.exec(text)?.[1]?.trim() ?? "";
		asked(thread, record, words, "refusal");
		if (call && words === "")
			noteFailedForm(thread, record, call.call, { error: "the user refused it", tool: toolOf(call) });
	} else if (answers !== undefined) asked(thread, record, answers, "answer");
	else if (call) learn(thread, record, { callId, text, isError }, call);
}
