/** The requests of a recording, one by one: as the planner makes them in a mode, or as weft really sent them. */

import { readerOf } from "../agent/agents.ts";
import { type ApiRequest, ApiRequests, hashOf } from "../agent/claude-code/requests.ts";
import { openingRoleOf } from "../agent/opening-role.ts";
import { asList, asName, asObject, asText, type JsonObject } from "../base/json/read.ts";
import type { Prices } from "../base/tokens/prices.ts";
import { type Segment, segmentsOf } from "../context/envelope/bytes.ts";
import { type ContextEnvelope, type EnvelopeMessage, makeEnvelope } from "../context/envelope/envelope.ts";
import { HOST_SUMMARY_TOKENS } from "../context/mode.ts";
import type { ModeName, PlanSettings } from "../context/moment.ts";
import type { Path } from "../context/path.ts";
import { HOST_COMPACTED, type Plan } from "../context/plan.ts";
import { type PlannedBytes, requestOf } from "../context/request.ts";
import { SentRequests } from "../context/sent-requests.ts";
import { Walk } from "../context/walk.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { HistorySettings } from "../state/history/types.ts";
import { hostLimit, measureMessage, sumTokens } from "./host-facts.ts";
import type { MeasuredRequest } from "./mode-report.ts";
import { type ModelCall, type Recording, rawPath } from "./recording.ts";

/**
 * `plain`: woven without limits on tool results, for a host that does not let weft shorten them.
 * `tail`: the newest messages alone, in as many tokens as woven's request has. What a mode holds must be worth more.
 * `sent`: what weft really sent. The others are modes of the planner.
 */
export const ROWS = ["woven", "plain", "warp", "lossless", "host", "tail", "sent"] as const;
export type RowName = (typeof ROWS)[number];
/** Rows of requests that weft makes or has made. */
export type PlannedRow = Exclude<RowName, "tail">;

export interface RowOptions
	extends Pick<
		PlanSettings,
		"window" | "profile" | "seal" | "sealShare" | "warpPer" | "maxSummaryTokens" | "threshold"
	> {
	readonly row: PlannedRow;
	readonly prices: Prices;
	/** How messages that leave the context are summarised. */
	readonly summaries?: Partial<HistorySettings> | undefined;
}

export interface ReplayedRequest extends PlannedBytes {
	readonly call: ModelCall;
	readonly plan: Plan;
	/** From this request on, a summary or seed replaces raw messages. */
	readonly isSealed: boolean;
	/** Tokens that a summariser wrote before it; 0: none ran. */
	readonly summariserTokens: number;
	/** The bytes have the hashes that the log recorded when they were sent. */
	readonly isAsSent: boolean;
	/** Tokens that the host added between the messages; they count as its system prompt and tools. */
	readonly addedTokens?: number | undefined;
}

export function replayRow(recording: Recording, options: RowOptions): AsyncGenerator<ReplayedRequest> {
	const { row } = options;
	if (row === "sent") return sentRequests(recording);
	return row === "plain"
		? plannedRequests(recording, "woven", options, false)
		: plannedRequests(recording, row, options);
}

const HOST_EDITED = "the host changed a message";

/** The log has requests that weft made. */
export function hasSent({ log, sessions }: Recording): boolean {
	return sessions.some(({ session, host }) => {
		for (const { payload } of log.read({ session, host, types: ["Request"], limit: 1 }))
			return payload["mode"] !== "host";
		return false;
	});
}

/** weft made the requests that were paid: they are in the log, or Pi's own file has weft's seals. */
export function ranWithWeft({ log, sessions }: Recording): boolean {
	return sessions.some(({ session, host }) => {
		for (const { payload } of log.read({ session, host, types: ["Request"], limit: 1 }))
			return payload["mode"] !== "host" && payload["mode"] !== "off";
		return Iterator.from(log.read({ session, host, types: ["Entry"] })).some(
			({ payload }) => asObject(asObject(payload["raw"])?.["details"])?.["weft"] !== undefined,
		);
	});
}

