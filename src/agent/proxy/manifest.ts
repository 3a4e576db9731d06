/** The manifest of a request that passed, for agents that do not write their requests down: sizes and hashes, no text. */
import { sha256 } from "../../base/hash/sha256.ts";
import { asList, type JsonObject } from "../../base/json/read.ts";
import { writeJson } from "../../base/json/write.ts";
import { tokensOfBytes } from "../../base/tokens/estimate.ts";
import type { GivenPayload } from "../../log/event/types.ts";
import { type HeadMarks, headMarks } from "../../tool/head-marks.ts";

interface PassedPart {
	readonly bytes: number;
	readonly tokens: number;
	readonly sha256: string;
}

/** A request, as far as the next one is compared with it. */
export interface PassedRequest {
	readonly head: PassedPart;
	readonly items: readonly PassedPart[];
	readonly marks: HeadMarks;
}

const HASH_CHARS = 16;

/** `head`: the tools, and the system text. */
export function sizeRequest(head: unknown, messages: readonly JsonObject[]): PassedRequest {
	const [tools, system] = asList(head);
	return { head: sized(head), items: messages.map(sized), marks: headMarks(asList(tools), system) };
}

/** `before`: the earlier request of the session. `reason`: why bytes that were sent before have changed. */
export function passedManifest(
	of: { readonly request: string; readonly model: string | undefined; readonly reason: string },
	now: PassedRequest,
	before: PassedRequest | undefined,
): GivenPayload<"Request"> {
	const { head, items } = now;
	const isSameHead = before?.head.sha256 === head.sha256;
	const differs = items.findIndex(({ sha256 }, at) => sha256 !== before?.items[at]?.sha256);
	const same = before && isSameHead ? (differs === -1 ? items.length : differs) : 0;
	const isExtended = before === undefined || (isSameHead && same >= before.items.length);
	const shared = sum(items.slice(0, same));
	const all = sum(items);
	const lost = sum(before?.items.slice(same) ?? []);
	const read = before && isSameHead ? head.tokens + shared.tokens : 0;
	return {
		request: of.request,
		model: of.model,
		mode: "host",
		segments: [
			{ name: "tools", ...head },
			{ name: "tail", ...all, sha256: sha256(items.map((item) => item.sha256).join("\n")) },
		],
		kept: same,
		items: items.slice(same).map(({ bytes, tokens, sha256: hash }) => ({
			id: hash,
			bytes,
			tokens,
			hash: hash.slice(0, HASH_CHARS),
		})),
		reasons: isExtended ? [] : [of.reason],
		difference: isExtended
			? null
			: {
					segment: isSameHead ? "tail" : "tools",
					byte: isSameHead ? head.bytes + shared.bytes : 0,
					tokens: lost.tokens,
				},
		head: now.marks,
		predicted: { read, write: head.tokens + all.tokens - read, input: 0 },
	};
}

function sized(value: unknown): PassedPart {
	const text = writeJson(value ?? []);
	const bytes = Buffer.byteLength(text, "utf8");
	return { bytes, tokens: tokensOfBytes(bytes), sha256: sha256(text) };
}

function sum(of: readonly PassedPart[]): { readonly bytes: number; readonly tokens: number } {
	return {
		bytes: of.reduce((total, { bytes }) => total + bytes, 0),
		tokens: of.reduce((total, { tokens }) => total + tokens, 0),
	};
}
