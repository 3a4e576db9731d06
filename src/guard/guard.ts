/**
 * The guard's interface: `before` every tool call, `after` every result. Apart from the calls that are running now, it
 * holds nothing that a restart would lose. The caller carries out the result: block, change the arguments, add the notes
 * to the result, and record the events at once, so that the next call is judged by them. A failure of the guard lets the
 * call pass.
 */

import { BoundedMap } from "../base/collection/bounded.ts";
import type { JsonObject } from "../base/json/read.ts";
import { effectsOf } from "../base/shell/effects.ts";
import { fileRiskOf } from "../base/shell/file-risk.ts";
import { plainText } from "../base/text/lines.ts";
import { withoutColours } from "../base/text/terminal-colour.ts";
import { getRecent } from "../log/fold/keyed.ts";
import { sessionKey } from "../log/session-ref.ts";
import type { ResultBlock } from "../message/view.ts";
import { commandText } from "../state/session/shell-command.ts";
import { changesFiles, type ToolClass } from "../state/session/tool-class.ts";
import { type Aftermath, lookAgain } from "./aftermath.ts";
import type { BaseSource } from "./base-text.ts";
import { classOf, lookAt, mayChangeAnything, targetsOf } from "./call.ts";
import { changedAtMs } from "./compare.ts";
import { lookOnce } from "./disk.ts";
import {
	callEnded,
	callStarted,
	type EarlierCallSource,
	type EarlierNoteSource,
	type UnseenBefore,
} from "./earlier-calls.ts";
import { type GuardedFiles, guardedFileFold } from "./file-record.ts";
import { keepFragileFiles, noteDamagedFiles } from "./fragile-text.ts";
import { healEdit } from "./heal.ts";
import { joinOutcomes, judge, type RunningCalls, type World } from "./judge.ts";
import { findKeptBefore, keepBeforeCommand, losesVisibly, tellNothingKept } from "./keep-first.ts";
import { type LoopState, loopFold, loopNote } from "./loop.ts";
import { observeChange, observeRead, type PreImage, preImageOf } from "./observe.ts";
import { checkOrder, checkReadSize, type HostPowers, type OrderState, orderFold } from "./policy.ts";
import { type KeptBefore, NOTHING_KEPT, noteTakenFiles } from "./taken-files.ts";
import type { FilePort, FileStat, GuardCall, GuardEvent, GuardSettings, Outcome } from "./types.ts";
import { PASS } from "./types.ts";
import { faultEvent, warn } from "./verdict.ts";
import { type VerdictState, verdictFold } from "./verdict-fold.ts";
import { type Writer, writerOf } from "./writer.ts";

export interface GuardState {
	readonly files: GuardedFiles;
	readonly verdicts: VerdictState;
	readonly order: OrderState;
	readonly loop: LoopState;
}

/** By the names of the parts of `GuardState`. */
export const GUARD_FOLDS = { files: guardedFileFold, verdicts: verdictFold, order: orderFold, loop: loopFold } as const;

export interface GuardOptions {
	/** The state after the newest event. */
	readonly state: () => GuardState;
	readonly files: FilePort;
	readonly base?: BaseSource;
	readonly settings: GuardSettings;
	readonly powers: HostPowers;
	readonly now?: () => number;
	/** seq of an entry of a session, to know what has left the context. */
	readonly seqOf?: World["seqOf"];
	readonly wasSaid?: World["wasSaid"];
	/** Keeps bytes for good and returns their SHA-256. */
	readonly keep?: World["keep"];
	readonly keeper?: World["keeper"];
	/** The session's newest calls, for a guard that did not see them; left out: not known. */
	readonly earlierCalls?: EarlierCallSource;
	readonly earlierNotes?: EarlierNoteSource;
}

interface RunningCall {
	readonly call: GuardCall;
	readonly of: ToolClass;
	readonly startedAt: number;
	/** undefined: it is not done yet. */
	finishedAt?: number;
	/** The files that it reads or changes; for a command or a search, those that it names. Absolute. */
	readonly targets: readonly string[];
	/** The files written by the command line that exist already. */
	readonly there: ReadonlySet<string>;
	/** Its output; undefined: it is still running, or ended long ago. */
	output?: string | undefined;
	/** Of the file that a read is about. */
	readonly stat: FileStat | undefined;
	/** The text of the one file that it is about to change; undefined: it ended long ago. */
	before: PreImage | undefined;
	readonly notes: readonly string[];
	/** seq of the request that it belongs to. */
	readonly intent: number;
	readonly kept: KeptBefore;
	/** Of a call that another process judged: what it found before. */
	readonly unseen?: readonly UnseenBefore[] | undefined;
	/** Known from the log alone. */
	readonly isRestored?: true;
}

