/** "Let's do 2", "C, please": the options of the agent that a reply names by their number or letter. Alone the words say nothing. */
import { cutAtSentence } from "../../base/text/cut.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import { isQuestion } from "./cues.ts";
import { optionsIn } from "./listed-options.ts";
import type { SessionThread } from "./thread.ts";

const MAX_REPLY_CHARS = 200;
const MAX_POINTS_CHARS = 900;
const MAX_OPTIONS = 4;
/** Requests back to the answer that gave the options. */
const OPTION_REACH = 3;
/** Where a number stands for a thing, and does not count some. */
const NUMBER =
	/(?:^|\n|[(+,&#。、，]\s*|(?<!\p{L})(?:do|did|take|use|pick|choose|approve|with|for|and|or|is|only|first|then|option|number|point|item|nr\.?|nimm|mach|und|für|punkt|usa|toma|opción|y) |(?:选项|方案|选|第|옵션|案))([1-9])(?=$|[\s.,;!?)+&、。，]|번|番|号|个|つ)(?!\s?(?:%|x\b|px\b|ms\b|s\b|minutes?|hours?|times|files?|lines?|days?|weeks?|more|of\b))/giu;
const LETTER =
	/(?:(?<!\p{L})(?:option|opción|选项|方案|옵션|案) ?([a-h])|^(?:(?:no|or|yes|ok(?:ay)?|let's|i|do|go with|take|use|pick)[,.]? )*\(?([a-h])\)?(?: please)?$|(?:^|\s)\(?([B-H])\)?(?=[\s.,;!?]|$))/iu;
/** Words of the user that name options, and the request whose answer gave these. */
export interface NamedOptions {
	readonly options: readonly string[];
	/** Handle of the request. */
	readonly of: string;
}

/** The newest answers before the request that have what its words name. */
export function namedOptions(
	{ orders }: Pick<SessionThread, "orders">,
	handle: string,
	words: string,
): NamedOptions | undefined {
	const at = orders.findIndex((order) => order.handle === handle);
	const labels = at === -1 || words.length > MAX_REPLY_CHARS ? [] : labelsIn(words);
	if (labels.length === 0) return undefined;
	const lists = orders
		.slice(Math.max(0, at - OPTION_REACH), at)
		.toReversed()
		.map(({ handle: of, outcome }) => {
			const found = optionsIn(outcome?.text ?? "");
			return { of, options: labels.flatMap((label) => found.get(label) ?? []) };
		});
	// One list has all that are named together.
	const best =
		lists.find(({ options }) => options.length === labels.length) ?? lists.find(({ options }) => options.length > 0);
	return best && { ...best, options: best.options.slice(0, MAX_OPTIONS) };
}

const MAX_CHOICES = 9;
/** Words that open with a number answer the agent's point of this number. */
const POINT = /(?:^|\s)([1-9])[.)]\s+(.*?)(?=\s[1-9][.)]\s|$)/gs;
/** Options, and nothing but words that take them. */
const TAKES =
	/(?<!\p{L})(?:do|use|take|pick|choose|chose|approve|approved|go (?:with|for)|let'?s|lets|prefer|option|nimm|nehmen|mach|machen|lieber|usa|toma|elijo|prends|prenons)(?!\p{L})|选|選|用|案|で(?:お願い|いき|。?$)|옵션|으로|로 (?:해|가)/iu;
const FILLER =
	/(?:yes|yeah|yep|no|nope|ok|okay|and|or|then|first|only|please|both|ja|nein|und|oder|bitte|sí|por favor|はい|お願いします|好|네)(?!\p{L})|[\d\s.,;+&#()!:-]|(?<!\p{L})[a-h](?!\p{L})|[番号个번つ]/giu;

export interface Choice extends NamedOptions {
	/** The user's words, with the options in the agent's. */
	readonly text: string;
}

/** What the user's words choose of the options that the agent gave. Words that only ask about one choose nothing. */
export function choicesIn(thread: Pick<SessionThread, "orders">, handle: string, words: string): Choice[] {
	const points = pointsAnswered(thread, handle, words);
	if (points.length > 0) return points;
	const [opening = ""] = words.trim().split("\n");
	const named = namedOptions(thread, handle, words);
	if (named === undefined || /[?？]/.test(opening) || isQuestion(opening)) return [];
	if (!TAKES.test(opening) && opening.replaceAll(FILLER, "") !== "") return [];
	return [{ ...named, text: withOptions(opening, named.options) }];
}

/** `1. full 2. yes`, each with the point of the agent that it answers. */
function pointsAnswered({ orders }: Pick<SessionThread, "orders">, handle: string, words: string): Choice[] {
	const before = orders[orders.findIndex((order) => order.handle === handle) - 1];
	const said = before?.outcome?.text ?? "";
	if (!before || words.length > MAX_POINTS_CHARS || !/^1[.)]\s/.test(words.trim()) || !/[?？]/.test(said)) return [];
	const listed = optionsIn(said);
	const points = [...words.trim().matchAll(POINT)];
	if (points.length < 2 || !points.every(([, label = ""]) => listed.has(label))) return [];
	return points
		.filter(([, , answer = ""]) => !isQuestion(answer))
		.slice(0, MAX_CHOICES)
		.map(([point, label = ""]) => {
			const options = [listed.get(label) ?? ""];
			return { options, of: before.handle, text: withOptions(wordsInLine(point.trim()), options) };
		});
}

const OPTION_CHARS = 320;
const RESOLVED = /\(the agent's ".*"\)$/s;

/** `do 2 (the agent's "2: Keep the cache")`: what a number or a letter in the words stands for. */
export function withOptions(words: string, options: readonly string[]): string {
	const quoted = options.map((option) => `"${cutAtSentence(option, OPTION_CHARS)}"`).join(", ");
	return options.length === 0 ? words : `${words} (the agent's ${quoted})`;
}

/** The words name what they stand for themselves. */
export function isResolved(words: string): boolean {
	return RESOLVED.test(words);
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
