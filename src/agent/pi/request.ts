/**
 * One of Pi's requests on its way out. `context` plans it, `before_provider_request` puts handlers' changes and the cache marks
 * on the wire, and the next hook of any kind records it.
 */
import type { BeforeProviderRequestEvent, ContextEvent, ContextEventResult } from "@earendil-works/pi-coding-agent";
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { asList, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { segmentsOf } from "../../context/envelope/bytes.ts";
import { type ContextEnvelope, makeEnvelope, type SystemPart } from "../../context/envelope/envelope.ts";
import { StoppedRequest } from "../../context/handler/pipeline.ts";
import { joinTools } from "../../context/patch/join-tools.ts";
import { toEntry, toEphemeralEntry, toPiEntry } from "../../context/patch/session-entries.ts";
import type { StoredTransform } from "../../context/patch/stored-transform.ts";
import { type MadeRequest, type RequestBase, withHead } from "../../context/request.ts";
import { headOf } from "../../context/seen-prefixes.ts";
import { isRecall } from "../../context/session-patches.ts";
import { type CacheMarkOptions, markCache } from "../../message/dialect/anthropic/cache-marks.ts";
import { readSystemTexts, readTools } from "../../message/dialect/request-head.ts";
import { repairRequest } from "../../message/repair.ts";
import { keepThinking, signaturesOf } from "../../message/thinking.ts";
import { type CheckOptions, checkRequest, readRequest, type Violation } from "../../message/validity.ts";
import { headMarks } from "../../tool/head-marks.ts";
import type { LivePi, UnrecordedRequest } from "./live.ts";
import { recallOnce } from "./recall.ts";
import { changeWire } from "./wire-changes.ts";

type ContextMessages = ContextEvent["messages"];

/** Before each request: the messages that the model sees. Undefined: Pi's own list, unchanged. */
export async function planContext(event: ContextEvent, live: LivePi): Promise<ContextEventResult | undefined> {
	try {
		return await planMessages(event, live);
	} catch (error) {
		// Pi sends its own list where a hook throws: that list is not redacted.
		if (live.mode() === "off" || !(await live.engine.requests.isRedacted())) throw error;
		return stopRequest(live, error instanceof StoppedRequest ? error.message : unredacted(error));
	}
}

function unredacted(error: unknown): string {
	return `a handler that redacts did not see this request: ${errorText(error)}. Nothing was sent.`;
}

async function planMessages(event: ContextEvent, live: LivePi): Promise<ContextEventResult | undefined> {
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
	// Where no handler asked for the base, none changed the prompt or the tools.
	const base = given ? makeEnvelope(given) : made.envelope;
	const shown = [...(made.plan.opening ? [made.plan.opening.sent] : []), ...made.plan.messages.map(({ sent }) => sent)];
	// `warp` replaces everything before the newest message.
	const start = mode === "warp" ? -1 : 0;
	const isPlan = looksSame(event.messages, shown, start) || looksSame(sentOnly(event.messages), shown, start);
	const isKnown = isPlan || (mode !== "warp" && isSealedAlone(made, sentOnly(event.messages)));
	// Another extension changed the list, or the log is behind: send and record Pi's own list.
	if (!isKnown && made.isRequired)
		return stopRequest(
			live,
			"another extension changed the messages, so a handler that redacts could not. Nothing was sent.",
		);
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
	const messages = made.messages as unknown as ContextMessages;
	// Handlers may change any message as long as providers accept the list. Without them, the plan must keep Pi's messages.
	const { rule: thinking } = made.thinking;
	const kept = isShaped(made) ? {} : { original: event.messages, trailing: uncached.length, thinking };
	refuseInvalid(messages, kept);
	live.planned = { made, base };
	return { messages };
}

/** Ends the run. Pi sends its own list where a hook throws, so the list is replaced too. */
function stopRequest(live: LivePi, why: string): ContextEventResult {
	live.ctx.abort();
	live.warn(why);
	return { messages: [{ role: "user", content: "[weft stopped this request]", timestamp: 0 }] };
}

/** Computes the text about changed files once per leaf, so that a retried request has the same bytes. */
function changesNow(live: LivePi): string | undefined {
	const leaf = live.ctx.sessionManager.getLeafId();
	if (live.fileChanges?.leaf !== leaf) live.fileChanges = { leaf, text: live.loop.changesOnDisk() };
	return live.fileChanges.text;
}

/** Pi refused the seal as a compaction: its list still begins with the messages that left. */
function isSealedAlone({ plan: { opening, messages } }: MadeRequest, own: readonly JsonObject[]): boolean {
	if (!opening?.by.startsWith("weft/") || own.length < messages.length) return false;
	const kept = messages.map(({ sent }) => sent);
	return looksSame(own.slice(own.length - kept.length), kept, 0);
}

/** A handler has changed the messages, in this request or an earlier one. */
function isShaped({ plan, transforms }: MadeRequest): boolean {
	const stored = plan.items.flatMap((item) => (item.kind === "transform" ? [item.transform] : []));
	return [...stored, ...transforms].some((each) => isRecall(each) || !each.transformerName.startsWith("weft/"));
}

/** A list that providers would refuse is a bug in weft. Throwing makes Pi send its own list. */
function refuseInvalid(messages: ContextMessages, kept: CheckOptions): void {
	const violation = findViolation(messages, kept);
	if (!violation) return;
	const { rule, at, message } = violation;
	throw new EngineError("refused", `A computed request breaks the rule '${rule}' at message ${at}: ${message}`);
}

/** Pi's own list may be damaged, as by a model that uses a call id twice. Repairs to it are no violation. */
function findViolation(messages: ContextMessages, kept: CheckOptions): Violation | undefined {
	const [violation] = checkRequest(messages, "pi", kept);
	if (!violation || !kept.original) return violation;
	const repaired = repairRequest(kept.original, "pi");
	return repaired.repairs.length === 0
		? violation
		: checkRequest(messages, "pi", { ...kept, original: repaired.messages })[0];
}

/** Pi's list without the messages that Pi does not send. */
function sentOnly(messages: ContextMessages): readonly JsonObject[] {
	return readRequest(messages, "pi")
		.map(({ view }) => view.raw)
		.filter(({ role }) => role !== "system");
}

/** No message was added, dropped, repaired or changed. */
function isUntouched(cached: readonly object[], shown: readonly object[]): boolean {
	return cached.length === shown.length && cached.every((message, at) => isSame(message, shown[at]));
}

function isSame(one: object, other: object | undefined): boolean {
	return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Pi hands out copies of its messages, so compares role, time and size. From index `start` on; negative: from the end. */
function looksSame(given: readonly object[], planned: readonly JsonObject[], start: number): boolean {
	const [own, shown] = [given.slice(start) as readonly JsonObject[], planned.slice(start)];
	return own.length === shown.length && own.every((message, at) => looksLike(message, shown[at] ?? {}));
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

/** Messages that are not the session's have no ids: their index takes the place. */
function asGiven(made: MadeRequest, messages: ContextMessages): MadeRequest {
	const envelope = makeEnvelope({
		...made.envelope,
		systemParts: made.envelope.system.parts,
		messages: messages.map((message, at) => ({ ...message, id: `place ${at}` })),
	});
	return { ...made, envelope, reasons: ["another extension changed the list"] };
}

/** When a request leaves. Undefined: Pi's payload is unchanged. */
export function sendRequest({ payload }: BeforeProviderRequestEvent, live: LivePi): unknown {
	// A request without a context hook before it is Pi's own, not the session's.
	const planned = live.planned;
	live.planned = undefined;
	if (!planned) return undefined;
	try {
		return sendPlanned(payload, planned, live);
	} catch (error) {
		if (!planned.made.isRequired) throw error;
		live.ctx.abort();
		live.warn(unredacted(error));
		return { ...asObject(payload), system: "", instructions: "", messages: [], input: [], tools: [] };
	}
}

function sendPlanned(payload: unknown, { made, base }: NonNullable<LivePi["planned"]>, live: LivePi): unknown {
	const whole = changeWire(payload, { base, made: made.envelope, model: live.ctx.model });
	warnOfMissingTools(base, made.envelope, live);
	const sentTools = new Set(made.envelope.tools.map(({ name }) => name));
	live.removedTools = new Set(base.tools.flatMap(({ name }) => (sentTools.has(name) ? [] : [name])));
	const { made: sent, payload: changed } = bindThinking(made, whole, live);
	live.sent = { made: sent, payload: changed, reasons: [...live.reasons] };
	live.reasons.clear();
	const isMarked = live.mode() === "woven" && live.ctx.model?.api === "anthropic-messages";
	const marked = isMarked ? markCache(changed, marksOf(made.envelope)) : changed;
	live.lastPayload = asObject(marked);
	return marked === payload ? undefined : marked;
}

/** Only here are the tools and the system text known as they leave. Thinking that the model wrote after others is left out. */
function bindThinking(made: MadeRequest, payload: unknown, live: LivePi): Pick<UnrecordedRequest, "made" | "payload"> {
	const request = asObject(payload);
	const { rule } = made.thinking;
	if (!request || live.ctx.model?.api !== "anthropic-messages" || (rule !== "bound" && rule !== "manual"))
		return { made, payload };
	const head = headOf(segmentsOf(makeEnvelope(baseOf(request))));
	live.sentHead(head);
	const bound = withHead(made, head);
	if (bound.envelope === made.envelope) return { made: bound, payload };
	return { made: bound, payload: keepThinking(request, signaturesOf(bound.envelope.messages.cached)) };
}

function baseOf(request: JsonObject): Required<Pick<RequestBase, "systemParts" | "tools">> {
	return { systemParts: systemOf(request), tools: readTools(request) };
}

/** weft does not send definitions of tools that Pi cannot run. */
function warnOfMissingTools(base: ContextEnvelope, made: ContextEnvelope, live: LivePi): void {
	if (base.tools === made.tools) return;
	const known = new Map(base.tools.map((tool) => [tool.name, tool]));
	for (const name of joinTools(made.tools, known).missing) {
		live.warnOnce(`a handler names the tool ${name}, which Pi does not have. It is not sent.`);
	}
}

function marksOf({ messages }: ContextEnvelope): CacheMarkOptions {
	const { cached, uncached } = messages;
	const content = uncached.at(-1)?.["content"];
	const block = Array.isArray(content) ? asObject(content.at(-1))?.["text"] : content;
	return {
		last: uncached.length > 0 ? (asText(block) ?? "") : undefined,
		trailing: uncached.length,
		isSealed: cached[0]?.seed === true,
	};
}

export function recordSent(live: LivePi): void {
	const sent = live.sent;
	if (!sent) return;
	live.sent = undefined;
	const { made, reasons } = sent;
	const request = asObject(sent.payload) ?? {};
	const base = baseOf(request);
	const head = headMarks(
		base.tools,
		base.systemParts.map(({ text }) => text),
	);
	const stored = live.engine.requests.record(live.session, made, { reasons, base, head });
	const recalled = live.recalled ? [live.recalled] : [];
	live.recalled = undefined;
	for (const { customType, data } of transformEntries([...recalled, ...stored])) live.appendEntry(customType, data);
	const ephemeral = toEphemeralEntry(made.envelope.messages.uncached, made.at);
	if (ephemeral && stored.some(({ transform }) => transform.reason === "ephemeral")) {
		const { customType, data } = toPiEntry(ephemeral);
		live.appendEntry(customType, data);
	}
}

/** Handlers' lasting patches, as entries of Pi's own session. */
export function transformEntries(stored: readonly StoredTransform[]): { customType: string; data: object }[] {
	return stored
		.filter(({ transform }) => transform.reason !== "ephemeral")
		.map(({ name, transform, at }) => toPiEntry({ ...toEntry(transform, at), name }));
}

function systemOf(request: JsonObject): SystemPart[] {
	return readSystemTexts(request).map((text, at) => ({ name: at === 0 ? "prompt" : `prompt ${at + 1}`, text }));
}
