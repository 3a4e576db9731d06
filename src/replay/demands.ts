/**
 * What each action relies on, as far as it stood in a message before it on its path. A text that was found once stands
 * for good, and one that was not is looked for only in what came since: long sessions are searched once, not per call.
 */
import { Walk } from "./path.ts";
import type { RecordedCall } from "./recording.ts";
import { type Demand, demandOf } from "./support.ts";

export function demandsOf(calls: readonly RecordedCall[]): Demand[] {
	const walk = new Walk();
	let known = new Map<string, number | true>();
	return calls.map((call) => {
		const { messages, jumped } = walk.moveTo(call);
		if (jumped) known = new Map();
		const stood = (text: string): boolean => {
			const before = known.get(text) ?? 0;
			if (before === true) return true;
			let at = before;
			while (at < messages.length && !messages[at]!.text.includes(text)) at++;
			known.set(text, at < messages.length ? true : at);
			return at < messages.length;
		};
		const { edits, paths, terms } = demandOf(call.answer);
		return { edits: edits.filter(stood), paths: paths.filter(stood), terms: terms.filter(stood) };
	});
}
