/** Passes each text on once: a notice that repeats is noise. */
export function once(say: (text: string) => void): (text: string) => void {
	const said = new Set<string>();
	return (text) => {
		if (said.has(text)) return;
		said.add(text);
		say(text);
	};
}
