/**
 * A request of Pi's, on its way out. `context` plans it, `before_provider_request` puts what handlers changed and the cache
 * marks on the wire, and the next hook of any kind writes it down.
 */
import type { BeforeProviderRequestEvent, ContextEvent, ContextEventResult } from "@earendil-works/pi-coding-agent";
import { EngineError } from "../../base/error/engine-error.ts";
import { asList, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { type ContextEnvelope, makeEnvelope, type SystemPart } from "../../context/envelope/envelope.ts";
import { joinTools } from "../../context/patch/join-tools.ts";
import { toEntry, toEphemeralEntry, toPiEntry } from "../../context/patch/session-entries.ts";
import type { MadeRequest, RequestBase, StoredTransform } from "../../context/request.ts";
import { isRecall } from "../../context/session-patches.ts";
import { readSystemTexts, readTools } from "../../message/dialect/request-head.ts";
import { repairRequest } from "../../message/repair.ts";
import { type CheckOptions, checkRequest, readRequest, type Violation } from "../../message/validity.ts";
import type { Live } from "./live.ts";
import { markCache } from "./mark-cache.ts";
import { recallOnce } from "./recall.ts";
import { changeWire } from "./wire-changes.ts";

type PiMessage = ContextEvent["messages"][number];

/** Before each request: the list of messages that the model sees. Undefined: Pi's own, as it is. */
export async function planContext(event: ContextEvent, live: Live): Promise<ContextEventResult | undefined> {
	live.planned = undefined;
	const mode = live.mode();
	await recallOnce(live);
	let given: RequestBase | undefined;
	const input = {
		...live.input(),
		base: () => {
			given ??= live.base();
			return given;
		},
		decide: mode === "warp",
		last: mode === "woven" ? changesNow(live) : undefined,
	};
	const made = await live.engine.requests.prepare(input);
	// Nobody asked for it: nobody changed what stands beside the messages.
	const base = given ? makeEnvelope(given) : made.envelope;
	const shown = [...(made.plan.opening ? [made.plan.opening.sent] : []), ...made.plan.messages.map(({ sent }) => sent)];
	const end = mode === "warp" ? -1 : 0;
	const isPlan = looksSame(event.messages, shown, end) || looksSame(sentOnly(event.messages), shown, end);
	const isKnown = isPlan || (mode !== "warp" && isSealedAlone(made, sentOnly(event.messages)));
	// Another extension has changed the list, or the log is not up to date: Pi's own list goes out, and is written down.
	if (!isKnown) {
		live.planned = { made: asGiven(made, event.messages), base };
		return undefined;
	}
	const { cached, uncached } = made.envelope.messages;
	const isPiOwn = mode !== "warp" && isPlan && uncached.length === 0 && isUntouched(cached, shown);
	if (isPiOwn) {
		live.planned = { made, base };
		return undefined;
	}
	const messages = made.messages as unknown as PiMessage[];
	// Handlers may change what they like of the messages, as long as a provider takes it. What the plan made keeps Pi's own.
	const kept = isShaped(made) ? {} : { original: event.messages, trailing: uncached.length };
	refuseInvalid(messages, kept);
	live.planned = { made, base };
	return { messages };
}

/** The text about changed files: once for a leaf, so that a request that is tried again says the same. */
function changesNow(live: Live): string | undefined {
	const leaf = live.ctx.sessionManager.getLeafId();
	if (live.lastWords?.leaf !== leaf) live.lastWords = { leaf, text: live.loop.changesOnDisk() };
	return live.lastWords.text;
}

/** A seal that Pi would not take as a compaction: its list still has what left before the messages that stay. */
function isSealedAlone({ plan: { opening, messages } }: MadeRequest, own: readonly JsonObject[]): boolean {
	if (!opening?.by.startsWith("weft/") || own.length < messages.length) return false;
	const kept = messages.map(({ sent }) => sent);
	return looksSame(own.slice(own.length - kept.length), kept, 0);
}

/** A handler has changed the messages, now or before. */
function isShaped({ plan, transforms }: MadeRequest): boolean {
	const stored = plan.items.flatMap((item) => (item.kind === "transform" ? [item.transform] : []));
	return [...stored, ...transforms].some((each) => isRecall(each) || !each.transformerName.startsWith("weft/"));
}

/** A list that no provider takes is a bug of ours. It must not leave: Pi's own goes out in its place. */
function refuseInvalid(messages: readonly PiMessage[], kept: CheckOptions): void {
	const violation = findViolation(messages, kept);
	if (!violation) return;
	const { rule, at, message } = violation;
	throw new EngineError("refused", `A computed request breaks the rule '${rule}' at message ${at}: ${message}`);
}

/** Where Pi's own list is damaged, as by a model that uses the id of a call twice, what was mended in it is not a change of ours. */
function findViolation(messages: readonly PiMessage[], kept: CheckOptions): Violation | undefined {
	const [violation] = checkRequest(messages, "pi", kept);
	if (!violation || !kept.original) return violation;
	const mended = repairRequest(kept.original, "pi");
	return mended.repairs.length === 0
		? violation
		: checkRequest(messages, "pi", { ...kept, original: mended.messages })[0];
}

/** Pi's list without what Pi does not send. */
function sentOnly(messages: readonly PiMessage[]): readonly JsonObject[] {
	return readRequest(messages, "pi")
		.map(({ view }) => view.raw)
		.filter(({ role }) => role !== "system");
}

/** No message was added, left out, mended or changed by a handler. */
function isUntouched(cached: readonly object[], shown: readonly object[]): boolean {
	return cached.length === shown.length && cached.every((message, at) => isSame(message, shown[at]!));
}

function isSame(one: object, other: object): boolean {
	return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Pi hands out copies of its messages: they are known again by who speaks, when, and how much. */
function looksSame(given: readonly object[], planned: readonly JsonObject[], end: number): boolean {
	const [own, shown] = [given.slice(end) as readonly JsonObject[], planned.slice(end)];
	return own.length === shown.length && own.every((message, at) => looksLike(message, shown[at]!));
}

function looksLike(one: JsonObject, other: JsonObject): boolean {
	return (
		one["role"] === other["role"] &&
		one["toolCallId"] === other["toolCallId"] &&
		one["timestamp"] === other["timestamp"] &&
		asText(one["summary"])?.length === asText(other["summary"])?.length &&
		asText(one["output"])?.length === asText(other["output"])?.length &&
		hasLikeContent(one["content"], other["content"])
	);
}

function hasLikeContent(one: unknown, other: unknown): boolean {
	if (typeof one === "string" || typeof other === "string") {
		return typeof one === "string" && typeof other === "string" && one.length === other.length;
	}
	const [blocks, others] = [asList(one), asList(other)];
	return blocks.length === others.length && blocks.every((block, at) => isLikeBlock(block, others[at]));
}

function isLikeBlock(one: unknown, other: unknown): boolean {
	const [block, like] = [asObject(one) ?? {}, asObject(other) ?? {}];
	return block["type"] === like["type"] && block["id"] === like["id"] && sizeOf(block) === sizeOf(like);
}

function sizeOf({ text, thinking }: JsonObject): number {
	return asText(text)?.length ?? asText(thinking)?.length ?? 0;
}

/** Places stand for ids where the messages are not those of the session. */
function asGiven(made: MadeRequest, messages: readonly PiMessage[]): MadeRequest {
	const envelope = makeEnvelope({
		...made.envelope,
		systemParts: made.envelope.system.parts,
		messages: messages.map((message, at) => ({ ...message, id: `place ${at}` })),
	});
	return { ...made, envelope, reasons: ["another extension changed the list"] };
}

/** When a request leaves. Undefined: as Pi made it. */
export function sendRequest({ payload }: BeforeProviderRequestEvent, live: Live): unknown {
	// Pi also asks a model for things of its own, without a context hook before: those are not the session's requests.
	const planned = live.planned;
	live.planned = undefined;
	if (!planned) return undefined;
	const { made, base } = planned;
	const changed = changeWire(payload, { base, made: made.envelope, model: live.ctx.model });
	tellMissingTools(base, made.envelope, live);
	live.sent = { made, payload: changed, reasons: [...live.reasons] };
	live.reasons.clear();
	const isMarked = live.mode() === "woven" && live.ctx.model?.api === "anthropic-messages";
	const marked = isMarked ? markCache(changed, marksOf(made.envelope)) : changed;
	return marked === payload ? undefined : marked;
}

/** Definitions that Pi cannot run are not sent. */
function tellMissingTools(base: ContextEnvelope, made: ContextEnvelope, live: Live): void {
	if (base.tools === made.tools) return;
	const known = new Map(base.tools.map((tool) => [tool.name, tool]));
	for (const name of joinTools(made.tools, known).missing) {
		live.warnOnce(`a handler names the tool ${name}, which Pi does not have. It is not sent.`);
	}
}

function marksOf({ messages }: ContextEnvelope): Parameters<typeof markCache>[1] {
	const { cached, uncached } = messages;
	const content = uncached.at(-1)?.["content"];
	const block = Array.isArray(content) ? asObject(content.at(-1))?.["text"] : content;
	return {
		last: uncached.length > 0 ? (asText(block) ?? "") : undefined,
		trailing: uncached.length,
		sealed: cached[0]?.seed === true,
	};
}

/** Writes down a request that has left. */
export function recordSent(live: Live): void {
	const sent = live.sent;
	if (!sent) return;
	live.sent = undefined;
	const { made, reasons } = sent;
	const request = asObject(sent.payload) ?? {};
	const base = { systemParts: systemOf(request), tools: readTools(request) };
	const stored = live.engine.requests.record(live.session, made, { reasons, base });
	const recalled = live.recalled ? [live.recalled] : [];
	live.recalled = undefined;
	for (const { customType, data } of transformEntries([...recalled, ...stored])) live.appendEntry(customType, data);
	const said = toEphemeralEntry(made.envelope.messages.uncached, made.at);
	if (said && stored.some(({ transform }) => transform.reason === "ephemeral")) {
		const { customType, data } = toPiEntry(said);
		live.appendEntry(customType, data);
	}
}

/** What lasts of handlers' patches, as entries of Pi's own session. */
export function transformEntries(stored: readonly StoredTransform[]): { customType: string; data: object }[] {
	return stored
		.filter(({ transform }) => transform.reason !== "ephemeral")
		.map(({ name, transform, at }) => toPiEntry({ ...toEntry(transform, at), name }));
}

function systemOf(request: JsonObject): SystemPart[] {
	return readSystemTexts(request).map((text, at) => ({ name: at === 0 ? "prompt" : `prompt ${at + 1}`, text }));
}
