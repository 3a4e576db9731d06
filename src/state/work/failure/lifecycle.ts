/**
 * Which failures are open, since when, and how often was each tried? Takes inputs in the order of the log. Pure; the state
 * is plain JSON and bounded. Reads no disk and never guesses: a run with an unknown status changes nothing.
 *
 * A failure is open; each run that shows it again is an attempt, and a repeat if nothing changed before it. A run that
 * covers it resolves it; if it comes back, it has regressed. Pass and fail without a change in between make it flaky.
 */

import type { SearchedWords } from "../../../base/shell/output.ts";
import { getKey } from "../../../log/fold/keyed.ts";
import type { FilesState } from "../file-fold.ts";
import { covers, coversUnit, namedPassed, namesUnit, neverRan } from "./cover.ts";
import { type Fingerprint, type Mark, placeOf } from "./fingerprint.ts";
import { LISTS_ALL, type RunReading, readRun, type ShellRun } from "./run-reading.ts";
import { type CommandInFolder, type Failure, type FailureState, MAX_OPEN, MAX_RESOLVED } from "./types.ts";

const MAX_GREEN = 50;
const MAX_MARKS_PER_RUN = 50;
const MAX_HISTORY = 20;
const MAX_PARTS = 8;
const MAX_WORDS = 40;

export type FailureInput =
	| ({ readonly kind: "run"; readonly seq: number; readonly handle: string; readonly ts: number } & ShellRun)
	| { readonly kind: "change"; readonly seq: number; readonly path: string };

export function foldFailures(state: FailureState, input: FailureInput): FailureState {
	if (input.kind === "change") return { ...state, changedAt: input.seq };
	const reading = readRun(input);
	const moved = reading.identity.alters ? { ...state, changedAt: input.seq } : state;
	if (reading.status === "pass") return afterPass(moved, input, reading);
	if (reading.status === "fail") return afterFail(moved, input, reading);
	return reading.silent || reading.absent ? afterSilence(moved, input, reading) : moved;
}

type RunInput = FailureInput & { kind: "run" };

function afterPass(state: FailureState, input: RunInput, reading: RunReading): FailureState {
	const parts = partsOf(input, reading);
	const passed = state.open.map((failure) => {
		const awaits = failure.awaits.filter(
			(part) => !parts.some((own) => own.cwd === part.cwd && covers(own.words, part.words)),
		);
		if (isSkipped(failure, parts, reading)) return { ...failure, skippedSeq: input.seq };
		return awaits.length === 0 || ranUnit(failure, parts, reading) || isOtherForm(failure, parts)
			? resolve(failure, input, state.changedAt)
			: { ...failure, awaits };
	});
	const green = { command: reading.identity.command, cwd: reading.cwd, seq: input.seq };
	const others = state.green.filter((one) => one.command !== green.command || one.cwd !== green.cwd);
	return moveResolved({ ...state, green: [...others, green].slice(-MAX_GREEN) }, passed);
}

/**
 * A test that was left out has not passed. The output names it; or more tests were left out than when it failed under the
 * same command, and the output does not name them all.
 */
function isSkipped(failure: Failure, parts: readonly CommandInFolder[], { recognised, tool }: RunReading): boolean {
	const { unit, file, name } = failure;
	if (recognised === null || unit === null || failure.tool !== tool) return false;
	const { count, names } = recognised.skipped;
	// Not by its file: one with a test that was left out passes too.
	if (recognised.passed.names.some((one) => one === unit || one === name)) return false;
	if (namesUnit(names, { unit, file, name })) return true;
	const isSameCommand = parts.some(({ words, cwd }) =>
		failure.parts.some((part) => part.cwd === cwd && part.words.join("\n") === words.join("\n")),
	);
	return isSameCommand && names.length < count && count > failure.skipped;
}

/** Of all words of two calls, those that both have. */
const MIN_SAME_WORDS = 0.6;

/** A call that was refused at once works from another folder, or with its words in another form. */
function isOtherForm({ brief, unit, tool, parts }: Failure, passed: readonly CommandInFolder[]): boolean {
	if (!brief || unit !== null || tool !== null) return false;
	return parts.every(({ words }) =>
		passed.some((own) => {
			if (own.words[0] !== words[0]) return false;
			const shared = words.filter((word) => own.words.includes(word)).length;
			return shared >= MIN_SAME_WORDS * new Set([...words, ...own.words]).size;
		}),
	);
}

/**
 * For `npm run check | grep error` that prints nothing: the known failures say which tool the script runs. `tsc | grep cart` that prints
 * nothing says so of the failures that name `cart`.
 */
