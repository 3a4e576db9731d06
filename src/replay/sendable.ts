/**
 * What stands between two calls, as it can be sent: each result right behind its call, whatever the host wrote between
 * them; a stand-in where the recording lost one; no result without its call. The same bytes for every mode.
 */
import type { FormatName } from "../envelope/wire/format.ts";
import { formatOf } from "../envelope/wire/formats.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import type { JsonObject } from "../transcript/json.ts";
import { wireText } from "../transcript/wire.ts";
import { keyOf, type RecordedMessage } from "./recorded-message.ts";
import type { PathStep } from "./recording.ts";

export function sendable(steps: readonly PathStep[], format: FormatName): PathStep[] {
	const { read, results } = formatOf(format);
	const views = steps.map((step) =>
		step.kind === "message" && step.message.wire ? read(step.message.wire) : undefined,
	);
	const placed = new Set<number>();
	const sent: PathStep[] = [];
	for (const [at, step] of steps.entries()) {
		const view = views[at];
		if (placed.has(at) || (step.kind === "message" && !view)) continue;
		// Of a call that is not here, or that has its result: an aborted turn's, or a second one.
		if (view && view.results.length > 0) continue;
		sent.push(step);
		for (const { id, tool } of view?.calls ?? []) {
			const result = views.findIndex((each, n) => n > at && each?.results.some(({ callId }) => callId === id));
			if (result < 0) {
				const stand = results([{ callId: id, tool, message: view!.raw }]);
				for (const wire of stand) sent.push({ kind: "message", message: standIn(wire, id, step) });
			} else if (!placed.has(result)) {
				placed.add(result);
				sent.push(steps[result]!);
			}
		}
	}
	return sent;
}

function standIn(wire: JsonObject, callId: string, answer: PathStep): RecordedMessage {
	const text = wireText({ role: "user", content: wire["content"] });
	const { seq, ts } = answer.kind === "message" ? answer.message : { seq: 0, ts: 0 };
	return {
		id: `no result of ${callId}`,
		seq,
		ts,
		role: "toolResult",
		asks: false,
		wire,
		key: keyOf(wire),
		text,
		tokens: estimateTokens(text),
	};
}
