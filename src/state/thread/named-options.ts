/** "Let's do 2", "C, please": the options of the agent that a reply names by their number or letter. Alone the words say nothing. */
import { wordsInLine } from "../../message/enclosure.ts";
import type { SessionThread } from "./thread.ts";

const MAX_REPLY_CHARS = 200;
const MAX_OPTIONS = 4;
/** Requests back to the answer that gave the options. */
const OPTION_REACH = 3;
/** Where a number stands for a thing, and does not count some. */
const NUMBER =
	/(?:^|\n|[(+,&#。、，]\s*|(?<!\p{L})(?:do|did|take|use|pick|choose|approve|with|for|and|or|is|only|first|then|option|number|point|item|nr\.?|nimm|mach|und|für|punkt|usa|toma|opción|y) |(?:选项|方案|选|第|옵션|案))([1-9])(?=$|[\s.,;!?)+&、。，]|번|番|号|个|つ)(?!\s?(?:%|x\b|px\b|ms\b|s\b|minutes?|hours?|times|files?|lines?|days?|weeks?|more|of\b))/giu;
const LETTER =
	/(?:(?<!\p{L})(?:option|opción|选项|方案|옵션|案) ?([a-h])|^(?:(?:no|or|yes|ok(?:ay)?|let's|i|do|go with|take|use|pick)[,.]? )*\(?([a-h])\)?(?: please)?$|(?:^|\s)\(?([B-H])\)?(?=[\s.,;!?]|$))/iu;
/** `2. Cache it`, `- **(c) Removal**: …`, `### Option B: …` */
const OPTION =
	/^\s*(?:[-*+•] )?(?:#{1,6} )?(?:\*\*|__)?\(?(?:option |#|opción |选项|方案|옵션|案)?([1-9]|[a-h])(?:\*\*)?(?:[).:]|\s?[—–-]\s)(?:\*\*)?\s*(\S.*)$/iu;

/** Lines of the agent's answers before the request that its words name. */
export function optionsNamed({ orders }: Pick<SessionThread, "orders">, handle: string, words: string): string[] {
	const at = orders.findIndex((order) => order.handle === handle);
	const labels = at === -1 || words.length > MAX_REPLY_CHARS ? [] : labelsIn(words);
	if (labels.length === 0) return [];
	for (let before = at - 1; before >= Math.max(0, at - OPTION_REACH); before--) {
		const found = optionsIn(orders[before]?.outcome?.text ?? "");
		const named = labels.flatMap((label) => found.get(label) ?? []);
		if (named.length > 0) return named.slice(0, MAX_OPTIONS);
	}
	return [];
}

function labelsIn(words: string): string[] {
	const [opening = ""] = words.trim().split("\n");
	// A list of the user's own has numbers too, unless it answers point by point.
	const reply = /^1[.)].*(?:^|\s)2[.)]/su.test(words.trim()) ? words.trim() : opening.replace(/^\d[.)] /, "");
	const numbers = [...reply.matchAll(NUMBER)].map(([, number = ""]) => number);
	const [, named, alone, large] = LETTER.exec(reply) ?? [];
	// A small letter within a sentence is a word.
	const letter = named ?? alone ?? (large !== undefined && large === large.toUpperCase() ? large : undefined);
	return [...new Set([...numbers, ...(letter === undefined ? [] : [letter.toLowerCase()])])];
}

/** By label; of several lists the last one counts. */
function optionsIn(said: string): Map<string, string> {
	const options = new Map<string, string>();
	for (const line of said.split("\n")) {
		const [, label, words] = OPTION.exec(line) ?? [];
		if (label !== undefined && words !== undefined)
			options.set(label.toLowerCase(), wordsInLine(`${label}: ${words.replaceAll(/\*\*|__/g, "")}`));
	}
	return options;
}