function afterSilence(state: FailureState, input: RunInput, reading: RunReading): FailureState {
	const parts = partsOf(input, reading);
	const heard = state.open.map((failure) => {
		const listed = failure.tool !== null && LISTS_ALL.has(failure.tool);
		const ran = failure.parts.every((part) =>
			parts.some((own) => own.cwd === part.cwd && covers(own.words, part.words)),
		);
		const isLookedFor = reading.absent === null || isNamed(failure, reading.absent);
		return listed && ran && isLookedFor ? resolve(failure, input, state.changedAt) : failure;
	});
	return moveResolved(state, heard);
}

function isNamed({ file, class: kind, message }: Failure, { words, ignoresCase }: SearchedWords): boolean {
	const fold = (text: string) => (ignoresCase ? text.toLowerCase() : text);
	const line = fold(`${file} ${kind} ${message}`);
	return words.some((word) => line.includes(fold(word)));
}

function afterFail(state: FailureState, input: RunInput, reading: RunReading): FailureState {
	const print = reading.fingerprint;
	if (!print) return state;
	const parts = partsOf(input, reading);
	const marks = print.marks.slice(0, MAX_MARKS_PER_RUN);
	let resolved = state.resolved;
	const open = [...state.open];
	const seen = new Set<string>();
	for (const mark of marks) {
		const known = open.find((failure) => isSame(failure, mark));
		const old = resolved.find((failure) => isSame(failure, mark));
		if (known) open.splice(open.indexOf(known), 1, again(known, input, reading, state.changedAt));
		else if (old) {
			resolved = resolved.filter((failure) => failure !== old);
			open.push(regress(old, input, state.changedAt));
		} else open.push(firstSeen(mark, print, parts, input, reading, state));
		seen.add((known ?? old ?? mark).id);
	}
	const after = open.map((failure) =>
		seen.has(failure.id) ? failure : unseen(failure, print, parts, input, reading, state),
	);
	return moveResolved({ ...state, resolved }, after);
}

/** Updates a failure that a failing run did not show. */
function unseen(
	failure: Failure,
	print: Fingerprint,
	parts: readonly CommandInFolder[],
	input: RunInput,
	reading: RunReading,
	state: FailureState,
): Failure {
	if (failure.cwd !== print.cwd || failure.unit === null || failure.tool !== reading.tool) return failure;
	const other = print.marks.find((mark) => mark.unit === failure.unit);
	if (other !== undefined) return { ...failure, behind: other.id };
	const unit = { unit: failure.unit, file: failure.file, name: failure.name };
	if (isSkipped(failure, parts, reading)) return failure;
	const named = parts.some((part) => namedPassed(reading.recognised, part.words, unit));
	const isCovered = parts.some((own) => failure.parts.some((part) => covers(own.words, part.words)));
	const ran = reading.whole && isCovered && !neverRan(reading.recognised, unit);
	return named || ran ? resolve(failure, input, state.changedAt) : failure;
}

function ranUnit(failure: Failure, parts: readonly CommandInFolder[], reading: RunReading): boolean {
	if (failure.unit === null || failure.tool === null || failure.tool !== reading.tool) return false;
	const unit = { unit: failure.unit, file: failure.file, name: failure.name };
	return parts.some(
		(part) =>
			part.cwd === failure.cwd && (coversUnit(part.words, unit) || namedPassed(reading.recognised, part.words, unit)),
	);
}

/** A unit that fails the same way under a wider or narrower command is the same failure. */
function isSame(failure: Failure, mark: Mark): boolean {
	return failure.id === mark.id || (mark.unit !== null && failure.hash === mark.hash && failure.unit === mark.unit);
}

function firstSeen(
	mark: Mark,
	print: Fingerprint,
	parts: readonly CommandInFolder[],
	input: RunInput,
	{ brief, recognised }: RunReading,
	state: FailureState,
): Failure {
	const green = state.green.find((one) => one.command === print.command && one.cwd === print.cwd);
	return {
		id: mark.id,
		hash: mark.hash,
		tool: print.tool,
		command: print.command,
		cwd: print.cwd,
		unit: mark.unit,
		file: mark.file,
		name: mark.name,
		class: mark.class,
		message: mark.message,
		brief,
		state: "open",
		skipped: recognised?.skipped.count ?? 0,
		exit: input.exit,
		attempts: 1,
		repeats: 0,
		regressions: 0,
		flaky: green !== undefined && green.seq > state.changedAt,
		firstSeq: input.seq,
		firstTs: input.ts,
		lastSeq: input.seq,
		lastTs: input.ts,
		lastHandle: input.handle,
		resolvedSeq: null,
		resolvedTs: null,
		resolvedHandle: null,
		skippedSeq: null,
		behind: null,
		parts,
		awaits: parts,
		history: [{ seq: input.seq, what: "opened" }],
	};
}

