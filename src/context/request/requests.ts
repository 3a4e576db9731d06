/**
 * The requests of a project's sessions, one after the other: planned, made, checked, and written down with what changed
 * since the last one. For plain code; hosts that own the loop have their own way out.
 */

import type { NewEvent } from "../../event/types.ts";
import type { History } from "../../history/history.ts";
import type { AppendResult } from "../../log/types.ts";
import type { SessionRef } from "../../session/tree.ts";
import type { FileSource } from "../../work/file-source.ts";
import { CACHE_TTL_MS } from "../cache/ledger.ts";
import { type Segment, segmentsOf } from "../envelope/bytes.ts";
import type { EnvelopeInput, GivenMessage } from "../envelope/envelope.ts";
import { makeManifest } from "../envelope/manifest.ts";
import type { Handlers } from "../handler/handler.ts";
import { finishMessage } from "../handler/message-hook.ts";
import { endTurn } from "../handler/pipeline.ts";
import { replay } from "../patch/replay.ts";
import { toPayload } from "../patch/transform.ts";
import type { ProjectState } from "../project-state.ts";
import { sealEvent, type Weave } from "../seal/weave.ts";
import { Weaver } from "../seal/weaver.ts";
import { DEFAULT_WINDOW_TOKENS } from "../section/budget.ts";
import type { ContextItem } from "../section/section.ts";
import { type MadeRequest, makeRequest, messageItems } from "./assemble.ts";
import { readPath } from "./path.ts";
import { type AssemblyMode, type PlanInput, type PlanSources, planRequest } from "./plan.ts";

export interface AssembleInput extends SessionRef {
	/** By default what the settings say. */
	readonly mode?: AssemblyMode;
	/** The model's id, for its prices. */
	readonly model?: string;
	/** The model's context window in tokens. */
	readonly window?: number;
	/** What the log does not know: the system prompt's parts, the tools, options. */
	readonly base?: Pick<EnvelopeInput, "systemParts" | "tools" | "options">;
	/** The provider has forgotten the request before; by default by the time that has passed. */
	readonly cold?: boolean;
	/** seq of the entry at which the agent stands; by default the session's newest. */
	readonly leaf?: number;
	readonly signal?: AbortSignal;
}

export interface Assembled extends MadeRequest {
	/** Its id: the Request event in the log has the same. */
	readonly request: string;
	readonly mode: AssemblyMode;
	/** What is in and why. */
	readonly items: readonly ContextItem[];
	/** Message handlers on a message that is final, before it is recorded and shown; null: it is left out. */
	finish(message: GivenMessage): Promise<GivenMessage | null>;
	/** When the turn's messages are recorded: handlers of `turn_end` see them, and what they change is stored. */
	endTurn(): Promise<void>;
}

export interface RequestsOptions {
	readonly history: History;
	readonly mode: AssemblyMode;
	readonly weave: (of: SessionRef & { readonly model?: string; readonly window: number }) => Weave;
	readonly state: () => ProjectState;
	readonly files: () => FileSource;
	readonly handlers: () => Promise<Handlers>;
	readonly record: (events: readonly NewEvent[]) => AppendResult;
	/** Summarises what lies before a message, or before the usual tail. */
	readonly compact: (session: SessionRef, keepFrom?: number) => Promise<void>;
	readonly now: () => number;
}

interface Sent {
	readonly segments: readonly Segment[];
	readonly at: number;
}

export class Requests {
	readonly #options: RequestsOptions;
	readonly #weavers = new Map<string, Weaver>();
	readonly #sent = new Map<string, Sent>();
	#count = 0;

	constructor(options: RequestsOptions) {
		this.#options = options;
	}

