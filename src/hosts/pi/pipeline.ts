/**
 * The user's own handlers in Pi: they see each request as an envelope and answer with patches. What lasts is stored as
 * events and applied again at every request, at its place among the messages of the branch; what is ephemeral holds once.
 */

import type { ContextEnvelope, EnvelopeMessage, ToolDefinition } from "../../context/envelope/envelope.ts";
import { makeEnvelope, withUncached } from "../../context/envelope/envelope.ts";
import type { HandlerFailure } from "../../context/handler/chain.ts";
import type { HandlerContext, Handlers } from "../../context/handler/handler.ts";
import { finishMessage } from "../../context/handler/message-hook.ts";
import { endTurn, prepareRequest } from "../../context/handler/pipeline.ts";
import { type ReplayItem, replay } from "../../context/patch/replay.ts";
import { readTransform, type Transform, toPayload } from "../../context/patch/transform.ts";
import { faultOf } from "./door.ts";
import type { LiveSession } from "./live-session.ts";

/** A lasting transform, and the entry behind which it was made. */
interface Stored {
	readonly after: string;
	readonly transform: Transform;
}

const MARK = "transform ";

export class Pipeline {
	readonly #handlers: Handlers;
	readonly #tools: () => readonly ToolDefinition[];
	#stored: { readonly session: string; readonly list: Stored[] } | undefined;
	readonly #said = new Set<string>();

	constructor(handlers: Handlers, tools: () => readonly ToolDefinition[]) {
		this.#handlers = handlers;
		this.#tools = tools;
	}

	/** `envelope`: what would leave; the answer is what leaves, and what it would have been without handlers. */
	async prepare(
		envelope: ContextEnvelope,
		live: LiveSession,
	): Promise<{ base: ContextEnvelope; made: ContextEnvelope }> {
		const request = `${live.ctx.sessionManager.getLeafId() ?? "root"}.${Date.now().toString(36)}`;
		const base = this.#base(live);
		const { cached, uncached } = envelope.messages;
		const prepared = await prepareRequest({
			request,
			base: withUncached(base, uncached),
			items: this.#items(cached, live),
			handlers: this.#handlers,
			beside: besideOf(live),
		});
		this.#store(prepared.transforms, request, live);
		this.#tell(prepared.failures, live);
		for (const reason of prepared.reasons) live.reasons.add(reason);
		return { base, made: prepared.envelope };
	}

	/** When a turn is closed. */
	async endTurn(cached: readonly EnvelopeMessage[], live: LiveSession): Promise<void> {
		const { envelope } = replay(this.#base(live), this.#items(cached, live));
		const ended = await endTurn({ envelope, handlers: this.#handlers, beside: besideOf(live) });
		this.#store(ended.transforms, `end ${Date.now().toString(36)}`, live);
		this.#tell(ended.failures, live);
		for (const reason of ended.reasons) live.reasons.add(reason);
	}

	/** A message is final; undefined: it stays as it is. */
	async finish(message: { readonly role: string }, live: LiveSession): Promise<object | undefined> {
		if (this.#handlers.message.length === 0) return undefined;
		const finished = await finishMessage({ ...message }, this.#handlers.message, besideOf(live));
		this.#tell(finished.failures, live);
		return finished.changedBy.length > 0 && finished.message ? finished.message : undefined;
	}

	#base(live: LiveSession): ContextEnvelope {
		const systemParts = [{ name: "prompt", text: live.ctx.getSystemPrompt() }];
		return makeEnvelope({ systemParts, tools: this.#tools() });
	}

	/** Each transform stands before the first message that came after it; those of other branches are left out. */
	#items(messages: readonly EnvelopeMessage[], live: LiveSession): ReplayItem[] {
		const branch = live.ctx.sessionManager.getBranch();
		const places = new Map(branch.map(({ id }, at) => [id, at]));
		const stored = this.#storedIn(live)
			.filter(({ after }) => places.has(after))
			.map(({ after, transform }) => ({ at: places.get(after)!, transform }));
		const items: ReplayItem[] = [];
		let next = 0;
		for (const message of messages) {
			const at = message.seed === true ? -1 : (places.get(message.id) ?? Number.POSITIVE_INFINITY);
			while (next < stored.length && stored[next]!.at < at) items.push(toItem(stored[next++]!.transform));
			items.push({ kind: "message", message });
		}
		while (next < stored.length) items.push(toItem(stored[next++]!.transform));
		return items;
	}

	#storedIn(live: LiveSession): Stored[] {
		const { session, host } = live.session;
		if (this.#stored?.session !== session) {
			const list: Stored[] = [];
			for (const { entry, payload } of live.engine.log.read({ session, host, types: ["Transform"] })) {
				const after = entry?.startsWith(MARK) ? entry.split(" ")[1] : undefined;
				const transform = readTransform(payload);
				if (after !== undefined && transform.reason !== "ephemeral") list.push({ after, transform });
			}
			this.#stored = { session, list };
		}
		return this.#stored.list;
	}

	#store(transforms: readonly Transform[], request: string, live: LiveSession): void {
		const after = live.ctx.sessionManager.getLeafId();
		if (transforms.length === 0 || after === null) return;
		const stored = this.#storedIn(live);
		const events = transforms.map((transform, n) => ({
			type: "Transform" as const,
			...live.session,
			entry: `${MARK}${after} ${request}/${n}`,
			payload: toPayload(transform),
		}));
		live.engine.record(events);
		for (const transform of transforms) if (transform.reason !== "ephemeral") stored.push({ after, transform });
	}

	/** Once each: a transform that fails at every request would fill the log. */
	#tell(failures: readonly HandlerFailure[], live: LiveSession): void {
		for (const { handler, reason, error } of failures) {
			const fault = faultOf(`handler ${handler} (${reason})`, error);
			const known = `${fault.where} ${fault.message}`;
			if (this.#said.has(known)) continue;
			this.#said.add(known);
			live.recorder.fault(fault);
		}
	}
}

function besideOf({ ctx, window }: LiveSession): HandlerContext {
	const signal = ctx.signal ?? new AbortController().signal;
	return { signal, now: Date.now(), window, ...(ctx.model ? { model: `${ctx.model.provider}/${ctx.model.id}` } : {}) };
}

function toItem(transform: Transform): ReplayItem {
	return { kind: "transform", transform };
}
