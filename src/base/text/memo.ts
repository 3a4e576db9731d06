/**
 * Memoizes a pure function of a text: callers ask about the same few texts again and again, often several times in a
 * row. All callers share the results, so they must not change them.
 */
export function memoize<Answer>(most: number, make: (text: string) => Answer): (text: string) => Answer {
	const answers = new Map<string, Answer>();
	return (text) => {
		const known = answers.get(text);
		if (known !== undefined) return known;
		const answer = make(text);
		if (answers.size >= most) answers.clear();
		answers.set(text, answer);
		return answer;
	};
}

/** Passes each text on once: a notice that repeats is noise. */
export function once(say: (text: string) => void): (text: string) => void {
	const said = new Set<string>();
	return (text) => {
		if (said.has(text)) return;
		said.add(text);
		say(text);
	};
}
