/** What the result of a call says of the plan, of rules in files, of work done and of forms that fail. */
import type { JsonObject } from "../../base/json/read.ts";
import { exitMeaning } from "../../base/shell/exit.ts";
import { commandIdentity } from "../../base/shell/identity.ts";
import { cutStart } from "../../base/text/cut.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { getKey, setKey } from "../../log/fold/keyed.ts";
import { textIn } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { withoutReminders } from "../../message/user-words.ts";
import type { ResultBlock } from "../../message/view.ts";
import { isCheck, runsTests } from "./checks.ts";
import { errorLine, noteFailedForm, noteWorkingTool } from "./failed-forms.ts";
import { MAX_PLAN_ITEMS, mayProve } from "./plan-items.ts";
import {
	branchIn,
	committedBy,
	dropUndone,
	filesTakenBack,
	isElsewhere,
	isFailedRun,
	makesBranch,
	proofsIn,
	stillUncommitted,
} from "./proofs.ts";
import { isCheckBox, isDocument, isSameFile, ruleLines } from "./rule-files.ts";
import { sharedCount, termsOf } from "./terms.ts";
import type { PlanItem, Proof, SessionThread } from "./thread.ts";

/** Of the calls and the commands that are still to end. */
export const MAX_AWAITED = 40;
const MAX_PROOFS = 12;
/** Requests back to which a proof counts for what was done. */
export const PROVING_ORDERS = 3;
const MAX_RULE_FILES = 6;
/** A command that runs on says so in its first lines. */
const MAX_OPENING_CHARS = 1_200;

export function learn(
	thread: SessionThread,
	record: EventRecord,
	{ callId, text, isError }: Pick<ResultBlock, "callId" | "text" | "isError">,
	call: SessionThread["awaited"][string],
): void {
	const handle = handleOf(record);
	const id = /^Task #(\w+) created/.exec(text)?.[1];
	if (call.created !== null && id !== undefined) {
		const { subject, detail } = call.created;
		thread.plan.push({
			id,
			text: subject,
			detail,
			handle,
			state: "open",
			seq: record.seq,
			proof: null,
			hasChanges: false,
		});
		if (thread.plan.length > MAX_PLAN_ITEMS) thread.plan.shift();
	}
	if (call.rules !== null) noteRuleFile(thread, call.rules, handle, text);
	if (call.isCommand) {
		if (!call.isContinued) noteUndone(thread, record, call.call);
		noteProofs(thread, record, call.call, text);
		noteRunning(thread, call.call, text);
	}
	const error = errorLine(call, text);
	// An edit that missed its text says nothing about the next one.
	const isSkipped = /edit|write|patch/i.test(call.tool);
	if ((isError && !isSkipped) || /\bcommand not found\b/.test(text))
		noteFailedForm(thread, record, call.call, { error, tool: toolOf(call) });
	else if (!call.isCommand && !isError) noteWorkingTool(thread, call.tool);
	// The exit status comes with the next event.
	if (call.isCommand) setKey<SessionThread["awaited"][string]>(thread.awaited, callId, { ...call, error });
}

export function toolOf({ isCommand, tool }: SessionThread["awaited"][string]): string | undefined {
	return isCommand ? undefined : tool;
}

/** A document that the agent works on is what the work is about; one whose boxes it ticks is still the plan. */
export function dropEditedDocument(thread: SessionThread, path: string): void {
	const isEdited = (file: SessionThread["ruleFiles"][number]) =>
		isDocument(file) && isSameFile(path, file.path) && !file.lines.some(isCheckBox);
	if (thread.ruleFiles.some(isEdited)) thread.ruleFiles = thread.ruleFiles.filter((file) => !isEdited(file));
}

function noteRuleFile(thread: SessionThread, path: string, handle: string, text: string): void {
	const lines = ruleLines(withoutReminders(text));
	if (lines.length === 0) return;
	// The agent has worked on it: the user named it for that.
	const isOwnWork = thread.orders.some(({ changed }) => changed.some((file) => isSameFile(file, path)));
	if (isOwnWork && isDocument({ path }) && !lines.some(isCheckBox)) return;
	thread.ruleFiles = thread.ruleFiles.filter((each) => each.path !== path).slice(1 - MAX_RULE_FILES);
	thread.ruleFiles.push({ path, handle, lines });
}

/** Once for a command, however often the agent asks for its output. */
function noteUndone(thread: SessionThread, record: EventRecord, command: string): void {
	if (thread.orders.length === 0) return;
	dropUndone(thread, command);
	takeBackFiles(thread, record, command);
}

function noteProofs(thread: SessionThread, record: EventRecord, command: string, output: string): void {
	const order = thread.orders.at(-1);
	if (!order) return;
	thread.branch = branchIn(command, output) ?? thread.branch;
	order.hasBranch ||= makesBranch(command, output);
	// The user may have committed in a terminal of their own.
	thread.uncommitted = stillUncommitted(command, output, thread.uncommitted) ?? thread.uncommitted;
	const proofs = proofsIn(command, output);
	for (const found of proofs) addProof(thread, record, found);
	const run = proofs.findLast(({ kind }) => kind === "tests");
	if (run) setCheck(thread, record, command, !isFailedRun(run));
}

function addProof(thread: SessionThread, record: EventRecord, found: Pick<Proof, "kind" | "text">): void {
	const order = thread.orders.at(-1);
	if (!order || isElsewhere(found, thread.orders)) return;
	const proof = { ...found, seq: record.seq, handle: handleOf(record) };
	order.proofs = order.proofs.filter(({ text }) => text !== proof.text).slice(1 - MAX_PROOFS);
	order.proofs.push(proof);
	if (proof.kind === "commit") thread.uncommitted = [];
	if (proof.kind === "commit" || proof.kind === "tests") proveDone(thread, proof);
}

