/** A request before and after it is made: its session, facts that the log does not know, and the result. */

import { asName } from "../base/json/read.ts";
import type { Prices } from "../base/tokens/prices.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { repairRequest } from "../message/repair.ts";
import { withoutThinking } from "../message/thinking.ts";
import {
	type ThinkingRequest,
	type ThinkingRule,
	type ThinkingSwitch,
	thinkingRule,
} from "../message/thinking-rules.ts";
import { type CheckOptions, checkRequest, type Violation } from "../message/validity.ts";
import type { Form } from "../message/view.ts";
import type { CompactOptions } from "../state/history/compact.ts";
import { leaveOutThinking, misplacedThinking, type ThinkingFacts } from "./bound-thinking.ts";
import { type Segment, segmentsOf } from "./envelope/bytes.ts";
import {
	type ContextEnvelope,
	type EnvelopeInput,
	type EnvelopeMessage,
	type GivenMessage,
	hostMessages,
	makeEnvelope,
	withCached,
} from "./envelope/envelope.ts";
import type { HandlerFailure } from "./handler/chain.ts";
import type { SealRequest } from "./mode.ts";
import type { ModeName } from "./moment.ts";
import { identify, idsOf } from "./patch/message-op.ts";
import { type ReplayItem, replay } from "./patch/replay.ts";
import type { StoredTransform } from "./patch/stored-transform.ts";
import type { Transform } from "./patch/transform.ts";
import type { Path } from "./path.ts";
import { type OpeningRole, type Plan, type PlannedSeal, sealReason } from "./plan.ts";
import type { AutoSealCause } from "./seal/policy.ts";
import type { ContextItem } from "./section/section.ts";
import type { SeenAnswers } from "./seen-prefixes.ts";
import type { PlannedRequest } from "./walk.ts";

/** Why an answer that was sent whole comes without its thinking. */
export const THINKING_LEFT = "thinking left out: what is before it changed";

/** The system prompt's parts, the tools, options. */
export type RequestBase = Pick<EnvelopeInput, "systemParts" | "tools" | "options">;

/** A session's next request, with facts that the log does not know. */
export interface RequestInput extends SessionRef {
	/** By default what the settings say. */
	readonly mode?: ModeName | undefined;
	readonly model?: string | undefined;
	/** Pi's name of the API that the model is asked over; by default that of the newest answer. */
	readonly api?: string | undefined;
	/** How the request asks for thinking; undefined: not known. */
	readonly thinking?: ThinkingSwitch | undefined;
	/** The hash of its tools and system text, where the agent knows it; by default that of the newest request. */
	readonly head?: (() => string | undefined) | undefined;
	/** The agent's own prices; by default those we know. */
	readonly prices?: Prices | undefined;
	/** Decides when weft seals, where the setting leaves it open; by default as the session's last request had it. */
	readonly autoSeal?: AutoSealCause | undefined;
	/** The model's context window, and its longest answer, in tokens. */
	readonly window?: number | undefined;
	readonly maxTokens?: number | undefined;
	/** A function where the agent needs time to build it: called when a request is made. */
	readonly base?: RequestBase | (() => RequestBase) | undefined;
	/** seq of the agent's newest entry; by default the session's newest. */
	readonly leaf?: number | undefined;
	/** When the provider was last asked, ms since the epoch, if the agent knows it better than the log. */
	readonly lastAskedAt?: number | undefined;
	/** How the agent shows the text that opens an epoch; by default as a message of the user. */
	readonly openingRole?: OpeningRole | undefined;
	/** A last message, for this request alone. */
	readonly last?: string | undefined;
	/** False: the agent cannot call our tools, so no rendered text names them. */
	readonly namesTools?: boolean | undefined;
	/** False: asks no handlers, because the agent cannot apply their patches. */
	readonly asksHandlers?: boolean | undefined;
	/** False: makes no seal; the agent seals at the end of its turns. */
	readonly decide?: boolean | undefined;
	readonly signal?: AbortSignal | undefined;
}

export interface SealInput extends RequestInput, SealRequest {
	/** The summarisers; by default the deterministic one alone, which takes no time. */
	readonly models?: CompactOptions["models"];
	readonly gate?: CompactOptions["gate"];
}

