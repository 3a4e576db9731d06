/**
 * What each action relies on, as far as it stood in a message before it on its path. A text that was found once stands
 * for good, and one that was not is looked for only in what came since: long sessions are searched once, not per call.
 */
import type { PathMessage } from "../context/path.ts";
import { GramFilter } from "./gram-filter.ts";
import { type Recording, rawPath } from "./recording.ts";
import { type Demand, demandOf } from "./support.ts";

export function demandsOf({ calls, reader }: Recording): Demand[] {
	const filter = new GramFilter();
	const added = new Set<number>();
	/** True, or how many messages were searched in vain. */
	let known = new Map<string, number | true>();
	let last: readonly PathMessage[] = [];
	return calls.map((call) => {
		const { messages } = rawPath(reader, call);
		// What was added on another branch stays in the filter: it only says no where no branch has it.
		for (let at = messages.length - 1; at >= 0 && !added.has(messages[at]!.seq); at--) {
			added.add(messages[at]!.seq);
			filter.add(messages[at]!.text);
		}
		if (messages[last.length - 1]?.seq !== last.at(-1)?.seq) known = new Map();
		last = messages;
		const stood = (text: string): boolean => {
			if (!filter.mayHold(text)) return false;
			const before = known.get(text) ?? 0;
			if (before === true) return true;
			let at = messages.length - 1;
			// What an action relies on stood there lately, as a rule.
			while (at >= before && !messages[at]!.text.includes(text)) at--;
			known.set(text, at >= before ? true : messages.length);
			return at >= before;
		};
		const { edits, paths, terms } = demandOf(call.answer);
		return { edits: edits.filter(stood), paths: paths.filter(stood), terms: terms.filter(stood) };
	});
}
