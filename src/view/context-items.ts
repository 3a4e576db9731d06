/** The items of a request, grouped by the reason that includes or excludes them. */

import { formatCount, plural } from "../base/text/bytes.ts";
import { textWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { ContextItem } from "../context/section/section.ts";
import type { TextStyle } from "./text-style.ts";

const NUMBER_COLUMNS = 8;
const HANDLE_COLUMNS = 14;

export function* renderItems(items: readonly ContextItem[], style: TextStyle): Generator<string> {
	for (const group of groupsOf(items)) {
		const [{ included, why }] = group;
		const tokens = group.reduce((sum, item) => sum + item.tokens, 0);
		const sum = group.length === 1 ? "" : `: ${group.length} items, ${plural(tokens, "token")}`;
		const heading = wrapWords(`${included ? "✓" : "–"} ${oneLine(why)}${sum}`, style.columns);
		yield* heading.map((line) => style.paint(included ? "bold" : "dim", line));
		for (const item of group) yield itemLine(item, style);
	}
}

function itemLine({ id, tokens, handle = "" }: ContextItem, style: TextStyle): string {
	const start = `${(tokens === 0 ? "" : formatCount(tokens)).padStart(NUMBER_COLUMNS)}  ${handle.padEnd(HANDLE_COLUMNS)}  `;
	// A name that repeats the handle adds nothing.
	const name = handle !== "" && id.endsWith(handle) ? "" : oneLine(id);
	return (start + keepEnd(name, style.columns === undefined ? undefined : style.columns - start.length)).trimEnd();
}

/** Keeps the end: it names the file of a path. */
function keepEnd(text: string, columns: number | undefined): string {
	if (columns === undefined || textWidth(text) <= columns) return text;
	let start = 1;
	while (textWidth(text.slice(start)) > columns - 1) start++;
	return `…${text.slice(start)}`;
}

/** Neighbours with the same reason. */
function groupsOf(items: readonly ContextItem[]): (readonly [ContextItem, ...ContextItem[]])[] {
	const groups: [ContextItem, ...ContextItem[]][] = [];
	for (const item of items) {
		const last = groups.at(-1);
		if (last && last[0].why === item.why && last[0].included === item.included) last.push(item);
		else groups.push([item]);
	}
	return groups;
}
