/**
 * What stands between two calls, as it can be sent: each result right behind its call, whatever the host wrote between
 * them; a stand-in where the recording lost one; no result without its call; no id twice. The same bytes for every mode.
 */

import type { JsonObject } from "../json/read.ts";
import { formOf } from "../message/form/forms.ts";
import { callsOf, type Form, type MessageView, readWire, resultsOf, shownText } from "../message/view.ts";
import { weighWire } from "../message/weigh.ts";
import type { CallNames } from "./call-names.ts";
import { keyOf, type RecordedMessage } from "./recorded-message.ts";
import type { PathStep } from "./recording.ts";

interface Placed {
	readonly step: PathStep;
	/** undefined: no message. */
	readonly view: MessageView | undefined;
}

export function sendable(steps: readonly PathStep[], format: Form, names: CallNames): PathStep[] {
	const placed: Placed[] = [];
	for (const step of steps) {
		if (step.kind === "compaction") placed.push({ step, view: undefined });
		else if (step.message.wire) placed.push({ step, view: readWire(step.message.wire, format) });
	}
	const sent: PathStep[] = [];
	for (const [at, { step, view }] of placed.entries()) {
		// Results follow their calls; those left over are of a call that is not here, or second ones.
		if (view && resultsOf(view).length > 0) continue;
		if (step.kind === "compaction" || !view || callsOf(view).length === 0) sent.push(step);
		else sent.push(...turnOf(step.message, view, placed.slice(at + 1), format, names));
	}
	return sent;
}

/** An answer with its calls, and their results. */
function turnOf(
	answer: RecordedMessage,
	view: MessageView,
	behind: readonly Placed[],
	format: Form,
	names: CallNames,
): PathStep[] {
	const { withCallIds, results } = formOf(format);
	const ids = callsOf(view).map(({ id }) => id);
	const own = names.of(answer.id, ids);
	const renamed = own.some((name, at) => name !== ids[at]);
	const turn = [message(renamed ? withWire(answer, withCallIds(view.raw, own)) : answer)];
	const taken = new Set<Placed>();
	for (const [nth, { id, tool }] of callsOf(view).entries()) {
		const holders = behind.filter(({ view: other }) => other && resultsOf(other).some(({ callId }) => callId === id));
		const twice = ids.indexOf(id) !== nth;
		const holder = holders.find((each) => !taken.has(each)) ?? (twice ? undefined : holders[0]);
		const callId = own[nth]!;
		if (holder && taken.has(holder)) continue;
		if (holder) taken.add(holder);
		const recorded = holder?.step.kind === "message" ? holder.step.message : undefined;
		if (recorded && !renamed) turn.push(message(recorded));
		else {
			const result = holder?.view && resultsOf(holder.view).find((each) => each.callId === id);
			const made = results([{ callId, tool, message: view.raw, ...(result ? { result } : {}) }]);
			for (const wire of made)
				turn.push(message(recorded ? withWire(recorded, wire) : standIn(wire, callId, answer, format)));
		}
	}
	return turn;
}

function message(of: RecordedMessage): PathStep {
	return { kind: "message", message: of };
}

function withWire(of: RecordedMessage, wire: JsonObject): RecordedMessage {
	return { ...of, wire, key: keyOf(wire) };
}

function standIn(wire: JsonObject, callId: string, { seq, ts }: RecordedMessage, format: Form): RecordedMessage {
	const text = shownText(readWire(wire, format));
	const id = `no result of ${callId}`;
	return {
		id,
		seq,
		ts,
		role: "toolResult",
		asks: false,
		wire,
		key: keyOf(wire),
		text,
		tokens: weighWire(wire, format),
	};
}
