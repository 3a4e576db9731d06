/**
 * The requests of a project's sessions: planned, changed by handlers, checked, and recorded with their difference to the
 * last one. Every agent goes through here; its adapter only names the newest entry and sends the result.
 */

import { ModelGate } from "../base/sidecar/gate.ts";
import type { Prices } from "../base/tokens/prices.ts";
import type { NewEvent } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { sessionKey } from "../log/session-ref.ts";
import { hasThinking } from "../message/thinking.ts";
import { checkRequest } from "../message/validity.ts";
import type { Compaction, CompactOptions } from "../state/history/compact.ts";
import { writeFocus } from "../state/history/focus.ts";
import type { ThinkingFacts } from "./bound-thinking.ts";
import { type Segment, segmentsOf } from "./envelope/bytes.ts";
import {
	type ContextEnvelope,
	type GivenMessage,
	hostMessages,
	makeEnvelope,
	makeManifest,
} from "./envelope/envelope.ts";
import { type HandlerContext, Handlers } from "./handler/handler.ts";
import {
	type Compact,
	endTurn,
	finishMessage,
	HandlerFaults,
	prepareRequest,
	StoppedRequest,
} from "./handler/pipeline.ts";
import { modeOf, warpBudget } from "./mode.ts";
import { isCold, type ModeName, type Moment, Moments, type MomentsOptions, policyAt } from "./moment.ts";
import { isBeyondMessages } from "./patch/operation.ts";
import { type ReplayItem, replay } from "./patch/replay.ts";
import { nameTransforms, type StoredTransform, transformEvent } from "./patch/stored-transform.ts";
import { makeTransform, type Transform, toPayload } from "./patch/transform.ts";
import type { Path, PathMessage } from "./path.ts";
import { type Plan, type PlannedSeal, type PlanRequest, plan, sealDue } from "./plan.ts";
import {
	type Assembled,
	type EndedTurn,
	type FinishedMessage,
	type MadeRequest,
	type RecordOptions,
	type RequestInput,
	ruleOf,
	type SealInput,
	sendable,
	THINKING_LEFT,
	withBase,
} from "./request.ts";
import type { SealPolicy } from "./seal/policy.ts";
import { forecastRewrite, type RewriteForecast } from "./seal/rewrite-forecast.ts";
import { type SealReason, sealAccount } from "./seal/rule.ts";
import { SeenPrefixes } from "./seen-prefixes.ts";
import { recallAfterPatch, recallPatch } from "./session-patches.ts";
import { realCeiling } from "./sizes.ts";

export interface RequestsOptions extends MomentsOptions {
	readonly handlers: () => Promise<Handlers>;
	readonly record: (events: readonly NewEvent[]) => { readonly added: number };
	/** Reports a problem without stopping the work. */
	readonly warn?: ((message: string) => void) | undefined;
	/** Summarises what lies before a message. */
	readonly compact: (options: CompactOptions) => Promise<Pick<Compaction, "ended">>;
}

/** How often a seal starts its summaries again. */
const MAX_OVERTAKEN = 5;

interface SentSegments {
	readonly segments: readonly Segment[];
	readonly at: number;
}

export class Requests {
	readonly #options: RequestsOptions;
	readonly #moments: Moments;
	readonly #failures: HandlerFaults;
	readonly #sent = new Map<string, SentSegments>();
	readonly #seen = new Map<string, SeenPrefixes>();
	#count = 0;

	constructor(options: RequestsOptions) {
		this.#options = options;
		this.#moments = new Moments(options, (session) => this.#sent.get(sessionKey(session))?.at);
		this.#failures = new HandlerFaults(options.warn);
	}

	/** Everything that the next request of a session is made from, as it is now. */
	moment(input: RequestInput): Moment {
		return this.#moments.at(input);
	}