	async assemble(input: AssembleInput): Promise<Assembled> {
		const { history, record, now } = this.#options;
		const of = { session: input.session, host: input.host };
		const key = `${of.host} ${of.session}`;
		const sent = this.#sent.get(key);
		const at = now();
		const cold = input.cold ?? (sent !== undefined && at - sent.at > CACHE_TTL_MS);
		const plan = await planRequest(this.#planInput(input, cold), this.#sources(input, this.#weaver(input, "live")));
		const request = `${plan.messages.at(-1)?.id ?? "root"}.${at.toString(36)}.${++this.#count}`;
		const handlers = await this.#options.handlers();
		const beside = { signal: input.signal ?? new AbortController().signal, now: at, ...modelOf(input) };
		const made = await makeRequest(history.log, of, plan, { request, base: input.base ?? {}, handlers, beside });
		const segments = segmentsOf(made.envelope);
		const manifest = makeManifest({
			request,
			segments,
			last: sent,
			reasons: made.reasons,
			warm: !cold,
			mode: plan.mode,
			...modelOf(input),
		});
		const base = { ...of, ts: at };
		record([
			...transformEvents(made, base),
			{ ...base, type: "Request", entry: `request ${request}`, payload: manifest },
			...faultEvents(made, base),
		]);
		this.#sent.set(key, { segments, at });
		return {
			request,
			mode: plan.mode,
			items: plan.items,
			...made,
			finish: async (message) => {
				const { failures, message: finished } = await finishMessage(message, handlers.message, beside);
				if (failures.length > 0) record(faultEvents({ failures }, base));
				return finished;
			},
			endTurn: async () => {
				const newest = plan.messages.at(-1)?.id;
				const path = readPath(history, of, newest === undefined ? {} : { from: new Set([newest]) });
				const since = newest === undefined ? path : path.slice(1);
				const { envelope } = replay(made.durable, since.flatMap(messageItems));
				const ended = await endTurn({ envelope, handlers, beside });
				record([...transformEvents(ended, base), ...faultEvents(ended, base)]);
			},
		};
	}

	/** What the next request would hold and why; nothing is written. */
	async explain(input: AssembleInput): Promise<readonly ContextItem[]> {
		const sources = this.#sources(input, this.#weaver(input, "look"));
		const { compact: _, ...look } = sources;
		return (await planRequest(this.#planInput(input, input.cold ?? false), look)).items;
	}

	#planInput(input: AssembleInput, cold: boolean): PlanInput {
		const { session, host, mode = this.#options.mode, window = DEFAULT_WINDOW_TOKENS, leaf } = input;
		return { session: { session, host }, mode, window, leaf, cold, now: this.#options.now() };
	}

	#sources({ session, host }: SessionRef, weaver: Weaver): PlanSources {
		const { history, state, files, compact } = this.#options;
		return { history, weaver, state, files, compact: () => compact({ session, host }) };
	}

	#weaver(input: AssembleInput, how: "live" | "look"): Weaver {
		const { session, host, model, window = DEFAULT_WINDOW_TOKENS } = input;
		const { weave, record, compact, history, now } = this.#options;
		const of = { session, host };
		const make = () => weave({ ...of, window, ...(model === undefined ? {} : { model }) });
		if (how === "look") return lookingWeaver(make);
		const key = `${host} ${session} ${model} ${window}`;
		const known = this.#weavers.get(key);
		if (known) return known;
		const weaver = new Weaver({
			make,
			summarise: (message) => compact(of, history.tree.find(of, message.id)),
			record: (seal) => record([sealEvent(seal, session, host, now())]),
		});
		this.#weavers.set(key, weaver);
		return weaver;
	}
}

/** Says what would be sealed, and writes nothing. */
export function lookingWeaver(make: () => Weave): Weaver {
	return new Weaver({ make, summarise: async () => {}, record: () => ({ seqs: [], added: 1 }) });
}

function modelOf({ model }: AssembleInput): { readonly model?: string } {
	return model === undefined ? {} : { model };
}

type Base = SessionRef & { readonly ts: number };

function transformEvents({ transforms }: Pick<MadeRequest, "transforms">, base: Base): NewEvent[] {
	return transforms.map((transform) => ({ ...base, type: "Transform", payload: toPayload(transform) }));
}

function faultEvents(
	{ failures, violations = [] }: Pick<MadeRequest, "failures"> & Partial<Pick<MadeRequest, "violations">>,
	base: Base,
): NewEvent[] {
	const payloads = [
		...failures.map(({ handler, reason, error }) => ({
			where: `handler ${handler}`,
			code: reason,
			message: error instanceof Error ? error.message : String(error),
		})),
		...violations.map(({ rule, message }) => ({ where: "assemble", code: rule, message })),
	];
	return payloads.map((payload) => ({ ...base, type: "Fault", payload }));
}
