/**
 * Native seals. Every request passes. When a seal is due, the proxy raises the usage in one answer, and the agent starts its
 * own compaction. The proxy recognises that request by its text and by its place in a watched session, and answers it at
 * once with the planner's seed. The agent writes the seed into its own session, which works without weft. Requests pass as they
 * came, except for thinking that a model would refuse after the seed.
 */
import type { IncomingHttpHeaders } from "node:http";
import { untilAborted } from "../../base/async/until-aborted.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import type { JsonObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import type { AnswerEvent } from "../../message/dialect/dialect.ts";
import { newerUsage, totalTokens } from "../../message/usage.ts";
import type { LiveSessionFiles } from "../live/live-session-files.ts";
import { EventTap } from "./event-tap.ts";
import { HeldBody } from "./held-body.ts";
import { holdsSignatures, keptSignatures } from "./kept-thinking.ts";
import { isPacked, parseBody, unpackBody } from "./request-encoding.ts";
import { holdsWords, SeedOffers } from "./seed-offers.ts";
import type { SelfCheck } from "./self-check.ts";
import { SignScan } from "./sign-scan.ts";
import { TurnRecorder } from "./turn-recorder.ts";
import type { Decision, MetRequest, Visit, Watch } from "./watch.ts";
import type { ModelFacts, WatchedSession } from "./watched-session.ts";
import { WatchedSessions } from "./watched-sessions.ts";
import type { Caller, RequestFacts, Wire } from "./wire.ts";

export interface SealWatchOptions extends ModelFacts {
	readonly wires: readonly Wire[];
	readonly files: LiveSessionFiles;
	/** Tokens above which the agent compacts by itself. */
	readonly threshold: number;
	/** It also compacts this many tokens below the window of the model. */
	readonly reserve?: number | undefined;
	/** Decides which versions get seals. */
	readonly check: SelfCheck;
	/** True: answer nothing and raise no usage. */
	readonly recordOnly?: boolean | undefined;
	/** Called when an untested version has shown the expected requests. */
	readonly onPassed?: ((caller: Caller) => void) | undefined;
	readonly onFail: (where: string, error: unknown) => void;
	readonly now?: (() => number) | undefined;
}

interface WatchedRequest {
	readonly wire: Wire;
	readonly caller: Caller;
	readonly headers: IncomingHttpHeaders;
}

/** How far above its threshold the raised usage is. */
const MARGIN_TOKENS = 3_000;
/** Every block of thinking that a provider checks has one. */
const SIGNATURE = Buffer.from('"signature":"');
/** The longest that the first request of a session waits until the log knows which thinking it kept. */
const MAX_UNKNOWN_MS = 3_000;
/** The longest that the end of an answer waits. */
const MAX_HELD_MS = 1_000;
/** The agent usually records an answer after the first look. */
const LAST_LOOK_MS = 1_000;

export class SealWatch implements Watch {
	readonly #options: SealWatchOptions;
	readonly #now: () => number;
	readonly #sessions: WatchedSessions;
	readonly #offers: SeedOffers;
	readonly #turns: TurnRecorder;

	constructor(options: SealWatchOptions) {
		const { files, window, isLocal, check, onPassed, now = Date.now } = options;
		this.#options = options;
		this.#now = now;
		this.#sessions = new WatchedSessions(files, { window, isLocal }, now);
		this.#offers = new SeedOffers({ sessions: this.#sessions, now });
		const canSeal = (caller: Caller) => this.#canSeal(caller);
		this.#turns = new TurnRecorder({ sessions: this.#sessions, offers: this.#offers, check, canSeal, onPassed });
	}

