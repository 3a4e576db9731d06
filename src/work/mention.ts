/** Does a text name a file? A path or a file's name counts whole, its name without the extension half. */
import { baseName } from "./project-path.ts";

const MOST_WORDS = 400;
const SHORTEST_STEM = 4;

export type Mentions = ReadonlySet<string>;

/** The words of a text that may name files. */
export function mentionsIn(text: string): Mentions {
	const words = new Set<string>();
	for (const word of text.split(/[^\p{L}\p{N}_./@+~-]+/u)) {
		const name = word.replace(/^\.\//, "").replace(/[.:-]+$/, "");
		if (name.length >= 2 && words.size < MOST_WORDS) words.add(name);
	}
	return words;
}

/** 1, 0.5 or 0. */
export function mentionOf(path: string, words: Mentions): number {
	if (words.size === 0) return 0;
	const name = baseName(path);
	if (words.has(path) || words.has(name)) return 1;
	for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
		if (words.has(path.slice(at + 1))) return 1;
	for (const word of words) if (word.includes("/") && word.endsWith(`/${path}`)) return 1;
	const stem = name.replace(/(?<=.)\.[^.]+$/, "");
	return stem.length >= SHORTEST_STEM && words.has(stem) ? 0.5 : 0;
}
