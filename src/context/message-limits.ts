/** A recorded message with its tool results limited as they would have been, had weft been there. */
import { asName, asObject } from "../base/json/read.ts";
import { formOf } from "../message/dialect/forms.ts";
import { withoutNotes } from "../message/note.ts";
import { cutMessage } from "../message/turns.ts";
import { type CallBlock, type Form, readWire, shownText } from "../message/view.ts";
import { toolClass } from "../state/session/tool-class.ts";
import { limitToolResult } from "../state/session/tool-result-limits.ts";
import type { EnvelopeMessage } from "./envelope/envelope.ts";
import type { PathMessage } from "./path.ts";

export function limitResults(
	message: PathMessage,
	form: Form,
	callOf: (callId: string) => CallBlock | undefined,
): PathMessage {
	if ((message.results ?? []).length === 0) return message;
	const wire = formOf(form).mapResults(message.sent, (text, callId) => {
		const call = callOf(callId);
		const own = withoutNotes(text);
		const entered = call && limitToolResult(own, describeCall(call, form));
		return entered ? entered.text + text.slice(own.length) : text;
	});
	if (wire === message.sent) return message;
	const sent = Object.freeze(wire) as EnvelopeMessage;
	const view = readWire(sent, form);
	return { ...message, tokens: cutMessage(view).tokens, sent, text: shownText(view) };
}

function describeCall({ tool, input }: CallBlock, form: Form) {
	const command = asName(asObject(input)?.["command"]);
	return { class: toolClass(tool), command, isDecorated: form === "anthropic" };
}
