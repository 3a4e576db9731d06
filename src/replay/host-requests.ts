/**
 * The requests that a host really sent, where its session file records them: Claude Code does since 2.1.325. They are
 * restored exactly, with system prompt and tools, and each message is verified by its hash.
 */

import { type ApiRequest, ApiRequests, hashOf } from "../agent/claude-code/requests.ts";
import { CLAUDE_CODE_HOST } from "../agent/claude-code/translate.ts";
import { asName, asObject, asText, type JsonObject } from "../base/json/read.ts";
import { type ContextEnvelope, type EnvelopeMessage, makeEnvelope } from "../context/envelope/envelope.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { ModelCall } from "./recording.ts";

export class HostRequests {
	readonly #log: Log;
	readonly #requests = new Map<string, ContextEnvelope>();
	/** One object per message, so that everything derived from a message is computed once. */
	readonly #messages = new Map<string, EnvelopeMessage>();

	constructor(log: Log, sessions: readonly SessionRef[]) {
		this.#log = log;
		for (const { session, host } of sessions) if (host === CLAUDE_CODE_HOST) this.#read(session);
	}

	/** Undefined: the request was not recorded, or not all of it can be verified. */
	of({ answer }: ModelCall): ContextEnvelope | undefined {
		if (this.#requests.size === 0) return undefined;
		const line = asObject(this.#log.get(answer.seq)?.payload["raw"]);
		return this.#requests.get(asName(line?.["requestRef"]) ?? "");
	}

	#read(session: string): void {
		const requests = new ApiRequests<JsonObject>((message) => message);
		for (const { payload } of this.#log.read({ session, host: CLAUDE_CODE_HOST, types: ["Message", "Entry"] })) {
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