const MAX_RUNNING = 256;
/** Of a call whose request is in the log anyway. */
const NO_INTENT = -1;
/** Outputs kept for edits of text that no line of a known file matches. */
const MAX_OUTPUTS = 16;
const MAX_KEPT_CHARS = 64 * 1024;
/** The clock of the file system may lag behind ours. */
const TICK_MS = 20;

export class Guard {
	readonly #options: GuardOptions;
	/** The newest calls, finished ones included. */
	readonly #running = new BoundedMap<string, RunningCall>(MAX_RUNNING, (_, dropped) =>
		this.#unfinished.delete(dropped),
	);
	readonly #unfinished = new Set<RunningCall>();
	/** Sessions whose earlier calls are in `#running`. */
	readonly #restored = new BoundedMap<string, true>(MAX_RUNNING);
	/** The newest run before whose first change files were kept. */
	#keptRun: string | undefined;
	/** Lines before which nothing could be kept, and that have waited. The log may be full, so it cannot remember them. */
	readonly #toldUnkept = new BoundedMap<string, true>(MAX_RUNNING);
	/** The calls whose output is kept, in the order in which they ended. */
	readonly #printed: RunningCall[] = [];

	constructor(options: GuardOptions) {
		this.#options = options;
	}

	before(call: GuardCall): Outcome {
		const now = this.#now();
		try {
			const world = this.#world(now, call, lookOnce(this.#options.files));
			const intent = intentOf(world.state, call);
			const order = checkOrder(call, world, () => this.#callsRunningIn(call, intent));
			if (order.action === "block") return this.#refused(call, order);
			const judged = combine(order, combine(checkReadSize(call, world, this.#options.powers), judge(call, world)));
			if (judged.action === "block") return this.#refused(call, judged);
			const { kept, outcome: keeping } = this.#keepFirst(call, intent, world);
			const outcome = combine(judged, keeping);
			if (outcome.action === "pass" && judged.events.every(({ type }) => type !== "Fault")) {
				const { there } = this.#start(call, intent, { notes: outcome.notes, kept }, world);
				if (this.#options.powers.forgetsCalls)
					return { ...outcome, events: [...outcome.events, callStarted(call, { there, unseen: unseenIn(kept) }, now)] };
			}
			return outcome;
		} catch (error) {
			return { ...PASS, events: [faultEvent(call, "guard.before", error, now)] };
		}
	}

	/** A refused call does not run, so the calls beside it need not heed it. */
	#refused(call: GuardCall, outcome: Outcome): Outcome {
		this.#drop(keyOf(call));
		return outcome;
	}

	/** A failure to keep files is told once. */
	#keepFirst(call: GuardCall, intent: number, world: World): { readonly kept: KeptBefore; readonly outcome: Outcome } {
		const { keeper } = world;
		if (!keeper) return { kept: NOTHING_KEPT, outcome: PASS };
		const of = classOf(call, world.settings);
		try {
			const run = `${sessionKey(call)} ${intent}`;
			if (mayChangeAnything(of)) {
				const late = this.#others(call)
					.filter(mayStillRun)
					.flatMap((other) => targetsOfJob(other, world.files));
				const found = keepBeforeCommand(call, of, { keeper, late }, world);
				if (found.kept.risk === "any") this.#keptRun = run;
				return found;
			}
			if (!changesFiles(of)) return { kept: NOTHING_KEPT, outcome: PASS };
			const events = this.#keptRun === run ? [] : keeper.keepTree(call, call.cwd, "run").events;
			this.#keptRun = run;
			const fragile = keepFragileFiles(call, of, keeper, world);
			const keepings = fragile ? [fragile] : [];
			const all = [...events, ...(fragile?.events ?? [])];
			return { kept: { ...NOTHING_KEPT, keepings }, outcome: { ...PASS, events: all } };
		} catch (error) {
			const fault = { ...PASS, events: [faultEvent(call, "guard.keep", error, world.now)] };
			return { kept: NOTHING_KEPT, outcome: joinOutcomes([this.#tellNothingKept(call, of, error, world), fault]) };
		}
	}

	#tellNothingKept(call: GuardCall, of: ToolClass, error: unknown, world: World): Outcome {
		const line = of === "shell" ? commandText(call.input) : undefined;
		if (line === undefined || fileRiskOf(line) === "none") return PASS;
		const canWait = this.#options.powers.forgetsCalls !== true && losesVisibly(line);
		const what = canWait ? line : "";
		if (this.#toldUnkept.get(what)) return PASS;
		this.#toldUnkept.set(what, true);
		return tellNothingKept(call, error, { canWait }, world);
	}

	/** Between two calls: no call of the model made the changes. */
	between(call: GuardCall): Aftermath {
		const now = this.#now();
		const unfinished = this.#others(call, this.#unfinished);
		const isBusy = (absolute: string) => unfinished.some((other) => isChanging(other, absolute));
		return lookAgain(call, undefined, { startedAt: now, isBusy }, this.#world(now, call));
	}

	/** `call`: as it ran. The result's text: as it will be recorded, without notes. */
	after(call: GuardCall, result: ResultBlock): Aftermath {
		const now = this.#now();
		try {
			const world = this.#world(now, call);
			const judged = this.#findJudged(call);
			if (judged) this.#finish(judged, result, now);
			const running = this.#findRunning(call);
			const seen = this.#look(call, result, running, world);
			const taken = this.#noteTaken(call, running, world);
			const again = loopNote(world.state.loop, call, result.text);
			const loop =
				again === undefined ? PASS : warn(call, { rule: "loop", reason: again }, world.settings.policyMode, now);
			const looped = loop.action === "pass" ? loop.notes : [];
			return {
				...seen,
				notes: [
					...(running?.notes ?? this.#options.earlierNotes?.(call) ?? []),
					...taken.notes,
					...seen.notes,
					...looped,
				],
				events: [...taken.events, ...seen.events, ...loop.events, ...this.#endedMark(call, now)],
			};
		} catch (error) {
			return { notes: [], events: [faultEvent(call, "guard.after", error, now)] };
		}
	}

	#endedMark(call: GuardCall, now: number): GuardEvent[] {
		return this.#options.powers.forgetsCalls ? [callEnded(call, now)] : [];
	}

	/** `running`: undefined if another process judged the call. */
	#noteTaken(call: GuardCall, running: RunningCall | undefined, world: World): Pick<Aftermath, "notes" | "events"> {
		try {
			const of = running?.of ?? classOf(call, world.settings);
			const { keeper } = world;
			if (changesFiles(of)) {
				const keepings = running?.kept.keepings ?? keeper?.keepingsOf(call) ?? [];
				return noteDamagedFiles(running?.call ?? call, keepings, world);
			}
			const kept =
				running?.kept ??
				(keeper ? findKeptBefore(call, of, { keeper, unseen: this.#findJudged(call)?.unseen }, world) : NOTHING_KEPT);
			if (kept.keepings.length === 0) return PASS_BY;
			const others = this.#others(call).filter((other) => mayChangeAnything(other.of) || changesFiles(other.of));
			const isOwnOutput = (at: number) =>
				others.some((one) => at >= one.startedAt - TICK_MS && at <= (one.finishedAt ?? world.now) + TICK_MS);
			return noteTakenFiles(
				running?.call ?? call,
				{ ...kept, isOwnOutput },
				writerIn(running?.call ?? call, of, world.files),
				world,
			);
		} catch (error) {
			return { notes: [], events: [faultEvent(call, "guard.taken", error, world.now)] };
		}
	}

	/** Undefined: another process judged the call. */
	#findRunning(call: GuardCall): RunningCall | undefined {
		const running = this.#running.get(keyOf(call));
		return running?.isRestored ? undefined : running;
	}

	/** From memory, or as another process left it in the log. */
	#findJudged(call: GuardCall): RunningCall | undefined {
		this.#restore(call);
		return this.#running.get(keyOf(call));
	}

	#finish(running: RunningCall, { text }: ResultBlock, now: number): void {
		running.finishedAt = now;
		this.#unfinished.delete(running);
		running.output = plainOutput(text);
		this.#keepOutput(running);
	}

	#keepOutput(running: RunningCall): void {
		this.#printed.push(running);
		const oldest = this.#printed.length > MAX_OUTPUTS ? this.#printed.shift() : undefined;
		if (oldest) {
			oldest.output = undefined;
			oldest.before = undefined;
		}
	}

	#look(call: GuardCall, result: ResultBlock, running: RunningCall | undefined, world: World): Aftermath {
		const of = classOf(call, world.settings);
		const judged = this.#findJudged(call);
		const startedAt = judged?.startedAt ?? call.startedAt ?? world.now;
		const isThen = (other: RunningCall) => (other.finishedAt ?? world.now) >= startedAt - TICK_MS;
		const changers = (absolute: string) =>
			this.#others(call).filter((other) => isThen(other) && changesFiles(other.of) && other.targets.includes(absolute));
		const isBeside = (absolute: string) => changers(absolute).length > 0;
		if (of === "read") {
			const textBefore = (absolute: string) => textIn(changers(absolute)[0]?.before);
			return observeRead(call, result, { stat: running?.stat, isBeside, textBefore }, world);
		}
		if (changesFiles(of) && !result.isError) {
			return observeChange(call, result, { before: running?.before, isBeside }, world);
		}
		if (changesFiles(of)) {
			const healed = healEdit(call, result, world);
			if (healed) return healed;
		}
		if (!mayChangeAnything(of) && !changesFiles(of) && of !== "exact-search") return { notes: [], events: [] };
		const left = this.#others(call).filter(mayStillRun);
		const beside = this.#others(call).filter((other) => isThen(other) && !left.includes(other));
		const isBusy = (absolute: string) => beside.some((other) => isChanging(other, absolute));
		const wasThere = (absolute: string) => judged?.there.has(absolute) ?? true;
		const callsOf = (others: readonly RunningCall[]) => others.map((other) => other.call);
		return lookAgain(
			call,
			result,
			{ startedAt, isBusy, beside: callsOf(beside), left: callsOf(left), wasThere },
			world,
		);
	}

	#world(now: number, call: GuardCall, files = this.#options.files): World & { readonly state: GuardState } {
		const running: RunningCalls = {
			isRead: (absolute) =>
				this.#others(call, this.#unfinished).some((other) => mayShow(other.of) && other.targets.includes(absolute)),
			isMade: (absolute, stat) => this.#ranAt(call, stat, now).some((other) => isSeenToMake(other, absolute, files)),
			wasPrinted: (texts) => this.#wasPrinted(call, texts),
			ranAt: (stat) => this.#ranAt(call, stat, now).some(mayWriteUnseen),
		};
		return { ...this.#options, files, state: this.#options.state(), now, running };
	}

	/** The session's other calls that ran when a file got this stat. */
	#ranAt(call: GuardCall, stat: FileStat, now: number): RunningCall[] {
		const at = Math.floor(changedAtMs(stat));
		// The disk's clock is never ahead of ours: a later time is a save by somebody else.
		return this.#others(call).filter(
			({ startedAt, finishedAt = now }) => at >= startedAt - TICK_MS && at <= finishedAt,
		);
	}

	#wasPrinted(call: GuardCall, texts: readonly string[]): boolean {
		const outputs = this.#others(call);
		return texts.every((text) => outputs.some(({ output }) => output?.includes(text)));
	}

	/** Reads the session's earlier calls from the log, once. */
	#restore(call: GuardCall): void {
		const { earlierCalls, settings, files } = this.#options;
		const session = sessionKey(call);
		if (!earlierCalls || this.#restored.get(session)) return;
		this.#restored.set(session, true);
		for (const { call: earlier, startedAt, finishedAt, output, there, unseen } of earlierCalls(call)) {
			const key = keyOf(earlier);
			if (this.#running.get(key)) continue;
			const of = classOf(earlier, settings);
			const { targets, writer } = targetsFor(earlier, of, files);
			const running: RunningCall = {
				call: earlier,
				of,
				startedAt,
				...(finishedAt !== undefined && { finishedAt }),
				targets,
				// Not known: counts as there, so that no text counts as made by the command.
				there: new Set(there ?? writer?.targets),
				unseen,
				output: output === undefined ? undefined : plainOutput(output),
				stat: undefined,
				before: undefined,
				notes: [],
				intent: NO_INTENT,
				kept: NOTHING_KEPT,
				isRestored: true,
			};
			this.#running.set(key, running);
			if (finishedAt === undefined) this.#unfinished.add(running);
			else this.#keepOutput(running);
		}
	}

	/** The session's other calls, finished ones included. */
	#others(call: GuardCall, among: Iterable<RunningCall> = this.#running.values()): RunningCall[] {
		this.#restore(call);
		const { session, host, callId } = call;
		return [...among].filter(
			(other) => other.call.callId !== callId && other.call.session === session && other.call.host === host,
		);
	}

	/** Calls of the same request that the log may not know yet. */
	#callsRunningIn(call: GuardCall, intent: number): GuardCall[] {
		return this.#others(call).flatMap((other) => (other.intent === intent ? [other.call] : []));
	}

	#start(
		call: GuardCall,
		intent: number,
		{ notes, kept }: Pick<RunningCall, "notes" | "kept">,
		{ settings, files, now: startedAt }: World,
	): RunningCall {
		const key = keyOf(call);
		const of = classOf(call, settings);
		const { targets, writer } = targetsFor(call, of, files);
		const there = new Set((writer?.targets ?? []).filter((path) => isThere(path, files)));
		const [only] = targets;
		const look = of === "read" && only !== undefined ? files.stat(only) : undefined;
		const stat = look?.kind === "file" ? look.stat : undefined;
		const before = changesFiles(of) && only !== undefined ? preImageOf(only, files) : undefined;
		this.#drop(key);
		const running = { call, of, startedAt, targets, there, stat, before, notes, intent, kept };
		this.#running.set(key, running);
		this.#unfinished.add(running);
		return running;
	}

	#drop(key: string): void {
		const running = this.#running.get(key);
		if (running) this.#unfinished.delete(running);
		this.#running.delete(key);
	}

	#now(): number {
		return (this.#options.now ?? Date.now)();
	}
}

