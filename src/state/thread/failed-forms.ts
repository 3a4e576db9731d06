/** Calls that failed by their form, and the form that worked later. A call whose work failed (tests, a build) is no wrong form. */
import { cutWithEllipsis } from "../../base/text/cut.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { handleOf } from "../../log/handle.ts";
import { isFailedRun, proofsIn } from "./proofs.ts";
import type { FailedForm, SessionThread } from "./thread.ts";

const MAX_FAILED_FORMS = 40;
const MAX_CALL_CHARS = 300;
const MAX_ERROR_CHARS = 240;
const MAX_SCANNED_CHARS = 40_000;
/** A longer text of a tool is a report, and its last line says nothing by itself. */
const MAX_TOLD_LINES = 4;

const ERROR =
	/\b(?:error|fail(?:ed|ure)?|cannot|can't|couldn't|not found|denied|undefined|panic|exception|refused|no such|unknown|unrecognized|invalid|fatal|unable|not exist|ignored|ENOENT|EISDIR|404)\b/i;
/** The program that complains comes first: `sed: a.ts: No such file`, `error: unknown option`. */
const COMPLAINT = /^\s*(?:[\w./()-]{1,40}(?::\d+)?: |(?:error|fatal)\b)/i;
/** Lines of a program's text among the output. */
const CODE = /[;{},]\s*$|=>|^\s*(?:\/\/|\*|#)/;
const PRINTS = /^(?:cd [^&;|]+(?:&&|;)\s*)?(?:cat|sed|head|tail|nl|less|bat|awk)(?= )(?!.*[;&])/;
const COMPLAINT_OF_PRINTER =
	/^\s*(?:cat|sed|head|tail|nl|less|bat|g?awk|mawk|cd|-?(?:\S*\/)?(?:ba|z|da)?sh)\b[^:]{0,40}: /;
/** Lines that a shell writes on every start, advice beside an error, and the line of a check that has run: `spelling......Passed`. */
const ASIDE =
	/^(?:bash|zsh|sh): (?:warning|line \d+: warning)|^warning: setlocale|^\s*(?:hint|note|tip):|\.{6,}|^\s*⚠/i;
/** The call of a batch that was not run because another one failed. */
const NOT_RUN = /Sibling tool call errored|Cancelled: parallel tool call/;

/** The line that says why a call failed; empty: no line does. */
export function errorLine({ call, isCommand }: { call: string; isCommand: boolean }, output: string): string {
	const lines = output
		.slice(-MAX_SCANNED_CHARS)
		.replaceAll(/<\/?tool_use_error>/g, "")
		.split("\n")
		.filter((line) => line.trim() !== "" && !ASIDE.test(line));
	if (isCommand && proofsIn(call, output).some(isFailedRun)) return "";
	// What only prints a file complains in its own name: other lines are the file's.
	const isOwn = (line: string) => !isCommand || !PRINTS.test(call) || COMPLAINT_OF_PRINTER.test(line);
	const errors = lines.filter((line) => ERROR.test(line) && !CODE.test(line) && isOwn(line));
	// What a tool says when it fails is about the call.
	const line =
		errors.find((each) => COMPLAINT.test(each)) ??
		errors[0] ??
		(isCommand || lines.length > MAX_TOLD_LINES ? undefined : lines.at(-1)) ??
		"";
	return NOT_RUN.test(line) ? "" : cutWithEllipsis(line.trim(), MAX_ERROR_CHARS);
}

/** About the code, not the call: a place in a file, a count of errors, a failing test or build; or about nothing at all. */
const NO_FORM_ERROR =
	/[\w-]\.\w+[:(]\d|^(?:command )?exit(?:ed)?(?: with)?(?: code| status)? \d+$|exited with code \d|^\P{L}*$|\bFAIL\b|\b\d+ (?:errors?|failures?|problems?)\b|\b(?:task|build) failed\b|\bWARN\b|^\[[^\]]*\]$|\b(?:aborted|interrupted|temporarily unavailable)\b/iu;
/** A look whether something is there: the answer was no. */
const MISS = /^ls: |no matches found: /;
const NOT_THERE =
	/^(?:file|path|directory) (?:does not exist|not found)\b|^EISDIR\b|^(?:[\w-]+ )?not found$|no such file or directory/i;

/** No form of the call works, because what it looked at is not there: that says nothing about the next call. */
export function isLookInVain({ call, error, works }: FailedForm): boolean {
	if (works !== null || !NOT_THERE.test(error)) return false;
	return (
		!/no such file/i.test(error) || call.split(" ").some((word) => /[./]/.test(word) && error.includes(bareWord(word)))
	);
}

/** `tool`: of a call that is no command. */
export function noteFailedForm(
	thread: SessionThread,
	record: EventRecord,
	called: string,
	{ error, tool }: { readonly error: string; readonly tool?: string | undefined },
): void {
	if (error === "" || NO_FORM_ERROR.test(error) || MISS.test(error)) return;
	const call = cutWithEllipsis(called.replace(/\s+/g, " "), MAX_CALL_CHARS);
	const program = tool ?? programOf(called);
	const form = { seq: record.seq, handle: handleOf(record), call, error, works: null, program, worked: 0 };
	const others = thread.failedForms.filter((each) => each.call !== call);
	thread.failedForms = [...others, form].slice(-MAX_FAILED_FORMS);
}

export function noteWorkingTool({ failedForms }: SessionThread, tool: string): void {
	for (const form of failedForms) if (form.program === tool) form.worked++;
}

/** `error`: the line of its output that tells of one. A pipe hides the exit of the program before it. */
export function noteWorkingForm(thread: SessionThread, command: string, error: string): void {
	const program = programOf(command);
	if (program === "" || (error !== "" && thread.failedForms.some((form) => form.error === error))) return;
	const words = cutWithEllipsis(command.replace(/\s+/g, " "), MAX_CALL_CHARS);
	// The same command works again: a test that failed and passes, not a wrong form.
	thread.failedForms = thread.failedForms.filter(({ call }) => call !== words);
	for (const form of thread.failedForms) {
		if (form.program !== program) continue;
		// Only what reads its output is another: it may have failed again.
		const isOther = firstStage(form.call) !== firstStage(words);
		if (form.works === null && isOther && isSameCall(form, words)) form.works = words;
		else form.worked++;
	}
}

/**
 * Most words of both are the same, and one beside the program's name: another use of a program is no other form of the call. What is
 * no longer in it is what the error names, or only changes how it runs; a file has the same name.
 */
function isSameCall({ call, error }: SessionThread["failedForms"][number], other: string): boolean {
	const program = new Set(programOf(call).split(" "));
	const [words, others] = [argumentsOf(call), argumentsOf(other)];
	const shared = [...words].filter((word) => others.has(word));
	const isOwn = words.size <= program.size || shared.some((word) => !program.has(word));
	if (!isOwn || shared.length * 2 < words.size + others.size - shared.length) return false;
	const left = [...words].filter((word) => !others.has(word));
	const names = new Set([...others].map(baseName));
	return left.every((word) => {
		if (/^(?:-|cd$|&&$|\d+$)/.test(word) || names.has(baseName(word))) return true;
		return !word.includes("/") && error.includes(bareWord(word));
	});
}

/** Without the programs that its output is piped into. */
function firstStage(call: string): string {
	return call.replace(/\s*(?:\d?>&?\S+\s*)*(?:\|(?!\|).*)?$/, "").trim();
}

function baseName(word: string): string {
	const bare = bareWord(word).replace(/\/+$/, "");
	return bare.slice(bare.lastIndexOf("/") + 1);
}

function bareWord(word: string): string {
	return word.replaceAll(/^["'`(]+|["'`;,)]+$/g, "");
}

/** Without redirections, the folder it runs in, and what only shortens the output. */
function argumentsOf(call: string): Set<string> {
	return new Set(
		call
			.replace(/^cd [^&;|]+(?:&&|;)\s*/, "")
			.replace(/\s*\|\s*(?:tail|head)\b[^|&;]*$/, "")
			.split(" ")
			.filter((word) => !/^\d?>/.test(word)),
	);
}

/** The program with its first word: `npm test`, `cargo build`. */
function programOf(command: string): string {
	return /^(?:cd [^&;|]+(?:&&|;)\s*)?((?:[\w./-]+)(?: [\w:-]+)?)/.exec(command.trim())?.[1] ?? "";
}