	/** A request that may be a compaction, or that holds a seed of ours, waits until it is whole. */
	meet({ method, path, headers }: MetRequest): Visit | undefined {
		const wire = this.#options.wires.find((each) => each.isCall(method, path));
		const caller = wire?.readCaller(headers);
		if (!wire || !caller) return undefined;
		const session = this.#sessions.get(caller);
		const isOrdinary = session !== undefined && session.requests > 0 && !session.wasRaised && !session.holdsSeed;
		const isUnchanged = session !== undefined && !this.#mayChange(wire, session);
		const wanted = isOrdinary && isUnchanged && wire.canLeaveEarly(headers) ? "ahead" : "whole";
		const request = { wire, caller, headers };
		if (isPacked(headers["content-encoding"]))
			return { wanted, decide: (body) => this.#decidePacked(request, body.whole()) };
		const scan = new SignScan(wire.signs);
		return {
			wanted,
			take: (chunk) => scan.take(chunk),
			decide: (body) => this.#decide(request, body, scan.isFound),
		};
	}

	fail(where: string, error: unknown): void {
		this.#options.onFail(where, error);
	}

	/** Reads the agents' files to their end. */
	async settle(): Promise<void> {
		await Promise.all(this.#sessions.all().map((session) => this.#lookLast(session)));
	}

	async #decidePacked(request: WatchedRequest, packed: Buffer): Promise<Decision> {
		const body = await unpackBody(packed, request.headers["content-encoding"]);
		if (!body) return { kind: "pass" };
		const hasSign = request.wire.signs.some((sign) => body.includes(sign));
		return this.#decide(request, new HeldBody([body]), hasSign);
	}

	#decide(request: WatchedRequest, body: HeldBody, hasSign: boolean): Decision | Promise<Decision> {
		const session = this.#sessions.open(request.caller);
		if (hasSign) return this.#decideSigned(request, session, body.whole());
		const tap = () => this.#tap(request, session, body);
		const { keptThinking } = session;
		if (keptThinking.isUnknown && !body.includes(SIGNATURE)) keptThinking.begin();
		if (!this.#mayChange(request.wire, session)) return { kind: "pass", tap: tap() };
		return this.#leaveOut(request, session, parseBody(body.whole())).then((changed) => passed(changed, tap()));
	}

	/** True: the session's next request may hold thinking that is left out. */
	#mayChange(wire: Wire, { keptThinking, caller }: WatchedSession): boolean {
		return wire.boundThinking !== undefined && keptThinking.isPossible && this.#canSeal(caller);
	}

