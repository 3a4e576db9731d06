/**
 * The words of a generated session: what a user plants in it, in one language. A line is one message's part; `«…»` marks the words
 * that must be found, or, before `||`, the words that are no longer true after it; `⏎` is a new line in it.
 */

interface SceneText {
	readonly language: string;
	readonly rules: string;
	readonly corrections: string;
	readonly decisions: string;
	readonly takenBack: string;
	/** Ordinary work, and questions beside it. */
	readonly requests: string;
	readonly questions: string;
	/** The beginning of the agent's answer, which repeats the user's words. */
	readonly agreed: string;
}

export interface SpokenLine {
	/** As the user types it. */
	readonly text: string;
	/** The words in it that count. */
	readonly key: string;
}

export interface Planted {
	readonly kind: "rule" | "correction" | "decision" | "taken back";
	readonly first: SpokenLine;
	/** Replaces the first words later. */
	readonly later?: SpokenLine | undefined;
}

export interface SceneWords {
	readonly language: string;
	readonly planted: readonly Planted[];
	readonly requests: readonly string[];
	readonly questions: readonly string[];
	readonly agreed: string;
}

export function sceneWords(text: SceneText): SceneWords {
	const { language, agreed } = text;
	return {
		language,
		agreed,
		planted: [
			...linesOf(text.rules).map(plantedAs("rule")),
			...linesOf(text.corrections).map(plantedAs("correction")),
			...linesOf(text.decisions).map(plantedAs("decision")),
			...linesOf(text.takenBack).map(plantedAs("taken back")),
		],
		requests: linesOf(text.requests),
		questions: linesOf(text.questions),
	};
}

function plantedAs(kind: Planted["kind"]): (line: string) => Planted {
	return (line) => {
		const [first = "", later] = line.split(" || ");
		return { kind, first: spoken(first), later: later === undefined ? undefined : spoken(later) };
	};
}

function spoken(line: string): SpokenLine {
	const key = /«(.+)»/.exec(line)?.[1];
	if (key === undefined) throw new TypeError(`a line of a scene has no «words»: ${line}`);
	return { text: line.replaceAll(/[«»]/g, "").replaceAll("⏎", "\n"), key };
}

function linesOf(text: string): string[] {
	return text
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "");
}