async function* plannedRequests(
	recording: Recording,
	mode: Exclude<PlannedRow, "sent" | "plain">,
	{ window, profile, seal, sealShare, warpPer, maxSummaryTokens, threshold, prices, summaries }: RowOptions,
	enters?: boolean,
): AsyncGenerator<ReplayedRequest> {
	const { log, calls, reader, scope } = recording;
	const settings = {
		mode,
		window,
		profile,
		seal,
		sealShare,
		warpPer,
		maxSummaryTokens,
		threshold,
		// Our modes do not see the host's own compactions: by the policy `host` they seal where it would compact.
		hostLimit: hostLimit(mode === "host" ? recording : { ...recording, hasCompacted: false }, calls, window),
	};
	const openingRole = openingRoleOf(recording.sessions[0]?.host ?? "");
	const walk = new Walk({ enters, log, sessions: scope, settings, prices, summaries, reader, openingRole });
	/** Compactions of the recording that are already paid. */
	const paid = new Set<number>();
	const sent = mode === "host" ? new HostRequests(log, recording.sessions) : undefined;
	for (const call of calls) {
		const planned = await walk.request(call);
		const { path, plan } = planned;
		const recorded = sent?.of(call);
		const { model } = call;
		const request = { ...requestOf(planned, { isAsked: true, model }), ...(recorded && recordedBytes(recorded, path)) };
		const { opening } = path;
		const compaction = opening?.by === "host" && !paid.has(opening.place) ? opening : undefined;
		if (compaction) paid.add(compaction.place);
		const written = compaction ? measureMessage(compaction.sent).tokens : plan.seal ? HOST_SUMMARY_TOKENS : 0;
		const summariserTokens = mode === "host" ? Math.round(written) : 0;
		const isEdited = (path.editedAt ?? 0) > (calls[call.index - 1]?.upTo ?? 0);
		const reason = request.reason ?? (compaction ? HOST_COMPACTED : isEdited ? HOST_EDITED : undefined);
		const isSealed = plan.seal !== undefined || compaction !== undefined;
		yield { ...request, call, plan, isSealed, summariserTokens, reason, isAsSent: true };
	}
}

/** The provider accepted what was really sent: it cannot be invalid. */
function recordedBytes(envelope: ContextEnvelope, { opening, messages }: Path) {
	const segments = segmentsOf(envelope);
	const recorded = sumTokens([...(opening ? [opening.sent] : []), ...messages.map(({ sent }) => sent)]);
	return {
		envelope,
		segments,
		tokens: segments.reduce((sum, segment) => sum + segment.tokens, 0),
		form: "anthropic",
		violations: [],
		repairs: [],
		withoutThinking: [],
		whole: envelope.messages.cached,
		addedTokens: Math.max(0, sumTokens(envelope.messages.cached) - recorded),
	} as const;
}

const TAIL_MOVED = "the tail moved on";

/** `sizes`: the tokens that each request may have. */
export async function* tailRequests(
	{ calls, reader }: Recording,
	sizes: readonly number[],
): AsyncGenerator<MeasuredRequest> {
	for (const call of calls) yield tailRequest(call, rawPath(reader, call), sizes[call.index] ?? 0);
}

/** A request of the newest messages in so many tokens. */
export function tailRequest(call: ModelCall, { messages }: Path, maxTokens: number): MeasuredRequest {
	const envelope = makeEnvelope({ messages: newest(messages, maxTokens).map(({ sent }) => sent) });
	return {
		call,
		envelope,
		segments: segmentsOf(envelope),
		// It may begin with a result whose call it lacks: no agent sends it.
		violations: [],
		summariserTokens: 0,
		isSealed: false,
		isAsSent: true,
		reason: TAIL_MOVED,
	};
}

/** The newest messages in so many tokens; at least one. */
function newest(messages: Path["messages"], maxTokens: number): Path["messages"] {
	let size = 0;
	const first = messages.findLastIndex(({ sent }, at) => {
		size += measureMessage(sent).tokens;
		return size > maxTokens && at < messages.length - 1;
	});
	return messages.slice(first + 1);
}

