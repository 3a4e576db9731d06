/** A few words to remember in several languages, for scenes in real agents, and a model that would bring a corrected value back. */
import type { ModelAnswer, ModelRequest } from "../answer.ts";

export interface MemoryTurn {
	readonly said: string;
	/** Later words that change it. */
	readonly corrected?: string | undefined;
	/** Questions and orders that need it, in a later session. */
	readonly asked: readonly string[];
	readonly needs: string;
	/** Only the replaced words have it. */
	readonly stale?: string | undefined;
}

export const MEMORY_TURNS: readonly MemoryTurn[] = [
	{
		said: "The relay listens on 7443.",
		corrected: "The relay listens on 8443 now, not 7443.",
		asked: ["Which port does the relay listen on?"],
		needs: "listens on 8443",
		stale: "listens on 7443",
	},
	{
		said: "From now on every commit message starts with the ticket number.",
		asked: ["Commit the changes please."],
		needs: "ticket number",
	},
	{ said: "Use bun, not npm.", asked: ["Install left-pad."], needs: "Use bun, not npm" },
	{
		said: "Bitte merke dir, dass Herr Quast die Rechnungen prüft.",
		corrected: "Ab heute prüft Frau Ebbe die Rechnungen, nicht mehr Herr Quast.",
		asked: ["Wer prüft die Rechnungen?"],
		needs: "Frau Ebbe",
		stale: "dass Herr Quast",
	},
	{ said: "请记住:不要修改 legacy 目录。", asked: ["清理 legacy 目录。"], needs: "不要修改 legacy" },
];

export const UNRELATED_TURNS = ["Thanks!", "Continue.", "What is the capital of Peru?"];

/** Answers a job of weft's with the value that was corrected, among others. Undefined: the words are no such job. */
export function jobAnswer(words: string): string | undefined {
	const certain = { op: "add", section: "Facts", confidence: 1, necessity: "high" };
	const memory = ["The relay listens on 7443.", "The harbour has twelve berths."].map((text) => ({ ...certain, text }));
	if (words.includes("working notes of a coding session"))
		return JSON.stringify({ currentState: ["The relay listens on 7443."] });
	if (words.includes("long memory of a software project"))
		return JSON.stringify({ memory, history: ["The relay was set up."] });
	return undefined;
}

/** The same for Anthropic's protocol: weft asks for an answer in one piece. */
export function modelAnswer({ body }: Pick<ModelRequest, "body">): ModelAnswer {
	const text = jobAnswer(body);
	if (text === undefined) return { text: "ok" };
	const content = [{ type: "text", text }];
	return { error: { status: 200, body: { content, usage: { input_tokens: 900, output_tokens: 90 } } } };
}

/** What is wrong with a request that the question made the agent send; undefined: it has the right words, and no old ones. */
export function judgeRequest({ needs, stale }: MemoryTurn, question: string, sent: string): string | undefined {
	if (!sent.includes(needs)) return `${question}: ${needs} is missing`;
	return stale !== undefined && sent.includes(stale) ? `${question}: ${stale} is stale` : undefined;
}