function again(failure: Failure, input: RunInput, { recognised }: RunReading, changedAt: number): Failure {
	const tried = changedAt > failure.lastSeq;
	return {
		...failure,
		skipped: recognised?.skipped.count ?? 0,
		exit: input.exit,
		attempts: failure.attempts + 1,
		repeats: failure.repeats + (tried ? 0 : 1),
		lastSeq: input.seq,
		lastTs: input.ts,
		lastHandle: input.handle,
		skippedSeq: null,
		behind: null,
		awaits: failure.parts,
		history: tried ? remember(failure, input.seq, "attempt") : failure.history,
	};
}

function regress(failure: Failure, input: RunInput, changedAt: number): Failure {
	return {
		...failure,
		state: "open",
		exit: input.exit,
		attempts: failure.attempts + 1,
		regressions: failure.regressions + 1,
		flaky: failure.flaky || changedAt < (failure.resolvedSeq ?? 0),
		lastSeq: input.seq,
		lastTs: input.ts,
		lastHandle: input.handle,
		resolvedSeq: null,
		resolvedTs: null,
		resolvedHandle: null,
		behind: null,
		awaits: failure.parts,
		history: remember(failure, input.seq, "regressed"),
	};
}

function resolve(failure: Failure, input: RunInput, changedAt: number): Failure {
	return {
		...failure,
		state: "resolved",
		flaky: failure.flaky || changedAt < failure.lastSeq,
		resolvedSeq: input.seq,
		resolvedTs: input.ts,
		resolvedHandle: input.handle,
		skippedSeq: null,
		behind: null,
		awaits: [],
		history: remember(failure, input.seq, "resolved"),
	};
}

/** Other commands that passed since, after which a command that never ran again was left behind. */
const LEFT_BEHIND_COMMANDS = 8;
const MAX_LEFT_ATTEMPTS = 2;

/** No known tool or unit failed, and the work went another way. The thread keeps the call among its dead ends. */
function isLeftBehind({ tool, unit, attempts, lastSeq }: Failure, { green }: FailureState): boolean {
	return (
		tool === null &&
		unit === null &&
		attempts <= MAX_LEFT_ATTEMPTS &&
		(green.at(-LEFT_BEHIND_COMMANDS)?.seq ?? -1) > lastSeq
	);
}

/** Moves resolved failures to their list, and keeps both lists within their limits. */
function moveResolved(state: FailureState, all: readonly Failure[]): FailureState {
	const open = all.filter((failure) => failure.state === "open" && !isLeftBehind(failure, state));
	const done = all.filter((failure) => failure.state === "resolved");
	const leaving = new Set(
		open.length <= MAX_OPEN ? [] : [...open].sort((a, b) => a.lastSeq - b.lastSeq).slice(0, open.length - MAX_OPEN),
	);
	return {
		...state,
		open: open.filter((failure) => !leaving.has(failure)),
		resolved: [...state.resolved, ...done].slice(-MAX_RESOLVED),
		dropped: state.dropped + leaving.size,
	};
}

function partsOf(input: RunInput, reading: RunReading): readonly CommandInFolder[] {
	return reading.identity.parts.slice(0, MAX_PARTS).map((part) => ({
		words: part.words.slice(0, MAX_WORDS),
		cwd: placeOf({ ...reading.identity, cwd: part.cwd }, input),
	}));
}

function remember(failure: Failure, seq: number, what: Failure["history"][number]["what"]): Failure["history"] {
	return [...failure.history, { seq, what }].slice(-MAX_HISTORY);
}

/** Open failures, without an older error of a unit that shows another one now: that may be gone, and the newer one says more. */
export function currentFailures({ open }: FailureState): readonly Failure[] {
	const ids = new Set(open.map(({ id }) => id));
	return open.filter(({ behind }) => behind === null || !ids.has(behind));
}

/** A green run left the test out: it is neither repaired nor in anybody's way. */
export function isLeftOut({ skippedSeq }: Failure): boolean {
	return skippedSeq !== null;
}

/** Renders unit and error without repeating a word: `src/a.ts TS2304: Cannot find name 'x'`. */
export function whatFailed({ unit, class: kind, message }: Failure): string {
	const said = message.trim();
	const place = unit === null || said.startsWith(unit) ? "" : unit;
	const isNamed = kind === null || said.startsWith(kind) || place.endsWith(kind);
	const words = [place, isNamed ? "" : kind, said].filter((each) => each !== "");
	return words.join(": ") || "it printed no error";
}

const MAX_FIXES = 3;

/** The files that the agent changed between the last red run and the green one, the newest first. */
export function fixedIn({ lastSeq, resolvedSeq }: Failure, { files, recent }: FilesState): string[] {
	if (resolvedSeq === null) return [];
	const changed = recent.filter((path) =>
		getKey(files, path)?.history.some(({ seq, actor }) => actor === "agent" && seq > lastSeq && seq < resolvedSeq),
	);
	return changed.slice(-MAX_FIXES).reverse();
}
