/** The requests of a recording, one after the other: as the planner makes each in a mode, or as weft really sent them. */

import { openingRoleOf } from "../agent/opening-role.ts";
import { asList, asName } from "../base/json/read.ts";
import type { Prices } from "../base/tokens/prices.ts";
import { type Segment, segmentsOf } from "../context/envelope/bytes.ts";
import type { ContextEnvelope } from "../context/envelope/envelope.ts";
import { HOST_SUMMARY_TOKENS } from "../context/mode.ts";
import type { ModeName, PlanSettings } from "../context/moment.ts";
import type { Path } from "../context/path.ts";
import type { Plan } from "../context/plan.ts";
import { HOST_COMPACTED } from "../context/plan.ts";
import { type PlannedBytes, requestOf } from "../context/request-of.ts";
import { SentRequests } from "../context/sent-requests.ts";
import { Walk } from "../context/walk.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import type { HistorySettings } from "../state/history/types.ts";
import { hostLimit } from "./host-facts.ts";
import { HostRequests } from "./host-requests.ts";
import type { ModelCall, Recording } from "./recording.ts";
import { measureMessage, sumTokens } from "./ruler.ts";

/**
 * `plain`: woven without the entry rules, for a host that does not let results be shortened before they are sent.
 * `sent`: what weft really sent, where it was there. The others are modes of the planner.
 */
export const ROWS = ["woven", "plain", "warp", "lossless", "host", "sent"] as const;
export type RowName = (typeof ROWS)[number];

export interface RowOptions
	extends Pick<PlanSettings, "window" | "profile" | "warpPer" | "maxSummaryTokens" | "threshold"> {
	readonly row: RowName;
	readonly prices: Prices;
	/** How what leaves is summarised. */
	readonly summaries?: Partial<HistorySettings> | undefined;
}

export interface ReplayedRequest extends PlannedBytes {
	readonly call: ModelCall;
	readonly plan: Plan;
	/** From now on something else is in the place of raw messages. */
	readonly isSealed: boolean;
	/** Tokens that a summariser model wrote before it; 0: none was asked. */
	readonly summariserTokens: number;
	/** False: its bytes are not those that the log says were sent. Logs of older versions do not hold all of them. */
	readonly isProven: boolean;
	/** Tokens of what the host put between the messages of the transcript: they are counted among its system and tools. */
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

/** True: the log holds requests that weft made. */
export function hasSent({ log, sessions }: Recording): boolean {
	return sessions.some(({ session, host }) => {
		for (const { payload } of log.read({ session, host, types: ["Request"], limit: 1 }))
			return payload["mode"] !== "host";
		return false;
	});
}

async function* plannedRequests(
	recording: Recording,
	mode: Exclude<RowName, "sent" | "plain">,
	{ window, profile, warpPer, maxSummaryTokens, threshold, prices, summaries }: RowOptions,
	enters?: boolean,
): AsyncGenerator<ReplayedRequest> {
	const { log, calls, reader, scope } = recording;
	const settings = {
		mode,
		window,
		profile,
		warpPer,
		maxSummaryTokens,
		threshold,
		hostLimit: hostLimit(recording, calls, window),
	};
	const openingRole = openingRoleOf(recording.sessions[0]?.host ?? "");
	const walk = new Walk({ enters, log, sessions: scope, settings, prices, summaries, reader, openingRole });
	/** Compactions of the recording that were met before: each was paid once. */
	const paid = new Set<number>();
	const sent = mode === "host" ? new HostRequests(log, recording.sessions) : undefined;
	for (const call of calls) {
		const planned = await walk.request(call);
		const { path, plan } = planned;
		const recorded = sent?.of(call);
		const request = { ...requestOf(planned, { isAsked: true }), ...(recorded && recordedBytes(recorded, path)) };
		const isCompacted = path.opening?.by === "host" && !paid.has(path.opening.place);
		if (isCompacted) paid.add(path.opening!.place);
		const written = isCompacted ? measureMessage(path.opening!.sent).tokens : plan.seal ? HOST_SUMMARY_TOKENS : 0;
		const summariserTokens = mode === "host" ? Math.round(written) : 0;
		const isEdited = (path.editedAt ?? 0) > (calls[call.index - 1]?.upTo ?? 0);
		const reason = request.reason ?? (isCompacted ? HOST_COMPACTED : isEdited ? HOST_EDITED : undefined);
		const isSealed = plan.seal !== undefined || isCompacted;
		yield { ...request, call, plan, isSealed, summariserTokens, reason, isProven: true };
	}
}

/** What was really sent has been taken: it cannot be invalid. */
function recordedBytes(envelope: ContextEnvelope, { opening, messages }: Path) {
	const segments = segmentsOf(envelope);
	const told = sumTokens([...(opening ? [opening.sent] : []), ...messages.map(({ sent }) => sent)]);
	return {
		envelope,
		segments,
		tokens: segments.reduce((sum, segment) => sum + segment.tokens, 0),
		form: "anthropic",
		violations: [],
		repairs: [],
		addedTokens: Math.max(0, sumTokens(envelope.messages.cached) - told),
	} as const;
}

async function* sentRequests({ history, calls, reader }: Recording): AsyncGenerator<ReplayedRequest> {
	const sent = new SentRequests(history, reader);
	const openings = new Set<string>();
	let mode: ModeName | undefined;
	for (const call of calls) {
		const made = sent.madeAt(call);
		const { planned, request, ephemeral } = sent.read(call, made);
		const bytes = requestOf(planned, { isAsked: true, request, ephemeral });
		const opening = planned.plan.opening?.sent.id;
		const isSealed = opening !== undefined && !openings.has(opening);
		if (isSealed) openings.add(opening);
		const { plan } = planned;
		const switched = mode !== undefined && mode !== plan.mode ? `switched to ${plan.mode}` : undefined;
		mode = plan.mode;
		const reason = asName(asList(made?.payload["reasons"])[0]) ?? switched ?? (isSealed ? HOST_COMPACTED : undefined);
		yield { ...bytes, call, plan, isSealed, summariserTokens: 0, reason, isProven: isProven(bytes.segments, made) };
	}
}

const SPOKEN: ReadonlySet<string> = new Set(["seed", "tail", "uncached"]);

function isProven(segments: readonly Segment[], made: EventRecord | undefined): boolean {
	if (!made || !isA(made, "Request")) return true;
	const hashes = (of: readonly { readonly name: string; readonly sha256: string }[]) =>
		of.flatMap(({ name, sha256 }) => (SPOKEN.has(name) ? [sha256] : [])).join();
	return hashes(made.payload.segments) === hashes(segments);
}