	/** The request without the thinking that the agent kept across its compaction. Undefined: it holds none. */
	async #leaveOut(
		{ wire }: WatchedRequest,
		session: WatchedSession,
		body: JsonObject | undefined,
	): Promise<JsonObject | undefined> {
		const { keptThinking } = session;
		const bound = body && this.#mayChange(wire, session) ? wire.boundThinking?.(body) : undefined;
		if (!bound) return undefined;
		if (keptThinking.isUnknown) {
			const isLate = () => this.#now() - session.since >= MAX_UNKNOWN_MS;
			// A fork sends its first request before its file is written.
			const find = (engine: Engine, late: boolean) =>
				late || holdsSignatures(engine, session.input, bound.signatures)
					? keptSignatures(engine, session.input)
					: undefined;
			keptThinking.begin(await this.#sessions.whenWritten(session, find, isLate));
		}
		const left = keptThinking.of(bound.signatures, (seed) => bound.texts().some((text) => holdsWords(text, seed)));
		return left.size === 0 ? undefined : bound.without(left);
	}

	/** A request with one of the wire's signs: a compaction, one that holds our seed, or one that only quotes a sign. */
	async #decideSigned(request: WatchedRequest, session: WatchedSession, bytes: Buffer): Promise<Decision> {
		const { wire, caller, headers } = request;
		const body = parseBody(bytes);
		const compaction = body && wire.readCompaction(body, headers);
		if (compaction) session.unseenCalls = [];
		if (compaction && this.#canSeal(caller)) {
			const answer = await this.#offers.answer(session, compaction, sha256(bytes));
			if (answer) return { kind: "answer", ...answer };
		}
		const opened = body && wire.openSeeds?.(body);
		if (opened) session.holdsSeed = true;
		// A summary by the provider is not a turn of the agent.
		const tap = compaction ? undefined : this.#tap(request, session, new HeldBody([bytes]));
		return passed(opened ?? (await this.#leaveOut(request, session, body)), tap);
	}

	#canSeal({ version }: Caller): boolean {
		return !this.#options.recordOnly && this.#options.check.passes(version);
	}

	#tap(request: WatchedRequest, session: WatchedSession, body: HeldBody): EventTap {
		const { wire, caller } = request;
		const hash = () => sha256(body.whole());
		let known: RequestFacts | undefined;
		const facts = () => (known ??= this.#readFacts(request, session, body));
		let answer: AnswerEvent = {};
		const calls: string[] = [];
		return new EventTap({
			canChange: this.#canSeal(caller) && this.#sessions.engineOf(session) !== undefined && session.canRaise(hash),
			isWanted: (event) => wire.isAnswerEvent(event),
			onEvent: (data, canChange) => {
				const event = wire.readEvent(data);
				if (!event) return undefined;
				calls.push(...(event.calls ?? []));
				const usage = event.usage && newerUsage(event.usage, answer.usage);
				answer = {
					answer: event.answer ?? answer.answer,
					model: event.model ?? answer.model,
					usage: usage ?? answer.usage,
				};
				if (!canChange || !event.isFinal || !usage || !facts().isTurn) return undefined;
				const more = this.#thresholdOf(session) + MARGIN_TOKENS - totalTokens(usage);
				if (more <= 0) return undefined;
				const given = answer.answer;
				return this.#isDue(session, hash).then((isDue) => {
					if (!isDue || !this.#recordRaise(session, given, more)) return undefined;
					session.raise(hash());
					return wire.raiseUsage(data, more, usage);
				});
			},
			onEnd: ({ status, isWhole }) => {
				if (status !== 200 || !isWhole) return;
				if (calls.length > 0) {
					session.newestCalls = calls;
					session.unseenCalls = calls;
				}
				void this.#look(session, () => this.#turns.record(session, { wire, facts: facts(), answer }));
				clearTimeout(session.later);
				session.later = setTimeout(() => void this.#lookLast(session), LAST_LOOK_MS);
				session.later.unref();
			},
		});
	}

	/**
	 * Whether a seal is due by what the request holds. The end of the answer waits for it: a model takes longer to answer than an agent
	 * to write its file. If the file does not come in time, the next request asks again.
	 */
	async #isDue(session: WatchedSession, hash: () => string): Promise<boolean> {
		if (session.isRaised(hash)) return true;
		if (session.due === undefined) {
			const late = AbortSignal.timeout(MAX_HELD_MS);
			const asked = this.#look(session, () => this.#turns.ask(session, late));
			await untilAborted(late, () => asked).catch(() => {
				session.unseenCalls = [];
			});
		}
		return session.due !== undefined && session.canRaise(hash);
	}

	/** An agent does not believe a usage beyond the model's window. */
	#thresholdOf({ listedWindow }: WatchedSession): number {
		const { threshold, reserve } = this.#options;
		return reserve === undefined || listedWindow === undefined
			? threshold
			: Math.min(threshold, listedWindow - reserve);
	}

	/** Recorded before the agent reads it, because sums must leave it out. If that fails, nothing is raised. */
	#recordRaise(session: WatchedSession, answer: string | undefined, tokens: number): boolean {
		const engine = this.#sessions.engineOf(session);
		if (!engine || answer === undefined) return false;
		try {
			const payload = { answer, tokens, why: session.due ?? "asked" };
			engine.record([{ ...session.ref, type: "UsageRaised", entry: `raised ${answer}`, payload }]);
			return true;
		} catch (error) {
			this.fail("raise", error);
			return false;
		}
	}

	/** Parsing a whole request takes time and memory: for a tested version a glance is often enough. */
	#readFacts({ wire, caller, headers }: WatchedRequest, session: WatchedSession, body: HeldBody): RequestFacts {
		const glance = this.#options.check.isTested(caller.version) ? wire.glance?.(body, session.namesTools) : undefined;
		return glance ?? wire.readFacts(parseBody(body.whole()) ?? {}, headers);
	}

	#lookLast(session: WatchedSession): Promise<void> {
		clearTimeout(session.later);
		return this.#look(session, async () => {
			const engine = await this.#sessions.catchUp(session);
			if (engine) this.#offers.settle(session, engine);
		});
	}

	/** One look at a time. A look that fails does not stop the next one. */
	#look(session: WatchedSession, look: () => Promise<void>): Promise<void> {
		session.looking = session.looking.then(look).catch((error: unknown) => this.fail("look", error));
		return session.looking;
	}
}

/** `changed`: what leaves in place of the request. */
function passed(changed: JsonObject | undefined, tap: EventTap | undefined): Decision {
	return changed ? { kind: "replace", body: Buffer.from(JSON.stringify(changed)), tap } : { kind: "pass", tap };
}
