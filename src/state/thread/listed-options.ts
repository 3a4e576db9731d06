/** The lists in an answer of the agent, whose items a reply may name by their number or letter. */
import { cutAtSentence } from "../../base/text/cut.ts";
import { wordsInLine } from "../../message/enclosure.ts";

/** `2. Cache it`, `- **(c) Removal**: …`, `### Option B: …` */
const ITEM =
	/^(\s*)((?:[-*+•] )?)(#{1,6} )?(?:\*\*|__)?\(?(?:option |#|opción |选项|方案|옵션|案)?([1-9]|[a-h])(?:\*\*)?(?:[).:]|\s?[—–-]\s)(?:\*\*)?\s*(\S.*)$/iu;
const HEADING = /^(#{1,6}) /;
const RULE = /^\s*(?:[-*_]\s?){3,}$/;
/** `add a script, or`: what leads to the next item. */
const CONJUNCTION = /[,;]?\s+(?:or|and|then|und|oder|y|o|ou|et)$/iu;
const MAX_ITEM_CHARS = 600;
/** A list is deeper than every heading. */
const LIST_DEPTH = 10;
/** Lines after a list at the end of an answer: it is what the answer leaves to choose, wherever it stands. */
const CLOSING_LINES = 3;

interface Item {
	readonly label: string;
	readonly depth: number;
	readonly isNested: boolean;
	/** Number of its line, and of its last one. */
	readonly from: number;
	readonly lines: string[];
}

/** By label, each item whole, with the items that it holds. Of several lists the last one counts that is not an item of another. */
export function optionsIn(said: string): ReadonlyMap<string, string> {
	const lines = said.trimEnd().split("\n");
	const items = itemsIn(lines);
	const closing = lines.length - CLOSING_LINES;
	const isOuter = ({ isNested, from, lines: own }: Item) => !isNested || from + own.length >= closing;
	const options = new Map<string, string>();
	for (const isWanted of [(item: Item) => !isOuter(item), isOuter]) {
		for (const item of items.filter(isWanted)) options.set(item.label, wordsOf(item));
	}
	return options;
}

function wordsOf({ label, lines }: Item): string {
	const words = wordsInLine(lines.map((line) => line.trim().replaceAll(/\*\*|__/g, "")).join(" "));
	return cutAtSentence(`${label}: ${words.replace(CONJUNCTION, "")}`, MAX_ITEM_CHARS);
}

function itemsIn(lines: readonly string[]): Item[] {
	const items: Item[] = [];
	/** The items that a line is in, the outermost first. */
	let open: Item[] = [];
	let isAfterBlank = false;
	for (const [from, line] of lines.entries()) {
		const [, space = "", , heading, label, words = ""] = ITEM.exec(line) ?? [];
		const indent = /^\s*/.exec(line)?.[0].length ?? 0;
		if (line.trim() === "") {
			isAfterBlank = true;
			continue;
		}
		if (label !== undefined) {
			const depth = heading === undefined ? LIST_DEPTH + space.length : heading.trim().length;
			open = open.filter((each) => each.depth < depth);
			for (const each of open) if (each.depth >= LIST_DEPTH) each.lines.push(line);
			const item = { label: label.toLowerCase(), depth, isNested: open.length > 0, from, lines: [words] };
			items.push(item);
			open.push(item);
		} else if (RULE.test(line)) open = [];
		else {
			const level = HEADING.exec(line)?.[1]?.length;
			// Text that is not indented ends a list; a heading what is below it.
			const least = level ?? (isAfterBlank ? LIST_DEPTH + indent : Number.POSITIVE_INFINITY);
			open = open.filter(({ depth }) => depth < least);
			for (const each of open) if (each.depth >= LIST_DEPTH) each.lines.push(line);
		}
		isAfterBlank = false;
	}
	return items;
}
