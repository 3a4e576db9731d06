/** A long session from the words of a scene: planted sentences in every place where a user may type, with work and pastes between. */
import { assistant, call, ran, read, type SessionWord, user } from "../events.ts";
import type { Planted, SceneWords, SpokenLine } from "./scene-words.ts";

export interface SceneRound {
	readonly turn: SceneTurn;
	/** The agent's answer, before and after its work. */
	readonly answers: readonly [string, string];
	readonly index: number;
	/** Words that hold from this round on, and words that no longer do. */
	readonly holds: readonly PlantedWords[];
	readonly ends: readonly PlantedWords[];
}

/** How the user says it. */
export type SceneTurn =
	| { readonly how: "message" | "refusal" | "command" | "skill"; readonly text: string }
	/** Answers to questions of the agent. */
	| { readonly how: "answers"; readonly texts: readonly string[] }
	/** With a question beside the work after it. */
	| { readonly how: "aside"; readonly text: string; readonly question: string };

export interface PlantedWords {
	readonly kind: Planted["kind"];
	readonly key: string;
	/** The words that replaced it. */
	readonly by?: string | undefined;
}

/** Sentences of a skill, which no user typed. */
export const SKILL_TEXT = "Always begin with the outline. Never skip the second reading.";

export const REFUSED =
	"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n";
/** A later word comes at least so many planted words after the first. */
const LATER_BY = 37;
const STRIDE = 29;

/** The order in which the user says things: spread over the session, what replaces after what it replaces. */
function spread(planted: readonly Planted[]): { readonly line: SpokenLine; readonly of: Planted }[] {
	const mixed = planted.map((_, at) => planted[(at * STRIDE) % planted.length]!);
	if (new Set(mixed).size !== planted.length)
		throw new RangeError("STRIDE and the number of planted words share a factor");
	return mixed
		.flatMap((of, at) => [
			{ line: of.first, of, at },
			...(of.later ? [{ line: of.later, of, at: at + LATER_BY + 0.5 }] : []),
		])
		.toSorted((one, other) => one.at - other.at);
}

/** `linesPerTurn`: times as many planted lines in one turn, so that there are fewer of them. */
export function longSession(scene: SceneWords, { linesPerTurn = 1 } = {}): SceneRound[] {
	const said = spread(scene.planted);
	const rounds: SceneRound[] = [];
	for (let at = 0; at < said.length; ) {
		const index = rounds.length;
		const count = [1, 2, 3, 1, 2][index % 5]! * linesPerTurn;
		const own = said.slice(at, at + count);
		at += count;
		const keyed = ({ of, line }: (typeof own)[number]) => ({ kind: of.kind, key: line.key });
		const { agreed } = scene;
		const { key } = own[0]!.line;
		rounds.push({
			turn: turnOf(
				scene,
				own.map(({ line }) => line.text),
				index,
			),
			answers: [
				`${agreed} ${key}. I look at part ${index} now.`,
				`Part ${index} is looked at; ${agreed.toLowerCase()} ${key}.`,
			],
			index,
			holds: own.filter(({ of, line }) => of.later !== line || of.kind !== "taken back").map(keyed),
			ends: own
				.filter(({ of, line }) => of.later === line)
				.map(({ of }) => ({ kind: of.kind, key: of.first.key, by: of.later?.key })),
		});
	}
	return rounds;
}

function turnOf(scene: SceneWords, texts: readonly string[], index: number): SceneTurn {
	const request = scene.requests[index % scene.requests.length]!;
	const question = scene.questions[index % scene.questions.length]!;
	const text = texts.join("\n");
	switch (index % 9) {
		case 0:
			return { how: "message", text: `${request}\n${text}` };
		case 1:
			return { how: "message", text: `${text}\n\n${pasted(index)}` };
		case 2:
			return { how: "message", text: `${pasted(index)}\n\n${text}` };
		case 3:
			return { how: "refusal", text };
		case 4:
			return { how: "message", text: `${text}\n\n${request}` };
		case 5:
			return { how: "answers", texts };
		case 6:
			return { how: "command", text };
		case 7:
			return { how: "skill", text };
		default:
			return { how: "aside", text, question };
	}
}

/** What the user typed last in a round. */
export function newestIn({ turn, index }: Pick<SceneRound, "turn" | "index">): string {
	if (turn.how === "answers") return turn.texts.map((text, at) => `"${questionOf(index, at)}"="${text}"`).join(", ");
	return turn.how === "aside" ? turn.question : turn.text;
}

export function questionOf(index: number, at: number): string {
	return `Question ${index}.${at}`;
}

/** A round as events of Pi's form, in the words that Claude Code puts around a refusal and an answer. */
export function wordsOf({ turn, index, answers: [first, last] }: SceneRound): SessionWord[] {
	return [
		...turnWords(turn, index),
		assistant(first),
		read(`src/part-${index % 7}.ts`, { shown: sourceOf(index) }),
		ran(`node check.js ${index}`, checked(index)),
		assistant(last),
	];
}

function turnWords(turn: SceneTurn, index: number): SessionWord[] {
	switch (turn.how) {
		case "message":
			return [user(turn.text)];
		case "refusal":
			return [call("bash", { command: "make deploy" }, { text: REFUSED + turn.text, isError: true })];
		case "answers": {
			const text = `User has answered your questions: ${newestIn({ turn, index })}. You can now continue with the user's answers in mind.`;
			return [call("AskUserQuestion", { questions: [] }, text)];
		}
		case "command":
			return [user(`/review ${turn.text}`)];
		case "skill":
			return [user(`<skill name="essay" location="/skills/essay/SKILL.md">\n${SKILL_TEXT}\n</skill>\n\n${turn.text}`)];
		case "aside":
			return [user(turn.text), assistant("Noted."), user(turn.question), assistant(`Short answer ${index}.`)];
	}
}

/** The output of the command that the agent runs in a round. */
export function checked(index: number): string {
	return `checked part ${index}\n${pasted(index + 1_000).slice(0, 4_000)}`;
}

export function sourceOf(index: number): string {
	return Array.from(
		{ length: 110 },
		(_, line) => `export const value${index}x${line} = compute(${line}, "${line * 7}");`,
	).join("\n");
}

/** Lines of a log with values that look like the user's. */
export function pasted(index: number): string {
	const lines = 220 + (index % 5) * 60;
	return Array.from({ length: lines }, (_, line) => {
		const time = `2026-03-${String((index % 27) + 1).padStart(2, "0")}T10:${String(line % 60).padStart(2, "0")}:00Z`;
		return line % 11 === 0
			? `${time} WARN  must always retry, never drop request ${index}-${line}`
			: `${time} INFO  handled request ${index}-${line} in ${(line * 7) % 90} ms`;
	}).join("\n");
}
