/** The Request event of one request: sizes and hashes of its parts, from Claude Code's own record. */

import { sha256 } from "../../base/hash/sha256.ts";
import { asText, type JsonObject } from "../../base/json/read.ts";
import { writeJson } from "../../base/json/write.ts";
import { tokensOfBytes } from "../../base/tokens/estimate.ts";
import type { GivenPayload } from "../../log/event/types.ts";
import { readWire, shownText } from "../../message/view.ts";
import { headMarks } from "../../tool/head-marks.ts";
import type { ApiRequest, RequestShape } from "./requests.ts";

export interface Size {
	readonly bytes: number;
	readonly tokens: number;
}

export function sizeOf(message: JsonObject): Size {
	const tokens = tokensOfBytes(Buffer.byteLength(shownText(readWire(message, "anthropic")), "utf8"));
	return { bytes: Buffer.byteLength(writeJson(message), "utf8"), tokens };
}

const HASH_CHARS = 16;

/** `before`: the previous request. */
export function manifestOf(
	request: ApiRequest<Size>,
	before: ApiRequest<Size> | undefined,
	reason: string,
): GivenPayload<"Request"> {
	const { id, model, messages, same, shape } = request;
	const [tools, system] = [cachedTools(shape), cachedSystem(shape)];
	const fixed = [partOf("tools", shape?.tools, tools), partOf("system", shape?.system, system)];
	const items = messages.map(({ hash, kept }) => ({ id: hash, ...(kept ?? NOTHING), hash: hash.slice(0, HASH_CHARS) }));
	const isExtended = before === undefined || same >= before.messages.length;
	const shared = sum(items.slice(0, same));
	const all = sum(items);
	const head = sum(fixed);
	const sameShape = before?.shape?.hash === shape?.hash;
	const read = before && sameShape ? head.tokens + shared.tokens : 0;
	const lost = sum((before?.messages ?? []).slice(same).map(({ kept }) => kept ?? NOTHING));
	return {
		request: id,
		model,
		mode: "host",
		segments: [...fixed, { name: "tail", ...all, sha256: sha256(messages.map(({ hash }) => hash).join("\n")) }],
		kept: same,
		items: items.slice(same),
		reasons: isExtended ? [] : [reason],
		difference: isExtended ? null : { segment: "tail", byte: head.bytes + shared.bytes, tokens: lost.tokens },
		...(shape && { head: headMarks(tools, system) }),
		predicted: { read, write: head.tokens + all.tokens - read, input: 0 },
	};
}

/** Of a message that is not in the file. */
const NOTHING: Size = { bytes: 0, tokens: 0 };

/** `cached`: of the part, as far as it counts for a provider's cache. */
function partOf(name: string, part: readonly JsonObject[] = [], cached: readonly JsonObject[] = part) {
	const bytes = Buffer.byteLength(writeJson(part), "utf8");
	return { name, bytes, tokens: tokensOfBytes(bytes), sha256: sha256(writeJson(cached)) };
}

/** A tool that is loaded later is not part of the prefix. */
function cachedTools(shape: RequestShape | undefined): readonly JsonObject[] {
	return shape?.tools.filter((tool) => tool["defer_loading"] !== true) ?? [];
}

/** Claude Code's first block is for accounting, and changes with each compaction. */
function cachedSystem(shape: RequestShape | undefined): readonly JsonObject[] {
	return shape?.system.filter((block) => !asText(block["text"])?.startsWith("x-anthropic-billing-header")) ?? [];
}

function sum(of: readonly Size[]): Size {
	const add = (field: keyof Size) => of.reduce((total, each) => total + each[field], 0);
	return { bytes: add("bytes"), tokens: add("tokens") };
}