function unseenIn({ unseen }: KeptBefore): UnseenBefore[] {
	return unseen.map(({ target, hash }) => ({ path: target.absolute, hash }));
}

const PASS_BY: Pick<Aftermath, "notes" | "events"> = { notes: [], events: [] };

function writerIn(call: GuardCall, of: ToolClass, files: FilePort): Writer | undefined {
	const text = of === "shell" ? commandText(call.input) : undefined;
	return text === undefined ? undefined : writerOf({ text, cwd: call.folder ?? call.cwd }, files);
}

/** The files that a call reads or changes; for a command or a search, those that it names. */
function targetsFor(call: GuardCall, of: ToolClass, files: FilePort) {
	const isFile = of === "read" || of === "exact-search" || changesFiles(of);
	const writer = writerIn(call, of, files);
	const targets = isFile
		? targetsOf(call, of).map((target) => lookAt(target, files, call.cwd).target.absolute)
		: (writer?.named ?? []);
	return { targets, writer };
}

function plainOutput(text: string): string {
	return plainText(withoutColours(text.slice(0, MAX_KEPT_CHARS)).plain);
}

function textIn(before: PreImage | undefined): string | undefined {
	return before?.kind === "text" ? before.text : undefined;
}

function isThere(absolute: string, files: FilePort): boolean {
	const look = files.stat(absolute);
	return look.kind === "file" && look.stat.size > 0;
}

