/**
 * Native seals. Everything passes; when our rule says that a seal is due, the host is told once that it has used more than
 * it did, and starts its own compaction. That request is known by its words and by its place in a session that passes here,
 * and it is answered at once with the planner's seed. The host writes the seed into its own session: nothing upstream is
 * rewritten, and without us the session goes on.
 */
import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { sha256 } from "../../base/hash/sha256.ts";
import { asObject, asText, parseObject } from "../../base/json/read.ts";
import { modeOf } from "../../context/mode.ts";
import { firstKept } from "../../context/patch/epoch-op.ts";
import type { EpochOp } from "../../context/patch/operation.ts";
import type { Path } from "../../context/path.ts";
import { HOST_COMPACTED, type PlannedSeal } from "../../context/plan.ts";
import type { RequestInput } from "../../context/request.ts";
import { sealTransform } from "../../context/session-patches.ts";
import type { Engine } from "../../engine.ts";
import { messageText, viewMessage } from "../../message/view.ts";
import { isMessage, type TreeEntry } from "../../state/session/tree.ts";
import type { LiveFiles } from "../live/live-files.ts";
import { asOffered, openOffer, seedOffered } from "../live/seed-offered.ts";
import { isPacked, unpackBody } from "./decode.ts";
import { EventTap } from "./event-tap.ts";
import { HeldBody } from "./held-body.ts";
import { type PassedRequest, passedManifest, sizeRequest } from "./manifest.ts";
import type { SelfCheck } from "./self-check.ts";
import { SignScan } from "./sign-scan.ts";
import { Thread } from "./thread.ts";
import type { Decision, MetRequest, Visit, Watch } from "./watch.ts";
import {
	type Caller,
	type HostCompaction,
	type Look,
	laterCounts,
	type TokenCounts,
	type Told,
	totalOf,
	type Wire,
} from "./wire.ts";

export interface SealWatchOptions {
	readonly wires: readonly Wire[];
	readonly files: LiveFiles;
	/** Tokens above which the host compacts by itself. */
	readonly threshold: number;
	/** Tokens of the model's window, as far as seals go by it. */
	readonly window?: number | undefined;
	/** Whose version may be led and answered. */
	readonly check: SelfCheck;
	/** True: nothing is answered and no usage is raised. */
	readonly recordOnly?: boolean | undefined;
	/** A version that nobody tested has shown that its wire is as we know it. */
	readonly onPassed?: ((caller: Caller) => void) | undefined;
	readonly onFail: (where: string, error: unknown) => void;
	readonly now?: (() => number) | undefined;
}

/** Of a request: who sent it, and in which way. */
interface Met {
	readonly wire: Wire;
	readonly caller: Caller;
	readonly headers: IncomingHttpHeaders;
}

/** How many conversations are remembered. What falls out begins anew, from the log. */
const MAX_THREADS = 100;
/** How far above its threshold the host is told to be. */
const MARGIN_TOKENS = 3_000;
/** A host writes its lines a moment later than it sends them. */
const [LOOK_AGAIN_MS, MAX_WAIT_MS] = [25, 5_000];
/** Of a session of which nothing is written at all, less is expected. */
const MAX_WAIT_FOR_FILE_MS = 300;
const LATER_MS = 1_000;
/** A host writes down what it was given, or never. */
const MAX_OFFER_MS = 600_000;
const MAX_ENTRIES_BACK = 200;
const NO_PATH: Pick<Path, "messages" | "isOpen"> = { messages: [], isOpen: false };
/** A host that compacts keeps little or nothing. What is so new waits, so that summaries do not become too small. */
const AHEAD = { keepTokens: 2_000, ceilingTokens: 2_000 };
/** To look for what can be summarised takes a walk through the session. */
const AHEAD_STEP_TOKENS = 4_000;
/** After one answer: whoever asks next may have to wait for it. */
const MAX_NODES_AHEAD = 8;

export class SealWatch implements Watch {
	readonly #options: SealWatchOptions;
	readonly #threads = new Map<string, Thread>();

	constructor(options: SealWatchOptions) {
		this.#options = options;
	}

