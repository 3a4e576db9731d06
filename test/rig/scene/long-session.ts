/** A long session from the words of a scene: planted sentences in every place where a user may type, with work and pastes between. */
import { assistant, call, ran, read, type SessionWord, user } from "../events.ts";
import type { Planted, SceneWords, SpokenLine } from "./scene-words.ts";

export interface SceneRound {
	readonly words: readonly SessionWord[];
	/** What the user typed last. */
	readonly newest: string;
	/** Words that hold from this round on, and words that no longer do. */
	readonly holds: readonly PlantedWords[];
	readonly ends: readonly PlantedWords[];
}

export interface PlantedWords {
	readonly kind: Planted["kind"];
	readonly key: string;
	/** The words that replaced it. */
	readonly by?: string | undefined;
}

/** Sentences of a skill, which no user typed. */
export const SKILL_TEXT = "Always begin with the outline. Never skip the second reading.";

const REFUSED =
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

export function longSession(scene: SceneWords): SceneRound[] {
	const said = spread(scene.planted);
	const rounds: SceneRound[] = [];
	for (let at = 0; at < said.length; ) {
		const index = rounds.length;
		const count = [1, 2, 3, 1, 2][index % 5]!;
		const own = said.slice(at, at + count);
		at += count;
		const { words, newest } = roundOf(
			scene,
			own.map(({ line }) => line),
			index,
		);
		const keyed = ({ of, line }: (typeof own)[number]) => ({ kind: of.kind, key: line.key });
		rounds.push({
			words: [...words, ...workOf(scene, own[0]!.line, index)],
			newest,
			holds: own.filter(({ of, line }) => of.later !== line || of.kind !== "taken back").map(keyed),
			ends: own
				.filter(({ of, line }) => of.later === line)
				.map(({ of }) => ({ kind: of.kind, key: of.first.key, by: of.later?.key })),
		});
	}
	return rounds;
}

function roundOf(scene: SceneWords, lines: readonly SpokenLine[], index: number): Pick<SceneRound, "words" | "newest"> {
	const texts = lines.map(({ text }) => text);
	const request = scene.requests[index % scene.requests.length]!;
	const question = scene.questions[index % scene.questions.length]!;
	const [first = "", ...rest] = texts;
	const asMessage = (text: string) => ({ words: [user(text)], newest: text });
	switch (index % 9) {
		case 0:
			return asMessage([request, ...texts].join("\n"));
		case 1:
			return asMessage(`${texts.join("\n")}\n\n${pasted(index)}`);
		case 2:
			return asMessage(`${pasted(index)}\n\n${texts.join("\n")}`);
		case 3:
			return {
				words: [call("bash", { command: "make deploy" }, { text: REFUSED + texts.join("\n"), isError: true })],
				newest: texts.join("\n"),
			};
		case 4:
			return asMessage(`${[first, ...rest].join("\n")}\n\n${request}`);
		case 5: {
			const answers = texts.map((text, at) => `"Question ${index}.${at}"="${text}"`).join(", ");
			const text = `User has answered your questions: ${answers}. You can now continue with the user's answers in mind.`;
			return { words: [call("AskUserQuestion", { questions: [] }, text)], newest: answers };
		}
		case 6: {
			const args = texts.join("\n");
			return { words: [user(`/review ${args}`)], newest: args };
		}
		case 7: {
			const text = `<skill name="essay" location="/skills/essay/SKILL.md">\n${SKILL_TEXT}\n</skill>\n\n${texts.join("\n")}`;
			return { words: [user(text)], newest: texts.join("\n") };
		}
		default:
			return {
				words: [user(texts.join("\n")), assistant("Noted."), user(question), assistant(`Short answer ${index}.`)],
				newest: question,
			};
	}
}

/** The agent repeats the user's words, reads and runs something. */
function workOf({ agreed }: SceneWords, { key }: SpokenLine, index: number): SessionWord[] {
	return [
		assistant(`${agreed} ${key}. I look at part ${index} now.`),
		read(`src/part-${index % 7}.ts`, { shown: sourceOf(index) }),
		ran(`node check.js ${index}`, `checked part ${index}\n${pasted(index + 1_000).slice(0, 4_000)}`),
		assistant(`Part ${index} is looked at; ${agreed.toLowerCase()} ${key}.`),
	];
}

function sourceOf(index: number): string {
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