/** Changing an existing text does not make it known. */
function isSeenToMake({ call, of, there }: RunningCall, absolute: string, files: FilePort): boolean {
	const writer = writerIn(call, of, files);
	const written = writer?.howWritten({ absolute, real: files.realpath(absolute) ?? null });
	if (written?.isMoved) return false;
	const how = written?.how;
	if (how === "replace" || (how === "modify" && !there.has(absolute))) return true;
	if (!writer?.isOpaque) return false;
	// The path is known only to the shell, but the text is in the line.
	const content = files.read(absolute);
	return content.kind === "bytes" && writer.isLiteral(content.bytes.toString("utf8"));
}

/** A command may have changed files that its line does not name. */
function mayWriteUnseen({ call, of }: RunningCall): boolean {
	const line = of === "shell" ? commandText(call.input) : undefined;
	if (line === undefined) return mayChangeAnything(of);
	const { isOpaque, isVague, writes } = effectsOf(line);
	return isOpaque || isVague || writes.length > 0;
}

/** Its line, or its arguments, leave a job in the background. */
function mayStillRun({ call: { input }, of, finishedAt }: RunningCall): boolean {
	const line = of === "shell" ? commandText(input) : undefined;
	if (line === undefined || finishedAt === undefined) return false;
	return input["run_in_background"] === true || input["background"] === true || effectsOf(line).leavesJob;
}

/** Files whose text a job may replace. */
function targetsOfJob({ call, of }: RunningCall, files: FilePort): string[] {
	const writer = writerIn(call, of, files);
	return (writer?.targets ?? []).filter((absolute) => writer?.howWritten({ absolute, real: null })?.how === "replace");
}

function mayShow(of: ToolClass): boolean {
	return of === "read" || of === "shell" || of === "exact-search";
}

function isChanging(other: RunningCall, absolute: string): boolean {
	return changesFiles(other.of) && other.finishedAt === undefined && other.targets.includes(absolute);
}

function combine(first: Outcome, second: Outcome): Outcome {
	if (first === PASS) return second;
	const both = joinOutcomes([first, second]);
	const input = inputOf(first) ?? inputOf(second);
	return both.action === "pass" && input !== undefined ? { ...both, input } : both;
}

function inputOf(outcome: Outcome): JsonObject | undefined {
	return outcome.action === "pass" ? outcome.input : undefined;
}

function intentOf(state: GuardState, call: GuardCall): number {
	return getRecent(state.order.sessions, sessionKey(call))?.intent ?? 0;
}

function keyOf(call: GuardCall): string {
	return `${sessionKey(call)} ${call.callId}`;
}
