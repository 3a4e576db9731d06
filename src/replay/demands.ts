/**
 * What each action relies on, as far as it stood in a message before it on its path. A text that was found once stands
 * for good, and one that was not is looked for only in what came since: long sessions are searched once, not per call.
 */
import type { PathMessage } from "../context/path.ts";
import { GramFilter } from "./gram-filter.ts";
import { type Recording, rawPath } from "./recording.ts";
import { type Demand, demandOf, SearchableText } from "./support.ts";

export function demandsOf({ calls, reader }: Recording): Demand[] {
	const filter = new GramFilter();
	const texts = new Map<number, SearchableText>();
	let before = new EarlierMessages();
	let last: readonly PathMessage[] = [];
	return calls.map((call) => {
		const { messages } = rawPath(reader, call);
		if (messages[last.length - 1]?.seq !== last.at(-1)?.seq) before = new EarlierMessages();
		for (const { seq, text } of messages.slice(before.texts.length)) {
			const known = texts.get(seq);
			const made = known ?? new SearchableText(text);
			before.add(made);
			if (known) continue;
			texts.set(seq, made);
			// What was added on another branch stays in the filter: it only says no where no branch has it.
			filter.add(made.text);
			if (made.plain !== made.text) filter.add(made.plain);
		}
		last = messages;
		const { edits, paths, terms } = demandOf(call.answer);
		return {
			edits: edits.filter(({ text }) => filter.mayHold(text) && before.has(text, (each) => each.holdsEdit(text))),
			paths: paths.filter((path) => filter.mayHold(path) && before.has(path, ({ text }) => text.includes(path))),
			terms: terms.filter((term) => before.terms.has(term)),
		};
	});
}

/** The messages before a call. */
class EarlierMessages {
	readonly texts: SearchableText[] = [];
	readonly terms = new Set<string>();
	/** True, or how many messages were searched in vain. */
	readonly #known = new Map<string, number | true>();

	add(text: SearchableText): void {
		this.texts.push(text);
		for (const term of text.terms) this.terms.add(term);
	}

	has(wanted: string, isIn: (text: SearchableText) => boolean): boolean {
		const searched = this.#known.get(wanted) ?? 0;
		if (searched === true) return true;
		let at = this.texts.length - 1;
		// What an action relies on stood there lately, as a rule.
		while (at >= searched && !isIn(this.texts[at]!)) at--;
		this.#known.set(wanted, at >= searched ? true : this.texts.length);
		return at >= searched;
	}
}
