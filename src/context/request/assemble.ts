/**
 * One whole request for plain code and for eyes: what a plan shows, what the session's stored patches make of it, what
 * handlers add. Checked before it leaves: one that no provider would take is mended, or goes out without handlers and is
 * said to be wrong.
 */

import type { Log } from "../../log/log.ts";
import { repairRequest } from "../../message/repair.ts";
import { checkRequest, type Violation } from "../../message/validity.ts";
import type { Form } from "../../message/view.ts";
import type { SessionRef } from "../../session/tree.ts";
import { segmentsOf } from "../envelope/bytes.ts";
import {
	type ContextEnvelope,
	type EnvelopeInput,
	type EnvelopeMessage,
	type GivenMessage,
	hostMessages,
	makeEnvelope,
	withCached,
} from "../envelope/envelope.ts";
import type { Failure } from "../handler/chain.ts";
import type { Beside, Handlers } from "../handler/handler.ts";
import { prepareRequest } from "../handler/pipeline.ts";
import { identify, idsOf } from "../patch/message-id.ts";
import type { ReplayItem } from "../patch/replay.ts";
import { readTransform, type Transform } from "../patch/transform.ts";
import type { PathMessage } from "./path.ts";
import type { Plan } from "./plan.ts";

export interface RequestInput {
	readonly request: string;
	/** What is not in the log: the system prompt, the tools, options. */
	readonly base: Pick<EnvelopeInput, "systemParts" | "tools" | "options">;
	readonly handlers: Handlers;
	readonly beside: Beside;
	/** Stored patches count up to this event; by default all. */
	readonly upTo?: number;
	/** False: shown as it is, for eyes only. */
	readonly mend?: boolean;
}

export interface MadeRequest {
	/** What leaves. */
	readonly envelope: ContextEnvelope;
	/** What stays for the next request: without what handlers said for this one alone. */
	readonly durable: ContextEnvelope;
	/** As the host sends them, each in the form in which it was recorded. */
	readonly messages: readonly Readonly<Record<string, unknown>>[];
	readonly tokens: number;
	/** To be stored. */
	readonly transforms: readonly Transform[];
	/** Why bytes that were sent before are others now. */
	readonly reasons: readonly string[];
	readonly failures: readonly Failure[];
	/** Empty, or it must not be sent. */
	readonly violations: readonly Violation[];
}

export async function makeRequest(
	log: Log,
	of: SessionRef,
	plan: Plan,
	{ request, base, handlers, beside, upTo, mend = true }: RequestInput,
): Promise<MadeRequest> {
	const format = formOf(log, plan);
	const prepared = await prepareRequest({
		request,
		base: makeEnvelope({ ...base, messages: openingMessages(plan) }),
		items: itemsOf(log, of, plan, upTo),
		handlers,
		beside,
	});
	const checked = sendable(prepared.envelope, format, mend);
	return {
		...checked,
		durable: prepared.durable,
		messages: hostMessages(checked.envelope),
		tokens: segmentsOf(checked.envelope).reduce((sum, { tokens }) => sum + tokens, 0),
		transforms: prepared.transforms,
		reasons: [...(plan.reason === undefined ? [] : [plan.reason]), ...prepared.reasons],
		failures: prepared.failures,
	};
}

function openingMessages({ opening }: Plan): EnvelopeMessage[] {
	if (!opening) return [];
	return [{ id: opening.id, seed: true, role: "user", content: [{ type: "text", text: opening.text }] }];
}

/** Messages and the patches between them, in the order in which they came. */
function itemsOf(log: Log, { session, host }: SessionRef, { messages }: Plan, upTo: number | undefined): ReplayItem[] {
	const first = messages[0]?.seq ?? 0;
	const patches = [
		...log.read({ session, host, types: ["Transform"], ...(upTo === undefined ? {} : { upTo }) }),
	].flatMap((record) => {
		const transform = readTransform(record.payload);
		// What it said of messages left with them; what it said of the system, the tools and the options holds.
		return record.seq > first || transform.patch.every(({ op }) => !isAboutMessages(op))
			? [{ seq: record.seq, item: { kind: "transform", transform } as const }]
			: [];
	});
	const said = messages.flatMap((message) => messageItems(message).map((item) => ({ seq: message.seq, item })));
	return [...patches, ...said].sort((one, other) => one.seq - other.seq).map(({ item }) => item);
}

export function messageItems({ id, sent }: PathMessage): ReplayItem[] {
	return sent.map((message, at) => {
		const own = { ...message, id: at === 0 ? id : `${id}/${at + 1}` } as unknown as EnvelopeMessage;
		return { kind: "message", message: own };
	});
}

function isAboutMessages(op: string): boolean {
	return !/^(?:system_|tools_|options_)/.test(op);
}

function sendable(
	envelope: ContextEnvelope,
	format: Form,
	mend: boolean,
): { readonly envelope: ContextEnvelope; readonly violations: readonly Violation[] } {
	const { cached, uncached } = envelope.messages;
	const violations = checkRequest([...cached, ...uncached], format);
	if (violations.length === 0 || !mend) return { envelope, violations };
	// Only what is cached can be damaged by a host; what comes last is ours. Behind an answer the user has yet to speak.
	const waits = uncached.length === 0 && cached.at(-1)?.role === "assistant";
	const spoken = waits ? [...cached, { role: "user", content: "…" }] : cached;
	const repaired = repairRequest(spoken, format).messages.slice(0, waits ? -1 : undefined);
	const mended = withCached(envelope, identify(repaired as readonly GivenMessage[], idsOf(uncached)));
	return { envelope: mended, violations: checkRequest([...mended.messages.cached, ...uncached], format) };
}

/** A session is written by one host, in one form. */
function formOf(log: Log, { messages }: Plan): Form {
	const newest = messages.at(-1);
	return newest && log.get(newest.seq)?.payload["form"] === "anthropic" ? "anthropic" : "pi";
}
