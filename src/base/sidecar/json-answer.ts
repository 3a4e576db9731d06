/** The JSON object in a model's answer: alone, in a fence, or with words around it. */
import { asObject, type JsonObject } from "../json/read.ts";
import type { AnswerReading, SideAnswer } from "./ask.ts";

export function readJsonAnswer(answer: SideAnswer): AnswerReading<JsonObject> {
	const text = answer.text.trim();
	const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1];
	const from = text.indexOf("{");
	const to = text.lastIndexOf("}");
	const around = from >= 0 && to > from ? text.slice(from, to + 1) : undefined;
	let wrong = "there is no JSON object in it";
	for (const candidate of [fenced, around]) {
		if (candidate === undefined) continue;
		try {
			const object = asObject(JSON.parse(candidate));
			if (object) return { ok: true, value: object };
		} catch (error) {
			wrong = `it is not JSON: ${(error as Error).message}`;
		}
	}
	return { ok: false, reason: wrong, isFault: true };
}