	/** A compaction that was asked for, and what must be replaced, waits until it is whole. */
	meet({ method, path, headers }: MetRequest): Visit | undefined {
		const wire = this.#options.wires.find((each) => each.isCall(method, path));
		const caller = wire?.caller(headers);
		if (!wire || !caller) return undefined;
		const thread = this.#threads.get(threadKey(caller));
		const isOrdinary = thread !== undefined && thread.requests > 0 && !thread.wasRaised && !thread.holdsSeed;
		const met = { wire, caller, headers };
		const wanted = isOrdinary && wire.mayLeaveEarly(headers) ? "ahead" : "whole";
		if (isPacked(headers["content-encoding"])) return { wanted, decide: (body) => this.#unpacked(met, body.whole()) };
		const scan = new SignScan(wire.signs);
		return {
			wanted,
			take: (chunk) => scan.take(chunk),
			decide: (body) => this.#decide(met, body, scan.isFound),
		};
	}

	fail(where: string, error: unknown): void {
		this.#options.onFail(where, error);
	}

	/** Reads on to the end of what the hosts have written. */
	async settle(): Promise<void> {
		await Promise.all([...this.#threads.values()].map((thread) => this.#lastLook(thread)));
	}

	#lastLook(thread: Thread): Promise<void> {
		clearTimeout(thread.later);
		const look = thread.looking.then(async () => {
			const engine = await this.#catchUp(thread);
			if (engine) this.#settle(thread, engine);
		});
		thread.looking = look.catch((error: unknown) => this.fail("look", error));
		return thread.looking;
	}

	async #unpacked(met: Met, packed: Buffer): Promise<Decision> {
		const body = await unpackBody(packed, met.headers["content-encoding"]);
		if (!body) return { kind: "pass" };
		const isConcerned = met.wire.signs.some((sign) => body.includes(sign));
		return this.#decide(met, new HeldBody([body]), isConcerned);
	}

	#decide(met: Met, body: HeldBody, isConcerned: boolean): Decision | Promise<Decision> {
		const thread = this.#thread(met.caller);
		if (isConcerned) return this.#decideConcerned(met, thread, body.whole());
		return { kind: "pass", tap: this.#tap(met, thread, body) };
	}

	async #decideConcerned(met: Met, thread: Thread, body: Buffer): Promise<Decision> {
		const { wire, caller, headers } = met;
		const asked = parseObject(body.toString("utf8"));
		const compaction = asked && wire.compaction(asked, headers);
		if (compaction && this.#seals(caller)) {
			const answer = await this.#answer(thread, compaction, sha256(body));
			if (answer) return { kind: "answer", ...answer };
		}
		const opened = asked && wire.opened?.(asked);
		if (opened) thread.holdsSeed = true;
		// The summary that the provider writes is no turn of the agent's.
		const tap = compaction ? undefined : this.#tap(met, thread, new HeldBody([body]));
		return opened ? { kind: "replace", body: Buffer.from(JSON.stringify(opened)), tap } : { kind: "pass", tap };
	}

