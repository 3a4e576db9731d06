/** Shows what recall would add before a message; with --explain also every item that it considered, and why it stays out. */

import { cutToWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatDay } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { Considered, RecallResult } from "../state/memory/recall/recall.ts";
import type { TextStyle } from "./text-style.ts";

export interface RecallView {
	readonly question: string;
	/** The words of the question, the rarest first; 0: no item has it. */
	readonly words: readonly { readonly word: string; readonly items: number }[];
	readonly recalled: readonly RecallRow[];
	/** Considered and left out. */
	readonly others: readonly RecallRow[];
}

export interface RecallRow {
	readonly id: string;
	readonly source: string;
	readonly heading: string;
	readonly date?: string | undefined;
	readonly text: string;
	readonly score: number;
	readonly evidence: number;
	readonly matched: readonly string[];
	readonly verdict: string;
	readonly remark?: string | undefined;
}

export function viewRecall(question: string, { considered, terms }: RecallResult): RecallView {
	const rows = considered.map(rowOf);
	return {
		question,
		words: terms.map(({ word, count }) => ({ word, items: count })),
		recalled: rows.filter(({ verdict }) => verdict === "recalled"),
		others: rows.filter(({ verdict }) => verdict !== "recalled"),
	};
}

function rowOf({ item, score, evidence, matched, verdict, by, remark }: Considered): RecallRow {
	return {
		id: item.id,
		source: item.source,
		heading: item.heading,
		date: item.date === undefined ? undefined : formatDay(item.date),
		text: item.text,
		score: Math.round(score * 100) / 100,
		evidence: Math.round(evidence * 100) / 100,
		matched,
		verdict: by === undefined ? verdict : `${verdict} by ${by}`,
		remark,
	};
}

export function* renderRecall(
	view: RecallView,
	style: TextStyle,
	{ explain }: { readonly explain: boolean },
): Generator<string> {
	for (const { id, source, heading, date, text, remark } of view.recalled) {
		const about = [date, remark].filter((each) => each !== undefined).join(", ");
		yield oneLine(`${id}  ${source}/${heading}${about === "" ? "" : `  (${about})`}`);
		for (const line of text.split("\n")) yield* wrapWords(`  ${oneLine(line)}`, style.columns, "");
	}
	if (view.recalled.length === 0) yield "Nothing relevant.";
	if (!explain) return;
	yield "";
	const words = view.words.map(({ word, items }) => `${word} ${items}`).join(", ");
	yield words === "" ? "No word to look for." : `Words, and how many items hold each: ${words}`;
	yield "";
	for (const { id, score, evidence, verdict, matched, text } of [...view.recalled, ...view.others]) {
		const shares = matched.length === 0 ? "" : `, shares ${matched.join(" ")}`;
		yield* wrapWords(
			oneLine(`${verdict}: ${id} (score ${score.toFixed(2)}, evidence ${evidence.toFixed(2)}${shares})`),
			style.columns,
		);
		yield `  ${cutToWidth(oneLine(text), style.columns === undefined ? MAX_SHOWN : style.columns - 2)}`;
	}
}

const MAX_SHOWN = 200;