async function* sentRequests({ history, calls, reader }: Recording): AsyncGenerator<ReplayedRequest> {
	const sent = new SentRequests(history, reader);
	const openings = new Set<string>();
	let mode: ModeName | undefined;
	for (const call of calls) {
		const made = sent.madeAt(call);
		const { planned, request, ephemeral, thinking: sentThinking, seen } = sent.read(call, made);
		const { model } = call;
		const bytes = requestOf(planned, { isAsked: true, request, ephemeral, model, seen, sentThinking });
		const opening = planned.plan.opening?.sent.id;
		const isSealed = opening !== undefined && !openings.has(opening);
		if (isSealed) openings.add(opening);
		const { plan } = planned;
		const switched = mode !== undefined && mode !== plan.mode ? `switched to ${plan.mode}` : undefined;
		mode = plan.mode;
		const reason = asName(asList(made?.payload["reasons"])[0]) ?? switched ?? (isSealed ? HOST_COMPACTED : undefined);
		yield { ...bytes, call, plan, isSealed, summariserTokens: 0, reason, isAsSent: isAsSent(bytes.segments, made) };
	}
}

const MESSAGE_SEGMENTS: ReadonlySet<string> = new Set(["seed", "tail", "uncached"]);

function isAsSent(segments: readonly Segment[], made: EventRecord | undefined): boolean {
	if (!made || !isA(made, "Request")) return true;
	const hashes = (of: readonly { readonly name: string; readonly sha256: string }[]) =>
		of.flatMap(({ name, sha256 }) => (MESSAGE_SEGMENTS.has(name) ? [sha256] : [])).join();
	return hashes(made.payload.segments) === hashes(segments);
}

/**
 * The requests that a host really sent, where its session file records them: Claude Code does since 2.1.325. They are
 * restored exactly, with system prompt and tools, and each message is verified by its hash.
 */
class HostRequests {
	readonly #log: Log;
	readonly #requests = new Map<string, ContextEnvelope>();
	/** One object per message, so that everything derived from a message is computed once. */
	readonly #messages = new Map<string, EnvelopeMessage>();

	constructor(log: Log, sessions: readonly SessionRef[]) {
		this.#log = log;
		for (const of of sessions) if (readerOf(of.host)?.recordsRequests) this.#read(of);
	}

	/** Undefined: the request was not recorded, or not all of it can be verified. */
	of({ answer }: ModelCall): ContextEnvelope | undefined {
		if (this.#requests.size === 0) return undefined;
		const line = asObject(this.#log.get(answer.seq)?.payload["raw"]);
		return this.#requests.get(asName(line?.["requestRef"]) ?? "");
	}

	#read({ session, host }: SessionRef): void {
		const requests = new ApiRequests<JsonObject>((message) => message);
		for (const { payload } of this.#log.read({ session, host, types: ["Message", "Entry"] })) {
			const line = asObject(payload["raw"]);
			const request = line && requests.take(line);
			const envelope = request && this.#envelope(request);
			if (request && envelope) this.#requests.set(request.id, envelope);
		}
	}

	#envelope({ messages, shape }: ApiRequest<JsonObject>): ContextEnvelope | undefined {
		const sent: EnvelopeMessage[] = [];
		const times = new Map<string, number>();
		for (const { hash, kept } of messages) {
			if (!kept) return undefined;
			const nth = (times.get(hash) ?? 0) + 1;
			times.set(hash, nth);
			const message = this.#message(nth === 1 ? hash : `${hash}#${nth}`, hash, kept);
			if (!message) return undefined;
			sent.push(message);
		}
		return makeEnvelope({
			systemParts: (shape?.system ?? []).map((part, at) => ({
				name: `system ${at}`,
				text: asText(part["text"]) ?? "",
			})),
			tools: (shape?.tools ?? []).map((tool, at) => ({
				name: asName(tool["name"]) ?? `tool ${at}`,
				description: asText(tool["description"]) ?? "",
				parameters: tool["input_schema"] ?? {},
			})),
			messages: sent,
		});
	}

	#message(id: string, hash: string, kept: JsonObject): EnvelopeMessage | undefined {
		const known = this.#messages.get(id);
		if (known) return known;
		if (hashOf(kept) !== hash) return undefined;
		const message = Object.freeze({ ...kept, id }) as EnvelopeMessage;
		this.#messages.set(id, message);
		return message;
	}
}
