/**
 * The guard as a host uses it: `before` every tool call, `after` every result. It holds nothing that a restart would miss
 * but what it saw of the calls that are running now. What it returns is for the host to do: block, change the arguments,
 * add the notes to the result, and record the events at once, so that the next call is judged by them. A failure of its
 * own lets the call pass.
 */

import { getRecent } from "../fold/keyed.ts";
import type { JsonObject } from "../json/read.ts";
import type { ResultBlock } from "../message/view.ts";
import { pathOf } from "../session/derive-change.ts";
import { changesFiles } from "../session/tool-class.ts";
import type { BaseSource } from "./base-text.ts";
import { classOf, locate, lookAt, mayChangeAnything } from "./call.ts";
import { type GuardedFiles, guardedFileFold, sessionKey } from "./file-record.ts";
import { joinOutcomes, judge, type World } from "./judge.ts";
import { type Aftermath, lookAgain } from "./look-again.ts";
import { type LoopState, loopFold, loopNote } from "./loop.ts";
import { observeChange, observeRead } from "./observe.ts";
import { checkOrder, checkReadSize, type HostPowers, type OrderState, orderFold } from "./policy.ts";
import type { FilePort, FileStat, GuardCall, GuardEvent, GuardSettings, Outcome } from "./types.ts";
import { PASS } from "./types.ts";
import { faultEvent, warn } from "./verdict.ts";
import { type VerdictState, verdictFold } from "./verdict-fold.ts";

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
}

interface Running {
	readonly call: GuardCall;
	readonly startedAt: number;
	/** Of the file that a read is about. */
	readonly stat: FileStat | undefined;
	readonly notes: readonly string[];
	/** seq of the request that it belongs to. */
	readonly intent: number;
}

const MOST_RUNNING = 256;

export class Guard {
	readonly #options: GuardOptions;
	readonly #running = new Map<string, Running>();

	constructor(options: GuardOptions) {
		this.#options = options;
	}

	before(call: GuardCall): Outcome {
		const now = this.#now();
		try {
			const world = { ...this.#options, state: this.#options.state(), now };
			const intent = intentOf(world.state, call);
			const order = checkOrder(call, world, () => this.#callsRunningIn(call, intent));
			if (order.action === "block") return order;
			const outcome = combine(order, combine(checkReadSize(call, world, this.#options.powers), judge(call, world)));
			if (outcome.action === "pass") this.#start(call, intent, outcome.notes, now);
			return outcome;
		} catch (error) {
			return { ...PASS, events: [faultEvent(call, "guard.before", error, now)] };
		}
	}

	/** Between two calls: whatever changed, no call of the model's changed it. */
	between(call: GuardCall): Aftermath {
		const now = this.#now();
		const world = { ...this.#options, state: this.#options.state(), now };
		const { notes, events } = lookAgain(call, { startedAt: now }, world);
		return { notes, events: events.map(byOthers) };
	}

	/** `call` is as it ran; the result's text as it will be recorded, without notes. */
	after(call: GuardCall, result: ResultBlock): Aftermath {
		const now = this.#now();
		try {
			const world = { ...this.#options, state: this.#options.state(), now };
			const running = this.#running.get(keyOf(call));
			const seen = this.#look(call, result, running, world);
			const again = loopNote(world.state.loop, call, result.text);
			const loop =
				again === undefined ? PASS : warn(call, { rule: "loop", reason: again }, world.settings.policyMode, now);
			const looped = loop.action === "pass" ? loop.notes : [];
			return {
				notes: [...(running?.notes ?? []), ...seen.notes, ...looped],
				events: [...seen.events, ...loop.events],
			};
		} catch (error) {
			return { notes: [], events: [faultEvent(call, "guard.after", error, now)] };
		}
	}

	#look(call: GuardCall, result: ResultBlock, running: Running | undefined, world: World): Aftermath {
		const of = classOf(call, world.settings);
		if (of === "read") return observeRead(call, result, running?.stat, world);
		if (changesFiles(of) && !result.isError) return observeChange(call, result, world);
		if (!mayChangeAnything(of) && !changesFiles(of)) return { notes: [], events: [] };
		return lookAgain(call, { startedAt: running?.startedAt ?? world.now }, world);
	}

	/** Calls of the same request that the log may not know yet. */
	#callsRunningIn(call: GuardCall, intent: number): GuardCall[] {
		const calls: GuardCall[] = [];
		for (const { call: other, intent: of } of this.#running.values()) {
			if (of === intent && other.session === call.session && other.callId !== call.callId) calls.push(other);
		}
		return calls;
	}

	#start(call: GuardCall, intent: number, notes: readonly string[], startedAt: number): void {
		const key = keyOf(call);
		this.#running.delete(key);
		this.#running.set(key, { call, startedAt, stat: this.#statOfRead(call), notes, intent });
		if (this.#running.size > MOST_RUNNING) this.#running.delete(this.#running.keys().next().value!);
	}

	#statOfRead(call: GuardCall): FileStat | undefined {
		const path = pathOf(call.input);
		if (path === undefined || classOf(call, this.#options.settings) !== "read") return undefined;
		const { look } = lookAt(locate(path, call.cwd), this.#options.files, call.cwd);
		return look.kind === "file" ? look.stat : undefined;
	}

	#now(): number {
		return (this.#options.now ?? Date.now)();
	}
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

function byOthers(event: GuardEvent): GuardEvent {
	if (event.type !== "FileChanged") return event;
	const { tool: _tool, callId: _callId, ...payload } = event.payload;
	return { ...event, payload: { ...payload, actor: "other" } };
}
