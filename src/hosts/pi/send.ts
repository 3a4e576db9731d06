/**
 * When a request leaves: its cache marks are set. What it holds is written down while the model thinks: a request does not
 * wait for its own record.
 */
import type { BeforeProviderRequestEvent } from "@earendil-works/pi-coding-agent";
import { segmentsOf } from "../../context/envelope/bytes.ts";
import { makeEnvelope, type SystemPart, type ToolDefinition, withUncached } from "../../context/envelope/envelope.ts";
import { makeManifest } from "../../context/envelope/manifest.ts";
import { asList, asName, asObject, asText, type JsonObject } from "../../json/read.ts";
import type { LiveSession } from "./live-session.ts";
import { markCache } from "./mark-cache.ts";
import type { Outgoing } from "./outgoing.ts";
import { isCold } from "./seal.ts";
import { changeWire } from "./wire-changes.ts";

export function sendRequest({ payload }: BeforeProviderRequestEvent, live: LiveSession): unknown {
	// Pi also asks a model for things of its own, without a context hook before: those are not the session's requests.
	const outgoing = live.outgoing;
	live.outgoing = undefined;
	if (!outgoing) return undefined;
	const changed = outgoing.changes ? changeWire(payload, outgoing.changes) : payload;
	live.unrecorded = {
		payload: changed,
		outgoing,
		reasons: [...live.reasons],
		warm: !isCold(live),
		at: Date.now(),
		leaf: live.ctx.sessionManager.getLeafId(),
	};
	live.sentAt = live.unrecorded.at;
	live.reasons.clear();
	const isMarked = live.mode() === "woven" && live.ctx.model?.api === "anthropic-messages";
	const marked = isMarked ? markCache(changed, outgoing) : changed;
	return marked === payload ? undefined : marked;
}

/** A request that has left. */
export interface Unrecorded {
	readonly payload: unknown;
	readonly outgoing: Outgoing;
	/** Why bytes already sent may have changed. */
	readonly reasons: readonly string[];
	readonly warm: boolean;
	/** ms since the epoch. */
	readonly at: number;
	/** The entry behind which it was made. */
	readonly leaf: string | null;
}

export function recordRequest(live: LiveSession): void {
	const left = live.unrecorded;
	if (!left) return;
	live.unrecorded = undefined;
	const { outgoing, reasons, warm, at: now } = left;
	const request = asObject(left.payload) ?? {};
	const { cached, uncached } = outgoing.envelope.messages;
	const known = makeEnvelope({ systemParts: systemOf(request), tools: toolsOf(request), messages: cached });
	const envelope = withUncached(known, uncached);
	const segments = segmentsOf(envelope);
	const { model } = live.ctx;
	const id = `${left.leaf ?? "root"}.${now.toString(36)}`;
	const manifest = makeManifest({
		request: id,
		segments,
		last: live.sent?.segments ? { segments: live.sent.segments } : undefined,
		reasons,
		warm,
		mode: live.mode(),
		...(model ? { model: `${model.provider}/${model.id}` } : {}),
	});
	const spoken = segments.filter(({ items }) => items.length > 0);
	live.sent = { ...outgoing, envelope, segments, tokens: spoken.reduce((sum, { tokens }) => sum + tokens, 0) };
	live.engine.record([{ type: "Request", ...live.session, ts: now, entry: `request ${id}`, payload: manifest }]);
}

/** Anthropic's own field, or OpenAI's messages of that role. */
function systemOf(request: JsonObject): SystemPart[] {
	const own = request["system"];
	const texts =
		own === undefined
			? asList(request["messages"])
					.map((message) => asObject(message) ?? {})
					.filter(({ role }) => role === "system" || role === "developer")
					.map(({ content }) => textOf(content))
			: typeof own === "string"
				? [own]
				: asList(own).map((block) => textOf([block]));
	return texts.map((text, at) => ({ name: at === 0 ? "prompt" : `prompt ${at + 1}`, text }));
}

function toolsOf(request: JsonObject): ToolDefinition[] {
	const tools = asList(request["tools"]).map((tool) => {
		const fields = asObject(tool) ?? {};
		const own = asObject(fields["function"]) ?? fields;
		const parameters = own["input_schema"] ?? own["parameters"] ?? {};
		return { name: asName(own["name"]) ?? "", description: asText(own["description"]) ?? "", parameters };
	});
	// A provider's own tools may come without a name of ours.
	return tools.filter(({ name }, at) => tools.findIndex((tool) => tool.name === name) === at);
}

function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	return asList(content)
		.map((block) => asText(asObject(block)?.["text"]) ?? "")
		.join("");
}