export interface MadeRequest {
	/** Its id, as in its Request event. */
	readonly request: string;
	readonly mode: ModeName;
	readonly plan: Plan;
	/** The request to send. */
	readonly envelope: ContextEnvelope;
	/** The part that stays for the next request: without the messages for this one alone. */
	readonly durable: ContextEnvelope;
	/** As the agent sends them, each in the form in which it was recorded. */
	readonly messages: readonly Readonly<Record<string, unknown>>[];
	readonly tokens: number;
	/** The parts, each with its reason. */
	readonly parts: readonly ContextItem[];
	/** Patches of this request, not stored yet. */
	readonly transforms: readonly Transform[];
	/** Why bytes that were sent before differ now. */
	readonly reasons: readonly string[];
	readonly failures: readonly HandlerFailure[];
	/** True: it must not be sent in another form, because a handler redacts it. */
	readonly isRequired: boolean;
	/** Empty, or it must not be sent. */
	readonly violations: readonly Violation[];
	/** Repairs to the agent's own history. */
	readonly repairs: readonly string[];
	readonly thinking: ThinkingFacts;
	/** Ids of the messages that are sent without their thinking. */
	readonly withoutThinking: readonly string[];
	/** The cached messages with all their thinking. */
	readonly whole: readonly EnvelopeMessage[];
	readonly model: string | undefined;
	readonly cold: boolean;
	readonly autoSeal: AutoSealCause | undefined;
	/** ms since the epoch. */
	readonly at: number;
	readonly leaf: number | undefined;
}

/** A request that is written down. */
export interface Assembled extends MadeRequest {
	/** Runs message handlers on a final message, before it is recorded and shown; null: it is dropped. */
	finish(message: GivenMessage): Promise<GivenMessage | null>;
	/** Called when the turn's messages are recorded: runs the handlers of `turn_end` and stores their changes. */
	endTurn(): Promise<void>;
}

export interface EndedTurn {
	/** Why bytes that were sent before will differ. */
	readonly reasons: readonly string[];
	readonly seal: PlannedSeal | undefined;
	readonly stored: readonly StoredTransform[];
}

export interface FinishedMessage {
	/** null: it is left out. */
	readonly message: GivenMessage | null;
	readonly isChanged: boolean;
}

export interface RecordOptions {
	/** Why bytes already sent may have changed, beyond what the plan knows. */
	readonly reasons?: readonly string[] | undefined;
	/** The system text and the tools as they were sent. */
	readonly base?: RequestBase | undefined;
	/** Hashes of weft's own part of system and tools, and of the agent's. */
	readonly head?: { readonly weft: string; readonly agent: string } | undefined;
}

export interface PlannedBytes extends Sendable {
	readonly segments: readonly Segment[];
	readonly tokens: number;
	/** The form of its messages: that of the agent that wrote them. */
	readonly form: Form;
	/** Why bytes that were sent before differ now; undefined: they do not. */
	readonly reason: string | undefined;
}

interface RequestOfOptions {
	/** The model is asked with it. False: no call is made now, and tools may still be running. */
	readonly isAsked: boolean;
	/** The id of a request that was made, and its ephemeral patches. */
	readonly request?: string | undefined;
	readonly ephemeral?: readonly ReplayItem[] | undefined;
	/** The model that is asked. */
	readonly model?: string | undefined;
	/** The prefix that each answer was made from, where the log has it. */
	readonly seen?: SeenAnswers | undefined;
	/** Of a request that was sent: what is known of its thinking. */
	readonly sentThinking?: SentThinking | undefined;
}

/** What the log says of the thinking in a request that was sent. */
export interface SentThinking extends Pick<ThinkingFacts, "head"> {
	/** Undefined: it was sent by a weft that knew no rule, or by the agent itself. */
	readonly rule: ThinkingRule | undefined;
}

/** Turns a plan into the request's bytes: the one way, for a look at the past and for replay. */
export function requestOf({ plan, path }: PlannedRequest, options: RequestOfOptions): PlannedBytes {
	const { isAsked, request, ephemeral = [], model, seen, sentThinking } = options;
	const { envelope, displaced } = replay(makeEnvelope({}), [...plan.items, ...ephemeral], { request });
	const rule = plan.mode === "host" ? "keep" : ruleOf(path, { model });
	const isAgents = plan.mode === "off";
	const head = sentThinking?.head ?? seen?.head;
	const thinking = { rule, form: path.form, model, displaced, isAgents, seen: seen?.seen, head };
	const checked = sendable(envelope, path.form, {
		mend: isAsked || !path.isOpen,
		isAsked,
		thinking: sentThinking ? { ...thinking, rule: sentThinking.rule ?? "keep" } : thinking,
		expected: sentThinking && { ...thinking, rule: sentThinking.rule ?? rule },
	});
	const segments = segmentsOf(checked.envelope);
	const tokens = segments.reduce((sum, segment) => sum + segment.tokens, 0);
	const reason = plan.seal && sealReason(plan.mode, plan.decision.why);
	return { ...checked, segments, form: path.form, tokens, reason };
}

interface Sendable {
	readonly envelope: ContextEnvelope;
	/** Empty, or it must not be sent. */
	readonly violations: readonly Violation[];
	/** Repairs to the agent's own history. */
	readonly repairs: readonly string[];
	/** Ids of the messages that are sent without their thinking. */
	readonly withoutThinking: readonly string[];
	/** The cached messages with all their thinking. */
	readonly whole: readonly EnvelopeMessage[];
}