	#seals({ version }: Caller): boolean {
		return !this.#options.recordOnly && this.#options.check.passes(version);
	}

	#thread(caller: Caller): Thread {
		const key = threadKey(caller);
		const thread = this.#threads.get(key) ?? new Thread(caller);
		this.#threads.delete(key);
		this.#threads.set(key, thread);
		if (this.#threads.size > MAX_THREADS) this.#forgetOldest();
		return thread;
	}

	#forgetOldest(): void {
		const [key, { caller }] = this.#threads.entries().next().value!;
		this.#threads.delete(key);
		if ([...this.#threads.values()].some((each) => each.caller.id === caller.id)) return;
		this.#engines.delete(caller.id);
		this.#options.files.forget(caller);
	}

	#tap({ wire, caller, headers }: Met, thread: Thread, body: HeldBody): EventTap {
		const { threshold } = this.#options;
		const isDue = (thread.due !== undefined && !thread.isSettling) || thread.wasRaised;
		const hash = isDue ? sha256(body.whole()) : "";
		const mayRaise = isDue && this.#seals(thread.caller) && thread.mayRaise(hash);
		const told: { answer?: string; model?: string; usage?: TokenCounts } = {};
		const calls: string[] = [];
		return new EventTap({
			mayChange: mayRaise,
			isWanted: (event) => wire.isTelling(event),
			onEvent: (data, mayChange) => {
				const now = wire.told(data);
				if (!now) return undefined;
				calls.push(...(now.calls ?? []));
				const usage = now.usage && laterCounts(now.usage, told.usage);
				Object.assign(told, named(now), usage ? { usage } : {});
				if (!mayChange || !now.isFinal || !usage) return undefined;
				const more = threshold + MARGIN_TOKENS - totalOf(usage);
				if (more <= 0 || !this.#noteRaise(thread, told.answer, more)) return undefined;
				thread.raise(hash);
				return wire.raised(data, more, usage);
			},
			onEnd: ({ status, isWhole }) => {
				if (status !== 200 || !isWhole) return;
				if (calls.length > 0) thread.newestCalls = calls;
				const look = thread.looking.then(() =>
					this.#look(thread, this.#lookAt({ wire, caller, headers }, thread, body), wire, told),
				);
				thread.looking = look.catch((error: unknown) => this.fail("look", error));
				// The host writes the answer down when it has it: after this look, as a rule.
				clearTimeout(thread.later);
				thread.later = setTimeout(() => void this.#lastLook(thread), LATER_MS);
				thread.later.unref();
			},
		});
	}

	/** In the log before the host hears of it: sums leave it out. Where it cannot be written, nothing is raised. */
	#noteRaise({ caller, due, ref }: Thread, answer: string | undefined, tokens: number): boolean {
		const engine = this.#engines.get(caller.id);
		if (!engine || answer === undefined) return false;
		try {
			const payload = { answer, tokens, why: due ?? "asked" };
			engine.record([{ ...ref, type: "UsageRaised", entry: `raised ${answer}`, payload }]);
			return true;
		} catch (error) {
			this.fail("raise", error);
			return false;
		}
	}

	readonly #engines = new Map<string, Engine>();

	/** A version that is known is glanced at where that tells all: to read the whole of each request takes time and memory. */
	#lookAt({ wire, caller, headers }: Met, thread: Thread, body: HeldBody): Look {
		const glance = this.#options.check.isTested(caller.version) ? wire.glance?.(body, thread.namesTools) : undefined;
		return glance ?? wire.look(parseObject(body.whole().toString("utf8")) ?? {}, headers);
	}

	/** After an answer: reads on in the host's file, and asks whether a seal is due. */
	async #look(thread: Thread, look: Look, wire: Wire, told: Told): Promise<void> {
		if (!look.isTurn) return;
		thread.requests++;
		thread.model = told.model ?? look.model ?? thread.model;
		thread.namesTools ||= look.namesTools;
		if (told.usage) thread.prompt = totalOf(told.usage) - told.usage.output;
		const engine = await this.#catchUp(thread);
		if (!engine) return;
		this.#settle(thread, engine);
		const leaf = askedAt(engine, thread);
		const { passed: before } = thread;
		const isNew = !this.#options.check.passes(thread.caller.version);
		if (isNew || !wire.hasOwnManifests) thread.passed = sizeRequest(look.head, look.messages());
		if (!wire.hasOwnManifests)
			this.#writeRequest(thread, engine, { before, model: look.model, answer: told.answer, leaf });
		if (isNew) this.#checkVersion(thread, engine, before, { look, told });
		const input = { ...this.#input(thread), leaf, decide: true };
		thread.due = leaf === undefined ? undefined : engine.requests.dueWhy(input);
		if (leaf === undefined || !this.#seals(thread.caller)) return;
		// Nobody waits now. When the host asks, what leaves is summarised already, but for the newest.
		if (modeOf(engine.settings.mode).summarises && thread.hasGrown(AHEAD_STEP_TOKENS))
			await engine.compact({ session: thread.ref, leaf, settings: AHEAD, mostNodes: MAX_NODES_AHEAD });
		if (thread.due === undefined || thread.isRehearsed) return;
		thread.isRehearsed = true;
		await engine.requests.seal(input);
	}

	/** What was sent, for agents that do not write it down. */
	#writeRequest(
		thread: Thread,
		engine: Engine,
		of: {
			readonly before: PassedRequest | undefined;
			readonly model: string | undefined;
			readonly answer: string | undefined;
			readonly leaf: number | undefined;
		},
	): void {
		const { ref, passed, isCompacted } = thread;
		if (!passed) return;
		const { before, model, answer, leaf } = of;
		const request = answer ?? `passed ${thread.requests}`;
		const reason = isCompacted ? HOST_COMPACTED : "the host changed what it had sent";
		thread.isCompacted = false;
		const payload = passedManifest({ request, model, reason }, passed, before);
		engine.record([{ ...ref, type: "Request", entry: `request ${request}`, cause: leaf, payload }]);
	}

	#checkVersion(
		thread: Thread,
		engine: Engine,
		before: PassedRequest | undefined,
		{ look: { newestResult }, told }: { readonly look: Look; readonly told: Told },
	): void {
		const { caller, passed } = thread;
		if (!before || !passed) return;
		const { messages } = engine.requests.moment(this.#input(thread)).path;
		const isWritten =
			newestResult === undefined || messages.some(({ results }) => results?.includes(newestResult) ?? false);
		const isExtended = before.items.every(({ sha256 }, at) => sha256 === passed.items[at]?.sha256);
		const hasPassed = this.#options.check.take(caller.version, {
			isExtended,
			hasUsage: told.usage !== undefined,
			isWritten,
		});
		if (hasPassed) this.#options.onPassed?.(caller);
	}

	#input({ ref, model, namesTools }: Thread): RequestInput {
		return { ...ref, model, namesTools, window: this.#options.window, decide: false };
	}

	async #catchUp({ caller }: Thread): Promise<Engine | undefined> {
		const engine = await this.#options.files.catchUp(caller);
		if (engine) this.#engines.set(caller.id, engine);
		return engine;
	}

	async #answer(
		thread: Thread,
		compaction: HostCompaction,
		hash: string,
	): Promise<{ readonly type: string; readonly body: string } | undefined> {
		if (thread.answered?.hash === hash) return thread.answered;
		await thread.looking;
		const found = await this.#whenWritten(thread, compaction);
		if (!found) return undefined;
		const { engine, keepFrom, leaf } = found;
		const { due } = thread;
		const { words } = compaction;
		const why = due ?? (this.#isAtThreshold(thread) ? "host-threshold" : "asked");
		const input = { ...this.#input(thread), leaf, decide: true, force: true, anySize: true, keepFrom, why, words };
		const seal = await engine.requests.seal(input);
		if (!seal) return undefined;
		const answer = compaction.answer(seal.seed.text);
		engine.record([seedOffered(thread.ref, seal)]);
		thread.offer({ seal: asOffered(seal), after: engine.log.newestSeq() });
		thread.answered = { hash, ...answer };
		return answer;
	}

	#isAtThreshold({ prompt }: Thread): boolean {
		return prompt >= this.#options.threshold * 0.9;
	}

	/**
	 * Waits until the log has what leaves and what stays. What stays may never come: then it is sealed at the newest that leaves.
	 * Undefined: what leaves does not come, and the host writes its summary.
	 */
	async #whenWritten(
		thread: Thread,
		{ calls, newestResult, keepsNewest }: HostCompaction,
	): Promise<{ readonly engine: Engine; readonly keepFrom: string | null; readonly leaf?: number } | undefined> {
		const { now = Date.now } = this.#options;
		const since = now();
		for (;;) {
			const engine = await this.#catchUp(thread);
			const { messages, isOpen } = engine?.requests.moment(this.#input(thread)).path ?? NO_PATH;
			const newestLeaving =
				newestResult === undefined ? messages.at(-1) : messages.find(({ results }) => results?.includes(newestResult));
			const isThere = newestLeaving !== undefined;
			const kept = messages.find((message) => (message.calls ?? []).some((id) => !calls.has(id)));
			// The newest call stays, unless it is among what leaves.
			const isAllLeaving = thread.newestCalls.every((id) => calls.has(id));
			// A call that is kept is written down before its result.
			const isWhole = isThere && !isOpen && (!keepsNewest || kept !== undefined || isAllLeaving);
			const isLate = now() - since >= (engine ? MAX_WAIT_MS : MAX_WAIT_FOR_FILE_MS);
			if (engine && isThere && isLate && isOpen && keepsNewest)
				return { engine, keepFrom: null, leaf: newestLeaving.seq };
			if (engine && isThere && (isWhole || isLate))
				return { engine, keepFrom: keepsNewest ? (kept?.id ?? null) : null };
			if (isLate) return undefined;
			await pause(LOOK_AGAIN_MS);
		}
	}

	/** What a proxy before this one has answered, and did not live to see written. */
	#restore(thread: Thread, engine: Engine): void {
		const { now = Date.now } = this.#options;
		const open = openOffer(engine, thread.ref, now() - MAX_OFFER_MS);
		if (open) thread.offer({ seal: open.seal, after: open.seq });
	}

	/** Has the host taken the seed? Then the seal counts, at the place where the host's own summary stands. */
	#settle(thread: Thread, engine: Engine): void {
		const { tree } = engine.history;
		tree.catchUp();
		const { ref } = thread;
		if (!thread.offered && thread.requests <= 1) this.#restore(thread, engine);
		const { offered } = thread;
		if (!offered) return;
		const summary = newest(engine, thread, isCompaction);
		const text = summary && summaryText(engine, summary);
		// The summary of an earlier compaction may begin with the same words.
		if (!summary || summary.seq <= offered.after || text === undefined || !isHolding(text, offered.seal.seed.text))
			return;
		// What stays raw, the host has decided.
		const { opening } = engine.requests.moment({ ...this.#input(thread), leaf: summary.seq }).path;
		const from = opening ? firstKept(opening.op) : offered.seal.from;
		const { op } = offered.seal;
		const patch: EpochOp =
			op.op === "epoch_seal"
				? { ...op, seedText: text, keepFromId: from }
				: { ...op, summary: text, firstKeptMessageId: from };
		const transform = sealTransform(engine.settings.mode, patch);
		const seal: PlannedSeal = { ...offered.seal, op: patch, transform, from };
		// First: where the account cannot be written, that is said once.
		thread.begin();
		engine.requests.commit(ref, seal, summary.seq, engine.settings.mode);
	}
}

