/** Recognises an answer when the agent sends it back, in any form. */
import { sha256 } from "../../base/hash/sha256.ts";
import { writeJson } from "../../base/json/write.ts";
import type { Block } from "../../message/view.ts";

export interface AnswerKeys {
	/** Hash of its text and of its calls. */
	readonly said: string;
	/** Ids of its calls. */
	readonly calls: readonly string[];
	/** False: the answer is so short that other conversations have the same. */
	readonly isTelling: boolean;
}

const MIN_TELLING_CHARS = 40;
/** Shorter ids of calls are numbers, which every conversation has. */
const MIN_TELLING_ID_CHARS = 9;

/** Agents leave out thoughts, so they do not count. */
export function keysOf(blocks: readonly Block[]): AnswerKeys {
	const text = blocks
		.map((block) => (block.kind === "text" ? block.text : ""))
		.join(" ")
		.replace(/<think>.*?<\/think>/gs, "")
		.replace(/\s+/g, " ")
		.trim();
	const calls = blocks.filter((block) => block.kind === "call");
	const said = writeJson([text, calls.map(({ tool, input }) => [tool, input])]);
	const ids = calls.map(({ id }) => id).filter((id) => id !== "");
	return { said: sha256(said), calls: ids, isTelling: said.length >= MIN_TELLING_CHARS };
}

export function isSame(one: AnswerKeys, other: AnswerKeys): boolean {
	return one.said === other.said || one.calls.some((id) => other.calls.includes(id));
}

/** Where both have ids of calls, those decide: the same words with other calls are another answer. */
export function isSameByCalls(one: AnswerKeys, other: AnswerKeys): boolean {
	const haveIds = [one, other].every(({ calls }) => calls.some(isTellingId));
	return haveIds ? sharesCall(one, other) : isSame(one, other);
}

/** They are the same, and no other conversation has the answer by chance. */
export function isTellingSame(one: AnswerKeys, other: AnswerKeys): boolean {
	const keys = new Set(tellingKeys(one));
	return tellingKeys(other).some((key) => keys.has(key));
}

export function tellingKeys({ said, calls, isTelling }: AnswerKeys): string[] {
	return [...(isTelling ? [said] : []), ...calls.filter(isTellingId)];
}

export function sharesCall(one: AnswerKeys, other: AnswerKeys): boolean {
	return one.calls.some((id) => isTellingId(id) && other.calls.includes(id));
}

function isTellingId(id: string): boolean {
	return id.length >= MIN_TELLING_ID_CHARS;
}
