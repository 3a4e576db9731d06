/**
 * A pure function of a text that keeps its newest answers: agents run the same few lines again and again, and one line is
 * asked about several times in a row. What it gives belongs to all who ask: nobody changes it.
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