function threadKey({ agent, session }: Caller): string {
	return `${agent} ${session}`;
}

/** The entry at which the agent asked last: before the answer that is under way, not before a compaction. */
function askedAt(engine: Engine, thread: Thread): number | undefined {
	engine.history.catchUp();
	return newest(engine, thread, (entry) => (isMessage(entry) ? entry.role !== "assistant" : isCompaction(entry)))?.seq;
}

function isCompaction({ role, kind }: TreeEntry): boolean {
	return role === "compactionSummary" || kind === "compaction";
}

/** By when it was written: at the end of a session Claude Code's file has lines that follow nothing. */
function newest(engine: Engine, { ref }: Thread, isWanted: (entry: TreeEntry) => boolean): TreeEntry | undefined {
	const { tree } = engine.history;
	const query = { ...ref, types: ["Message", "Entry"], order: "newest", limit: MAX_ENTRIES_BACK } as const;
	for (const { seq } of engine.log.read(query)) {
		const entry = tree.get(seq);
		if (entry && isWanted(entry)) return entry;
	}
	return undefined;
}

const COMPARED_CHARS = 200;

/** A host takes out empty lines, and what it takes for its own marks. */
function isHolding(text: string, seed: string): boolean {
	const bare = (of: string) => of.replaceAll(/[\s<>/]+/g, "");
	return bare(text).includes(bare(seed).slice(0, COMPARED_CHARS));
}

function summaryText(engine: Engine, { seq }: TreeEntry): string | undefined {
	const payload = engine.log.get(seq)?.payload;
	if (!payload) return undefined;
	return asText(asObject(payload["raw"])?.["summary"]) ?? messageText(viewMessage(payload));
}

function named({ answer, model }: Told): { readonly answer?: string; readonly model?: string } {
	return { ...(answer === undefined ? {} : { answer }), ...(model === undefined ? {} : { model }) };
}
