/**
 * The requests that Claude Code really sent, from its own lines about them. A request names its messages by hash; a line of the
 * transcript or a blob has the message. A hash is the SHA-256 of the message's JSON, with sorted keys at every level and
 * without cache marks.
 */

import { BoundedMap } from "../../base/collection/bounded.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { asInteger, asList, asName, asObject, type JsonObject } from "../../base/json/read.ts";
import { writeJson } from "../../base/json/write.ts";
import { hasResult } from "../../message/dialect/anthropic/to-pi.ts";

export interface ApiRequest<Kept> {
	readonly id: string;
	readonly model: string | undefined;
	/** In the order sent; undefined: nothing in the file has this hash. */
	readonly messages: readonly { readonly hash: string; readonly kept: Kept | undefined }[];
	/** How many of them equal the previous request's. */
	readonly same: number;
	/** Undefined: not in the file. */
	readonly shape: RequestShape | undefined;
	/** The options of the request, without its messages. */
	readonly params: JsonObject;
}

export interface RequestShape {
	readonly hash: string;
	readonly system: readonly JsonObject[];
	readonly tools: readonly JsonObject[];
}

/** Requests whose messages are remembered: each request refers to a recent one. */
const MAX_REMEMBERED = 16;

/** More messages than any context holds. */
const MAX_LATE = 5_000;

/** `keep`: what to remember of a message, such as its size. */
export class ApiRequests<Kept> {
	readonly #keep: (message: JsonObject) => Kept;
	/** The latest messages, and older ones that a remembered request names. */
	#late = new Map<string, Kept>();
	#older = new Map<string, Kept>();
	readonly #shapes = new Map<string, RequestShape>();
	readonly #requests = new BoundedMap<string, readonly string[]>(MAX_REMEMBERED);
	/** Since the last request: the parts of each answer, the results, and the user's messages. */
	#answers = new Map<string, unknown[]>();
	#results: unknown[] = [];
	#prompts: unknown[] = [];
	#last: readonly string[] = [];
	#isOn = false;

	constructor(keep: (message: JsonObject) => Kept) {
		this.#keep = keep;
	}

	/** Takes the lines in the order of the file. Returns the request of a line that describes one. */
	take(line: JsonObject): ApiRequest<Kept> | undefined {
		// Older versions write no requests, so there is nothing to remember.
		this.#isOn ||= asName(line["type"])?.startsWith("api-request") ?? false;
		if (!this.#isOn) return undefined;
		const message = asObject(line["message"]);
		switch (line["type"]) {
			case "assistant":
				if (message) this.#answer(message);
				return undefined;
			case "user":
				if (message) this.#user(message);
				return undefined;
			case "api-request-blob":
				if (message) this.#remember(asName(line["hash"]) ?? hashOf(message), this.#keep(message));
				return undefined;
			case "api-request-shape":
				this.#shape(line);
				return undefined;
			case "api-request":
				return this.#request(line);
			default:
				return undefined;
		}
	}

	#answer(message: JsonObject): void {
		const id = asName(message["id"]) ?? "";
		const parts = this.#answers.get(id) ?? [];
		parts.push(...asList(message["content"]));
		this.#answers.set(id, parts);
	}

	#user({ content }: JsonObject): void {
		if (hasResult(content)) this.#results.push(...asList(content));
		else this.#prompts.push(content);
	}

	#shape(line: JsonObject): void {
		const hash = asName(line["shapeHash"]);
		const shape = asObject(line["shape"]);
		if (hash === undefined || !shape) return;
		const objects = (value: unknown) => asList(value).map((item) => asObject(item) ?? {});
		this.#shapes.set(hash, { hash, system: objects(shape["system"]), tools: objects(shape["tools"]) });
	}

	#request(line: JsonObject): ApiRequest<Kept> | undefined {
		const id = asName(line["id"]);
		if (id === undefined) return undefined;
		this.#close();
		const base = this.#requests.get(asName(line["base"]) ?? "") ?? [];
		const keep = Math.min(asInteger(line["keep"]) ?? 0, base.length);
		const hashes = [...base.slice(0, keep), ...asList(line["tail"]).map(String)];
		const before = this.#last;
		const differs = hashes.findIndex((hash, at) => hash !== before[at]);
		this.#requests.set(id, hashes);
		this.#last = hashes;
		const params = asObject(line["params"]) ?? {};
		return {
			id,
			model: asName(params["model"]),
			messages: hashes.map((hash) => ({ hash, kept: this.#find(hash) })),
			same: differs === -1 ? Math.min(hashes.length, before.length) : differs,
			shape: this.#shapes.get(asName(line["shapeHash"]) ?? ""),
			params,
		};
	}

	/** Messages since the last request may be part of this one. */
	#close(): void {
		for (const content of this.#answers.values()) this.#know({ role: "assistant", content });
		if (this.#results.length > 0) this.#know({ role: "user", content: this.#results });
		for (const content of this.#prompts) {
			this.#know({ role: "user", content });
			if (typeof content === "string") this.#know({ role: "user", content: [{ type: "text", text: content }] });
		}
		this.#answers = new Map();
		this.#results = [];
		this.#prompts = [];
	}

	#know(message: JsonObject): void {
		const hash = hashOf(message);
		if (this.#find(hash) === undefined) this.#remember(hash, this.#keep(message));
	}

	#find(hash: string): Kept | undefined {
		return this.#late.get(hash) ?? this.#older.get(hash);
	}

	#remember(hash: string, kept: Kept): void {
		this.#late.set(hash, kept);
		if (this.#late.size < MAX_LATE) return;
		const named = new Set([...this.#requests.values()].flat());
		this.#older = new Map([...[...this.#older].filter(([older]) => named.has(older)), ...this.#late]);
		this.#late = new Map();
	}
}

export function hashOf(message: JsonObject): string {
	return sha256(writeJson(sorted(message)));
}

/** Without cache marks, which the hash ignores. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	const object = asObject(value);
	if (!object) return value;
	const keys = Object.keys(object)
		.filter((key) => key !== "cache_control")
		.sort();
	return Object.fromEntries(keys.map((key) => [key, sorted(object[key])]));
}