	/** Plans the next request. Writes nothing. */
	plan(input: RequestInput): Plan {
		return plan(this.moment(input), this.#moments.settings(input), this.#moments.asked(input));
	}

	/**
	 * Makes a seal that is due or asked for, with summaries of the messages that leave. It counts once `commit` has
	 * stored it.
	 */
	async seal(input: SealInput): Promise<PlannedSeal | undefined> {
		const leaving = await this.summariseLeaving(input);
		if (!leaving) return undefined;
		const settings = this.#moments.settings(input);
		const focus = settings.mode === "woven" ? await this.#focus(input, leaving) : undefined;
		return plan(this.moment(input), settings, { ...this.#sealAsked(input), focus }).seal;
	}

	/** Writes the summaries of a seal that is due or asked for. Returns the messages that leave; undefined: no seal. */
	async summariseLeaving(input: SealInput): Promise<readonly PathMessage[] | undefined> {
		const settings = this.#moments.settings(input);
		if (settings.mode === "off") return undefined;
		const { keepFrom, words } = input;
		const before = this.moment(input);
		const { first, opens } = sealDue(before, settings, this.#sealAsked(input));
		if (first === 0 && !opens) return undefined;
		const keep = before.path.messages[first];
		if (first > 0 && (keep || keepFrom === null) && modeOf(settings.mode).summarises) {
			const { session, leaf } = before.path;
			const { gate, signal } = input;
			// Every message that leaves must be covered, however few there are. With words of the user, the models of
			// `woven` answer those instead.
			const least = { minMessages: 1 };
			const models = settings.mode === "woven" && words !== undefined ? [] : input.models;
			const kept = keep?.seq ?? Number.MAX_SAFE_INTEGER;
			// Another process that was faster may have summarised only a part.
			for (let tries = 0; tries < MAX_OVERTAKEN; tries++) {
				const given = { session, leaf, keepFrom: kept, settings: least, models, gate, signal };
				const { ended } = await this.#options.compact(given);
				signal?.throwIfAborted();
				if (ended !== "overtaken") break;
			}
		}
		return before.path.messages.slice(0, first);
	}

	#sealAsked(input: SealInput): PlanRequest {
		const { force, shrink, anySize, keepFrom, why, words } = input;
		return { ...this.#moments.asked(input), force, shrink, anySize, keepFrom, why, words };
	}

	/**
	 * A model's answer to the user's words, about the messages that leave; undefined: there are no words, or no model
	 * answers.
	 */
	async #focus(input: SealInput, leaving: readonly PathMessage[]): Promise<string | undefined> {
		const { words, models = [], gate, signal } = input;
		if (words === undefined || models.length === 0 || leaving.length === 0) return undefined;
		const focus = await writeFocus(this.#options.history, {
			session: { session: input.session, host: input.host },
			messages: leaving.map(({ seq }) => seq),
			tokens: leaving.reduce((sum, { tokens }) => sum + tokens, 0),
			words,
			models,
			gate: gate ?? new ModelGate(this.#options.now),
			signal,
		});
		signal?.throwIfAborted();
		return focus;
	}

	/** The most real tokens for the next request, including the system prompt and the tools. */
	ceiling(input: RequestInput): number {
		return realCeiling(this.moment(input), this.#moments.settings(input));
	}

	/** Tokens for the computed context of `warp`; undefined in the other modes. */
	computedBudget(input: RequestInput): number | undefined {
		const settings = this.#moments.settings(input);
		return settings.mode === "warp" ? warpBudget(settings) : undefined;
	}

	/** Why a seal is due now; undefined: it is not. */
	dueWhy(input: RequestInput): SealReason | undefined {
		const { decision, first } = sealDue(this.moment(input), this.#moments.settings(input), this.#moments.asked(input));
		return first > 0 ? decision.why : undefined;
	}

	/** Says what the next request writes to the cache again; undefined: little or nothing. */
	forecastRewrite(input: RequestInput): RewriteForecast | undefined {
		return forecastRewrite(this.moment(input), this.#moments.settings(input));
	}

	/** The policy by which weft seals now, and the prices that it goes by. */
	policy(input: RequestInput): { readonly policy: SealPolicy; readonly prices: Prices } {
		const moment = this.moment(input);
		return { policy: policyAt(moment, this.#moments.settings(input)), prices: moment.prices };
	}

	/** The envelope of the next request, for display: runs no handlers and writes nothing. */
	envelopeNow(input: RequestInput, moment = this.moment(input)): ContextEnvelope {
		const { items } = plan(moment, this.#moments.settings(input), this.#moments.asked(input));
		const { envelope, displaced } = replay(startOf(input), items);
		const thinking = this.#thinking(input, moment.path, displaced);
		return sendable(envelope, moment.path.form, { mend: !moment.path.isOpen, thinking }).envelope;
	}

	/** What the next request may carry of the thinking before it: for agents that send their own messages. */
	thinking(input: RequestInput, { items }: Pick<Plan, "items">): ThinkingFacts {
		const { displaced } = replay(makeEnvelope({}), items);
		return this.#thinking(input, this.moment(input).path, displaced);
	}

	#thinking(input: RequestInput, path: Path, displaced: ReadonlySet<string>): ThinkingFacts {
		const { session, host, model, api, thinking } = input;
		const { log } = this.#options.history;
		const key = sessionKey({ session, host });
		const seen = this.#seen.get(key) ?? new SeenPrefixes(log, { session, host });
		this.#seen.set(key, seen);
		const rule = ruleOf(path, { model, api, thinking });
		const isAgents = this.#moments.modeOf(input) === "off";
		const { form, messages } = path;
		if (rule === "keep") return { rule, form, displaced };
		const known = seen.of(messages, log.newestSeq());
		const head = messages.some(({ sent }) => hasThinking(sent)) ? input.head?.() : undefined;
		return { rule, form, model, displaced, isAgents, seen: known.seen, head: head ?? known.head };
	}

	/** Makes and stores a seal: for agents that keep no compactions of their own. */
	async sealNow(input: SealInput): Promise<PlannedSeal | undefined> {
		const { session, host } = input;
		const seal = await this.seal(input);
		const leaf = input.leaf ?? this.#options.history.tree.tip({ session, host });
		return seal && this.commit({ session, host }, seal, leaf, this.#moments.modeOf(input)) ? seal : undefined;
	}

	/**
	 * Stores a seal at its place: `leaf` was the newest entry when it was made. False: another process sealed here first.
	 */
	commit({ session, host }: SessionRef, seal: PlannedSeal, leaf: number | undefined, mode: ModeName): boolean {
		const { record, now } = this.#options;
		const base = { session, host, ts: now() };
		const place = leaf === undefined ? undefined : this.#options.history.tree.get(leaf)?.entry;
		const entry = `seal ${place ?? "root"} ${seal.from ?? "nothing"}`;
		const account: NewEvent = {
			...base,
			type: "Seal",
			entry,
			cause: leaf,
			payload: sealAccount(seal, mode, entry),
		};
		const { added } = record([
			{ ...base, type: "Transform", entry, cause: leaf, payload: toPayload(seal.transform) },
			// The context of a `warp` run is not bought, so it has no account.
			...(mode === "warp" ? [] : [account]),
		]);
		return added > 0;
	}

	/**
	 * Puts recalled memory before the user's newest message, once and for good, before the first request with that
	 * message. Undefined: the message is not the newest entry, or it has recalled memory already.
	 */
	recallInto(input: RequestInput, block: string, moment = this.moment(input)): StoredTransform | undefined {
		const { path, now: at } = moment;
		const newest = path.messages.at(-1);
		const transform = newest && newest.seq === path.leaf ? recallPatch(newest, block) : undefined;
		return transform && newest && this.#storeRecall(input, newest.id, path.leaf, transform, at);
	}

	/** The same for words that are not recorded yet, as a separate message before them. */
	recallBefore(input: RequestInput, block: string, moment = this.moment(input)): StoredTransform | undefined {
		const { path, now: at } = moment;
		const newest = path.messages.at(-1);
		const transform = recallAfterPatch(newest?.id ?? "", block, newest?.ts ?? 0);
		return this.#storeRecall(input, newest?.id ?? "root", newest?.seq, transform, at);
	}

	#storeRecall(
		{ session, host }: SessionRef,
		after: string,
		cause: number | undefined,
		transform: Transform,
		at: number,
	): StoredTransform | undefined {
		const stored = { name: `transform ${after}.recall`, transform, at };
		const { added } = this.#options.record([transformEvent(stored, cause, { session, host, ts: at })]);
		return added > 0 ? stored : undefined;
	}

	/** Makes the next request, with a due seal from the pipeline's preflight. Does not record it yet. */
	async prepare(input: RequestInput): Promise<MadeRequest> {
		const session = { session: input.session, host: input.host };
		const mode = this.#moments.modeOf(input);
		let seal: PlannedSeal | undefined;
		const preflight = async (): Promise<Transform | undefined> => {
			seal = input.decide === false ? undefined : await this.seal(input);
			return seal?.transform;
		};
		const made = await this.#make(input, preflight);
		if (!seal) return made;
		// Another process sealed here first: its seal counts.
		if (!this.commit(session, seal, made.leaf, mode)) return this.prepare({ ...input, decide: false });
		const { opening, messages, items, tokens, parts } = this.plan({ ...input, leaf: made.leaf, decide: false });
		const planned = { mode, opening, messages, items, tokens, seal, decision: seal.decision, parts };
		return {
			...made,
			plan: planned,
			parts: seal.seed.items ? [...seal.seed.items, ...parts.filter(({ id }) => id.startsWith("message:"))] : parts,
			transforms: made.transforms.filter(({ transformerName }) => transformerName !== seal?.transform.transformerName),
		};
	}

	async #make(input: RequestInput, preflight: Compact): Promise<MadeRequest> {
		const moment = this.moment(input);
		const planned = plan(moment, this.#moments.settings(input), { ...this.#moments.asked(input), decide: false });
		const { now: at, path } = moment;
		const newest = path.leaf === undefined ? undefined : this.#options.history.tree.get(path.leaf)?.entry;
		const request = `${newest ?? "root"}.${at.toString(36)}.${++this.#count}`;
		const isAsking = planned.mode !== "off" && input.asksHandlers !== false;
		const handlers = isAsking ? await this.#options.handlers() : new Handlers();
		const said = lastWords(input.last, request, at);
		// An agent with a lazy base sends its own: we need it only if a handler or a patch changes it.
		const isBaseNeeded =
			typeof input.base !== "function" || handlers.context.length > 0 || planned.items.some(changesBase);
		const prepared = await prepareRequest({
			request,
			base: replay(isBaseNeeded ? startOf(input) : makeEnvelope({}), said.map(asItem), { request }).envelope,
			items: planned.items,
			handlers,
			preflight,
			beside: this.#beside(input, at),
			check: ({ messages }) => checkRequest([...messages.cached, ...messages.uncached], path.form)[0]?.message,
		});
		this.#failures.tell(prepared.failures);
		if (prepared.stopped) {
			const base = { session: input.session, host: input.host, ts: at };
			this.#options.record(this.#failures.faults({ failures: prepared.failures }, base));
			throw new StoppedRequest(prepared.stopped);
		}
		const { reasoning } = prepared.envelope.options;
		const isOff = reasoning === "off" || reasoning === "none";
		const asked = isOff ? ({ ...input, thinking: "off" } as const) : input;
		const thinking = this.#thinking(asked, path, prepared.displaced);
		const checked = sendable(prepared.envelope, path.form, { mend: !path.isOpen, thinking });
		return {
			...checked,
			thinking,
			request,
			mode: planned.mode,
			plan: planned,
			durable: prepared.durable,
			// Computed lazily: an agent that sends its own list needs neither.
			get messages() {
				return hostMessages(checked.envelope);
			},
			get tokens() {
				return segmentsOf(checked.envelope).reduce((sum, { tokens }) => sum + tokens, 0);
			},
			get parts() {
				return planned.parts;
			},
			transforms: [...said, ...prepared.transforms],
			reasons: checked.withoutThinking.length > 0 ? [...prepared.reasons, THINKING_LEFT] : prepared.reasons,
			failures: prepared.failures,
			isRequired: handlers.required().context.length > 0,
			model: input.model,
			cold: isCold(moment),
			autoSeal: moment.autoSeal,
			at,
			leaf: path.leaf,
		};
	}

	/**
	 * Records a request after it was sent, and returns its patches with their names. `base`: what was really sent beside
	 * the messages, if known.
	 */
	record(session: SessionRef, made: MadeRequest, more: RecordOptions = {}): readonly StoredTransform[] {
		const { request, mode, model, cold, autoSeal, at, leaf } = made;
		const key = sessionKey(session);
		const envelope = more.base ? withBase(made.envelope, more.base) : made.envelope;
		const segments = segmentsOf(envelope);
		const reasons = [...new Set([...(more.reasons ?? []), ...made.reasons])];
		const last = this.#sent.get(key);
		const thinking = made.thinking.rule;
		const manifest = makeManifest({ request, segments, last, reasons, warm: !cold, mode, model, autoSeal, thinking });
		const payload = { ...manifest, ...(more.head && { head: more.head }) };
		const base = { session: session.session, host: session.host, ts: at };
		// An empty session has no request to record.
		const isEmpty = envelope.messages.cached.length + envelope.messages.uncached.length === 0;
		const event = { ...base, type: "Request", entry: `request ${request}`, cause: leaf, payload } as const;
		const stored = nameTransforms(made.transforms, request, at);
		this.#options.record([
			...stored.map((each) => transformEvent(each, leaf, base)),
			...(isEmpty ? [] : [event]),
			...this.#failures.faults(made, base),
		]);
		this.#sent.set(key, { segments, at });
		return stored;
	}

	/** Segments of the newest request that this process recorded. */
	lastSent(session: SessionRef): readonly Segment[] | undefined {
		return this.#sent.get(sessionKey(session))?.segments;
	}

	async assemble(input: RequestInput): Promise<Assembled> {
		const session = { session: input.session, host: input.host };
		const made = await this.prepare(input);
		this.record(session, made);
		return {
			...made,
			finish: async (message) => (await this.finish(input, message)).message,
			endTurn: async () => {
				await this.endTurn({ ...input, leaf: undefined });
			},
		};
	}

	/** True: no request may be sent without the changes of its handlers. */
	async isRedacted(): Promise<boolean> {
		return (await this.#options.handlers()).required().context.length > 0;
	}

	/** Runs message handlers on a final message; null: it is dropped. */
	async finish(input: RequestInput, message: GivenMessage): Promise<FinishedMessage> {
		const { now, record } = this.#options;
		const handlers = await this.#options.handlers();
		const finished = await finishMessage(message, handlers.message, this.#beside(input, now()));
		const { failures } = finished;
		this.#failures.tell(failures);
		if (failures.length > 0)
			record(this.#failures.faults({ failures }, { session: input.session, host: input.host, ts: now() }));
		return { message: finished.message, isChanged: finished.changedBy.length > 0 };
	}

	/**
	 * Called when a turn's messages are recorded: runs the handlers of `turn_end`. `evaluate`: also makes a due seal and
	 * returns it; it counts once `commit` has stored it.
	 */
	async endTurn(input: RequestInput, evaluate?: SealInput): Promise<EndedTurn> {
		const { now, record } = this.#options;
		const handlers = await this.#options.handlers();
		if (handlers.context.length === 0) return this.#evaluate(input, evaluate);
		let seal: PlannedSeal | undefined;
		const { path } = this.moment(input);
		const ended = await endTurn({
			envelope: replay(startOf(input), path.items).envelope,
			handlers,
			beside: this.#beside(input, now()),
			evaluate: async () => {
				seal = evaluate && (await this.seal(evaluate));
				return seal?.transform;
			},
		});
		this.#failures.tell(ended.failures);
		const base = { session: input.session, host: input.host, ts: now() };
		const place = path.leaf === undefined ? undefined : this.#options.history.tree.get(path.leaf)?.entry;
		const name = `${place ?? "root"}.end.${base.ts.toString(36)}.${++this.#count}`;
		const own = seal?.transform.transformerName;
		const made = ended.transforms.filter(({ transformerName }) => transformerName !== own);
		const stored = nameTransforms(made, name, base.ts);
		record([...stored.map((each) => transformEvent(each, path.leaf, base)), ...this.#failures.faults(ended, base)]);
		return { reasons: ended.reasons.filter((reason) => reason !== seal?.op.invalidateCacheReason), seal, stored };
	}

	/** Without handlers, only a due seal is made at the end of a turn. */
	async #evaluate({ session, host }: SessionRef, evaluate: SealInput | undefined): Promise<EndedTurn> {
		try {
			return { reasons: [], seal: evaluate && (await this.seal(evaluate)), stored: [] };
		} catch (error) {
			const failures = [{ handler: "compaction", reason: "compaction", error }] as const;
			const { now, record } = this.#options;
			record(this.#failures.faults({ failures }, { session, host, ts: now() }));
			return { reasons: [], seal: undefined, stored: [] };
		}
	}

	#beside({ signal, model, window }: RequestInput, now: number): HandlerContext {
		return { signal: signal ?? new AbortController().signal, now, model, window };
	}
}

/** The request before its messages. */
function startOf({ base }: RequestInput): ContextEnvelope {
	return makeEnvelope({ ...(typeof base === "function" ? base() : base) });
}

function changesBase(item: ReplayItem): boolean {
	return item.kind === "transform" && item.transform.patch.some(({ op }) => isBeyondMessages(op));
}

function asItem(transform: Transform): ReplayItem {
	return { kind: "transform", transform };
}

function lastWords(text: string | undefined, request: string, timestamp: number): Transform[] {
	if (text === undefined) return [];
	const message = { id: "last", role: "user", content: [{ type: "text", text }], timestamp };
	return [
		makeTransform("ephemeral", "weft/last", [{ op: "tail_set", scope: "uncached", messages: [message] }], { request }),
	];
}