/** The rule for thinking in a request; what the caller does not know is taken from the newest answer. */
export function ruleOf({ messages }: Pick<Path, "messages">, asked: ThinkingRequest): ThinkingRule {
	const newest = messages.findLast(({ role }) => role === "assistant")?.sent;
	return thinkingRule({
		model: asked.model ?? asName(newest?.["model"]),
		api: asked.api ?? asName(newest?.["api"]),
		thinking: asked.thinking,
	});
}

/**
 * Decides again which thinking a request leaves out, once its tools and system text are known. Thinking that is out already stays
 * out: the agent has built its request without it.
 */
export function withHead(made: MadeRequest, head: string): MadeRequest {
	const thinking = { ...made.thinking, head };
	if (head === made.thinking.head) return made;
	const { leftOut } = leaveOutThinking(made.whole, thinking);
	const more = leftOut.filter((id) => !made.withoutThinking.includes(id));
	if (more.length === 0) return { ...made, thinking };
	const cached = made.envelope.messages.cached.map((message) =>
		more.includes(message.id) ? withoutThinking(message) : message,
	);
	const envelope = withCached(made.envelope, cached);
	return {
		...made,
		thinking,
		envelope,
		withoutThinking: [...made.withoutThinking, ...more],
		reasons: [...new Set([...made.reasons, THINKING_LEFT])],
		get messages() {
			return hostMessages(envelope);
		},
	};
}

/** The request with the system text, tools and options as they were sent. */
export function withBase(envelope: ContextEnvelope, base: RequestBase): ContextEnvelope {
	const { system, tools, options } = makeEnvelope(base);
	return { ...envelope, system, tools, options: { ...envelope.options, ...options } };
}

interface SendableOptions {
	/** Repairs damage in the agent's own history; the uncached messages are ours and stay unchanged. */
	readonly mend: boolean;
	/** The model is asked now: a request cannot end with an answer. */
	readonly isAsked?: boolean | undefined;
	readonly thinking: ThinkingFacts;
	/** The rule that the request should follow, where it was made by another. */
	readonly expected?: ThinkingFacts | undefined;
}

/**
 * Checks whether a request may be sent, repairs damage in the agent's own history, and leaves out thinking that the provider would
 * refuse: the same for live requests and replay.
 */
export function sendable(given: ContextEnvelope, form: Form, options: SendableOptions): Sendable {
	const { mend, isAsked = false, thinking, expected } = options;
	const asked = isAsked ? withoutLastAnswers(given) : given;
	const whole = mend ? mendEnvelope(asked, form) : { envelope: asked, repairs: [], isSound: false };
	const bound = leaveOutThinking(whole.envelope.messages.cached, thinking);
	const left = bound.leftOut.length === 0 ? whole.envelope : withCached(whole.envelope, bound.messages);
	// A message that was nothing but thinking is empty now.
	const again = mend && bound.leftOut.length > 0 ? mendEnvelope(left, form) : { envelope: left, repairs: [] };
	const { envelope } = again;
	const misplaced = expected && misplacedIn(envelope, expected);
	const isKnownSound = whole.isSound && bound.leftOut.length === 0 && !expected;
	return {
		envelope,
		violations: isKnownSound ? [] : check(envelope, form, { thinking: expected?.rule, misplaced }),
		repairs: [...whole.repairs, ...again.repairs],
		withoutThinking: bound.leftOut,
		whole: whole.envelope.messages.cached,
	};
}

function misplacedIn({ messages }: ContextEnvelope, facts: ThinkingFacts): ReadonlySet<number> {
	const ids = misplacedThinking(messages.cached, facts);
	return new Set(messages.cached.flatMap(({ id }, at) => (ids.has(id) ? [at] : [])));
}

function check({ messages }: ContextEnvelope, form: Form, options?: CheckOptions): readonly Violation[] {
	return checkRequest([...messages.cached, ...messages.uncached], form, options);
}

interface MendedEnvelope extends Pick<Sendable, "envelope" | "repairs"> {
	/** True: it was valid before. */
	readonly isSound: boolean;
}

function mendEnvelope(envelope: ContextEnvelope, form: Form): MendedEnvelope {
	if (check(envelope, form).length === 0) return { envelope, repairs: [], isSound: true };
	const { cached, uncached } = envelope.messages;
	// After an answer the user speaks next: that is no damage.
	const isWaiting = uncached.length === 0 && cached.at(-1)?.role === "assistant";
	const spoken = isWaiting ? [...cached, { role: "user", content: "…" }] : cached;
	const { messages, repairs } = repairRequest(spoken, form);
	const repaired = messages.slice(0, isWaiting ? -1 : undefined);
	const mended = withCached(envelope, identify(repaired as readonly GivenMessage[], idsOf(uncached)));
	return { envelope: mended, repairs, isSound: false };
}

/** Two calls at once: the second had not seen the first answer, which comes back with the next message. */
function withoutLastAnswers(envelope: ContextEnvelope): ContextEnvelope {
	const { cached } = envelope.messages;
	const end = cached.findLastIndex(({ role }) => role !== "assistant") + 1;
	return end === cached.length ? envelope : withCached(envelope, cached.slice(0, end));
}