/** A commit that printed nothing of git's own: the exit status says that it was made. */
export function noteQuietCommit(thread: SessionThread, record: EventRecord, command: string): void {
	const proofs = thread.orders.at(-1)?.proofs ?? [];
	// The result with its output came before.
	if (proofs.some(({ kind, seq }) => kind === "commit" && seq === record.cause)) return;
	const text = exitMeaning(command).zero === "pass" ? committedBy(command) : undefined;
	if (text !== undefined) addProof(thread, record, { kind: "commit", text });
}

/** A run of tests or of another check, which may print no line that proves it. */
export function noteCheck(thread: SessionThread, record: EventRecord): void {
	const [command, status] = [textIn(record.payload, "command"), textIn(record.payload, "status")];
	if (command === null || (status !== "pass" && status !== "fail")) return;
	setCheck(thread, record, command, status === "pass");
	const proofs = thread.orders.at(-1)?.proofs ?? [];
	const isKnown = proofs.some(({ kind, seq }) => kind === "tests" && seq === record.cause);
	if (!isKnown && status === "pass" && runsTests(command))
		addProof(thread, record, { kind: "tests", text: `${cutStart(command, MAX_CHECK_CHARS)}: passed` });
}

/** A check that says nothing where it finds nothing. */
export function noteSilentCheck(thread: SessionThread, record: EventRecord, command: string): void {
	if (isCheck(command) && exitMeaning(command).zero === "pass")
		setCheck(thread, record, commandIdentity(command).command, true);
}

function setCheck(thread: SessionThread, record: EventRecord, command: string, isGreen: boolean): void {
	const words = cutStart(command.replace(/\s+/g, " "), MAX_CHECK_CHARS);
	thread.check = { seq: record.seq, handle: handleOf(record), command: words, isGreen, since: [] };
}

const MAX_CHECK_CHARS = 120;

/**
 * Agents tick an item first and run the tests or commit after it: a commit holds all that changed since the one before. A run that
 * fails ends what an earlier one proved.
 */
function proveDone({ plan, orders }: SessionThread, proof: Proof): void {
	const commits = orders
		.flatMap(({ proofs }) => proofs)
		.filter(({ kind, seq }) => kind === "commit" && seq < proof.seq);
	const recent = orders.at(-PROVING_ORDERS)?.seq ?? -1;
	const from = proof.kind === "commit" ? Math.min(commits.at(-1)?.seq ?? -1, recent) : recent;
	const isFailed = isFailedRun(proof);
	for (const item of plan) {
		if (isFailed && item.proof?.kind === "tests") item.proof = null;
		if (isFailed || item.state !== "done" || item.seq <= from || !mayProve(proof, item)) continue;
		// Of several commits at once, the one that names it.
		const isNearer =
			item.proof?.kind === proof.kind && item.proof.seq === proof.seq && fits(proof, item) > fits(item.proof, item);
		if (item.proof === null || isNearer) item.proof = proof;
	}
}

function fits(proof: Proof, { text }: PlanItem): number {
	return sharedCount(termsOf(text), termsOf(proof.text));
}

/** What was done for items since the last commit is no longer in the files. */
function takeBackFiles(thread: SessionThread, { seq }: EventRecord, command: string): void {
	const files = new Set(filesTakenBack(command, thread.uncommitted));
	if (files.size === 0) return;
	thread.uncommitted = thread.uncommitted.filter((file) => !files.has(file));
	noteTakenBack(thread, seq);
}

/** What changed since the last commit is not in the files any more: a command took it back, or the user says that they did. */
export function dropUncommitted(thread: SessionThread, seq: number): void {
	if (thread.uncommitted.length === 0) return;
	thread.uncommitted = [];
	noteTakenBack(thread, seq);
}

function noteTakenBack(thread: SessionThread, seq: number): void {
	thread.changedAt = seq;
	const committed = thread.orders.flatMap(({ proofs }) => proofs).findLast(({ kind }) => kind === "commit");
	disprove(thread.plan.filter((item) => item.seq > (committed?.seq ?? -1)));
}

/** Only the agent's word is left for these items. */
export function disprove(items: readonly PlanItem[]): void {
	for (const item of items) {
		item.proof = null;
		item.hasChanges = false;
	}
}

/** A command that runs on after its call: agents ask for the rest of its output by an id. */
const RUNS_ON =
	/^(?:[^\n]*\n){0,4}?[^\n]*\b(?:running with (?:session|cell) ID|running in (?:the )?background with ID:?) ([\w-]+)/;
const RUNNING_KEYS = ["session_id", "cell_id", "bash_id", "shell_id", "shellId"];

function noteRunning(thread: SessionThread, call: string, text: string): void {
	const id = RUNS_ON.exec(text.slice(0, MAX_OPENING_CHARS))?.[1];
	if (id === undefined) return;
	setKey<string>(thread.running, id, call);
	const ids = Object.keys(thread.running);
	for (const old of ids.slice(0, ids.length - MAX_AWAITED)) delete thread.running[old];
}

export function runningCommand({ running }: SessionThread, fields: JsonObject): string | undefined {
	const id = RUNNING_KEYS.map((key) => fields[key]).find((value) => value !== undefined);
	return id === undefined ? undefined : getKey(running, String(id));
}
