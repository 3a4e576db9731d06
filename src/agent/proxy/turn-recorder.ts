/**
 * After each answer of a model: reads the agent's file, records the request if the agent does not, checks an untested
 * version, and asks whether a seal is due.
 */
import { modeOf } from "../../context/mode.ts";
import { HOST_COMPACTED } from "../../context/plan.ts";
import type { Engine } from "../../engine.ts";
import type { AnswerEvent } from "../../message/dialect/dialect.ts";
import { promptTokens } from "../../message/usage.ts";
import { isMessage } from "../../state/session/tree.ts";
import { type PassedRequest, passedManifest, sizeRequest } from "./manifest.ts";
import { findNewest, isCompaction } from "./newest-entry.ts";
import type { SeedOffers } from "./seed-offers.ts";
import type { SelfCheck } from "./self-check.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { WatchedSessions } from "./watched-sessions.ts";
import type { Caller, RequestFacts, Wire } from "./wire.ts";

export interface TurnRecorderOptions {
	readonly sessions: WatchedSessions;
	readonly offers: SeedOffers;
	readonly check: SelfCheck;
	readonly canSeal: (caller: Caller) => boolean;
	readonly onPassed?: ((caller: Caller) => void) | undefined;
}

/** One request of the agent's loop, with its answer. */
export interface AnsweredTurn {
	readonly wire: Wire;
	readonly facts: RequestFacts;
	readonly answer: AnswerEvent;
}

/** An agent that compacts keeps little or nothing. Messages this new wait, so that summaries do not become too small. */
const AHEAD = { keepTokens: 2_000, ceilingTokens: 2_000 };
/** Looking for messages to summarise takes a walk through the session. */
const AHEAD_STEP_TOKENS = 4_000;
/** After one answer: the next request may have to wait for it. */
const MAX_NODES_AHEAD = 8;

export class TurnRecorder {
	readonly #options: TurnRecorderOptions;

	constructor(options: TurnRecorderOptions) {
		this.#options = options;
	}

	async record(session: WatchedSession, turn: AnsweredTurn): Promise<void> {
		const { facts, answer } = turn;
		if (!facts.isTurn) return;
		session.requests++;
		session.model = answer.model ?? facts.model ?? session.model;
		session.namesTools ||= facts.namesTools;
		if (answer.usage) session.prompt = promptTokens(answer.usage);
		const engine = await this.#options.sessions.catchUp(session);
		if (!engine) return;
		this.#options.offers.settle(session, engine);
		const leaf = askedAt(engine, session);
		this.#keepRequest(session, engine, turn, leaf);
		await this.#prepareSeal(session, engine, leaf);
	}

	/** Asks whether a seal is due for the request that is being answered, as soon as the agent has written its results down. */
	async ask(session: WatchedSession, signal: AbortSignal): Promise<void> {
		const { sessions, offers } = this.#options;
		const engine = await sessions.whenWritten(
			session,
			(each) => (session.unseenCalls.length === 0 || holdsResults(session, each) ? each : undefined),
			(each) => each === undefined || signal.aborted,
		);
		if (!engine) return;
		session.unseenCalls = [];
		offers.settle(session, engine);
		const leaf = askedAt(engine, session);
		session.due = leaf === undefined ? undefined : engine.requests.dueWhy({ ...session.input, leaf, decide: true });
	}

	#keepRequest(session: WatchedSession, engine: Engine, turn: AnsweredTurn, leaf: number | undefined): void {
		const { wire, facts } = turn;
		const isUntested = !this.#options.check.passes(session.caller.version);
		if (!isUntested && wire.hasOwnManifests) return;
		const before = session.passed;
		session.passed = sizeRequest(facts.head, facts.messages());
		if (!wire.hasOwnManifests) writeManifest(session, session.passed, before, engine, turn, leaf);
		if (isUntested && before) this.#checkVersion(session, session.passed, before, engine, turn);
	}

	#checkVersion(
		session: WatchedSession,
		passed: PassedRequest,
		before: PassedRequest,
		engine: Engine,
		{ facts: { newestResult }, answer }: AnsweredTurn,
	): void {
		const { check, onPassed } = this.#options;
		const { messages } = engine.requests.moment(session.input).path;
		const hasPassed = check.take(session.caller.version, {
			isExtended: before.items.every(({ sha256 }, at) => sha256 === passed.items[at]?.sha256),
			hasUsage: answer.usage !== undefined,
			isWritten: newestResult === undefined || messages.some(({ results }) => results?.includes(newestResult) ?? false),
		});
		if (hasPassed) onPassed?.(session.caller);
	}

	/** Asks whether a seal is due, and does most of the work for its seed now, while no request waits. */
	async #prepareSeal(session: WatchedSession, engine: Engine, leaf: number | undefined): Promise<void> {
		if (leaf === undefined) {
			session.due = undefined;
			return;
		}
		const input = { ...session.input, leaf, decide: true };
		session.due = engine.requests.dueWhy(input);
		if (!this.#options.canSeal(session.caller)) return;
		if (modeOf(engine.settings.mode).summarises && session.hasGrown(AHEAD_STEP_TOKENS))
			await engine.compact({ session: session.ref, leaf, settings: AHEAD, maxNodes: MAX_NODES_AHEAD });
		if (session.due === undefined || session.isRehearsed) return;
		session.isRehearsed = true;
		await engine.requests.seal(input);
	}
}

function holdsResults(session: WatchedSession, engine: Engine): boolean {
	const { messages } = engine.requests.moment(session.input).path;
	return session.unseenCalls.every((id) => messages.some(({ results }) => results?.includes(id)));
}

/** For agents that do not record their requests. */
function writeManifest(
	session: WatchedSession,
	passed: PassedRequest,
	before: PassedRequest | undefined,
	engine: Engine,
	{ facts: { model }, answer }: AnsweredTurn,
	leaf: number | undefined,
): void {
	const request = answer.answer ?? `passed ${session.requests}`;
	const reason = session.isCompacted ? HOST_COMPACTED : "the host changed what it had sent";
	session.isCompacted = false;
	const payload = passedManifest({ request, model, reason }, passed, before);
	engine.record([{ ...session.ref, type: "Request", entry: `request ${request}`, cause: leaf, payload }]);
}

/** The entry at which the agent asked last: before its newest answer, not before a compaction. */
function askedAt(engine: Engine, { ref }: WatchedSession): number | undefined {
	engine.history.catchUp();
	return findNewest(engine, ref, (entry) => (isMessage(entry) ? entry.role !== "assistant" : isCompaction(entry)))?.seq;
}
