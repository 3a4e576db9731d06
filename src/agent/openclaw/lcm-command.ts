/** `/lcm` in a chat of OpenClaw: the whole history, for a person. The model has tools for the same. */

import { EngineError } from "../../base/error/engine-error.ts";
import { formatCount, plural } from "../../base/text/bytes.ts";
import { oneLine, printable } from "../../base/text/printable.ts";
import { formatMinute } from "../../base/text/time.ts";
import type { Engine } from "../../engine.ts";
import type { Hit } from "../../log/search/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { parseHandle } from "../../state/history/handle.ts";
import { isInScope } from "../../tool/scoped-content.ts";
import { renderHistoryStats, renderTree, viewTree } from "../../view/history.ts";
import { logBytes } from "../../view/live-status.ts";
import { viewPeek } from "../../view/peek.ts";
import { renderHits, speakerOf } from "../../view/search-hits.ts";
import { shortSession } from "../../view/short-session.ts";
import { PLAIN } from "../../view/text-style.ts";

const MAX_TREE_LINES = 100;
const MAX_HITS = 10;
const PAGE_CHARS = 3_000;
const CHAT = { ...PLAIN, columns: 80 };
const HELP = [
	"/lcm stats             how much there is",
	"/lcm tree              the summaries and what they cover",
	"/lcm search WORDS      finds words in this conversation",
	"/lcm all WORDS         the same in all your conversations with this agent, also",
	"                       those before a reset",
	"/lcm expand ID [FROM]  gives back what an id names, from that character on",
].join("\n");

export function lcmCommand(engine: Engine, session: SessionRef, args: string): string {
	const [, word = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(args) ?? [];
	switch (word) {
		case "stats":
			return [...renderHistoryStats(engine.history.stats(session), logBytes(engine.log))].join("\n");
		case "tree":
			return renderSummaryTree(engine, session);
		case "search":
		case "all":
			if (rest === "") return `Say what to search for: /lcm ${word} WORDS`;
			return search(engine, session, rest, { all: word === "all" });
		case "expand":
			if (rest === "") return "Say which: /lcm expand ID, with an id as a search shows it";
			return expand(engine, session, rest);
		case "":
		case "help":
			return HELP;
		default:
			return `Unknown command '/lcm ${printable(word).slice(0, 40)}'. Use:\n${HELP}`;
	}
}

function renderSummaryTree(engine: Engine, session: SessionRef): string {
	const view = viewTree(engine.history, session, { levels: Number.POSITIVE_INFINITY });
	const lines = [...renderTree(view).take(MAX_TREE_LINES + 1)];
	if (lines.length <= MAX_TREE_LINES) return lines.join("\n");
	return [...lines.slice(0, MAX_TREE_LINES), "… more: 'weft tree' prints them all"].join("\n");
}

function search(engine: Engine, of: SessionRef, text: string, { all }: { readonly all: boolean }): string {
	const { log } = engine;
	const session = all ? undefined : of.session;
	const within = engine.scope(of).searched;
	const { hits, next } = log.search.find({ text, session, within, order: "ranked", limit: MAX_HITS });
	const where = all ? "any of your conversations" : "this conversation";
	const elsewhere = session === undefined ? "" : " '/lcm all WORDS' looks in all of them.";
	if (hits.length === 0) return `Nothing found in ${where}.${elsewhere}`;
	const cells = (hit: Hit) => {
		const of = session === undefined ? oneLine(shortSession(hit.session)) : "";
		return [log.handleAt(hit.seq) ?? `#${hit.seq}`, formatMinute(hit.ts), of, speakerOf(hit)] as const;
	};
	const count = next === undefined ? `${formatCount(hits.length)} found` : `The ${formatCount(hits.length)} best`;
	return [
		`${count} in ${session === undefined ? "all conversations" : where}:`,
		...renderHits(hits, CHAT, cells),
		"'/lcm expand ID' shows one whole.",
	].join("\n");
}

function expand(engine: Engine, session: SessionRef, words: string): string {
	const [id = "", from = "0"] = words.split(/\s+/);
	const name = printable(id).slice(0, 80);
	const handle = parseHandle(id);
	if (handle === undefined) {
		return `'${name}' is not an id. A search shows ids: s- for a summary, m- for a message, b- for a stored output.`;
	}
	if (!/^\d{1,12}$/.test(from)) return `'${printable(from).slice(0, 40)}' is not a number: /lcm expand ID FROM`;
	if (!isInScope({ history: engine.history, scope: engine.scope(session) }, handle)) return unknownId(name);
	try {
		const { title, kind, role, ts, text } = viewPeek(engine, id, { offset: Number(from), limit: PAGE_CHARS });
		const who = kind === "message" ? (role ?? title) : title;
		const isWhole = text.offset === 0 && text.next === null;
		const part = isWhole
			? plural(text.total, "character")
			: `from ${formatCount(text.offset)} of ${plural(text.total, "character")}`;
		const head = [id, who, ...(ts === null ? [] : [formatMinute(ts)]), part].join(", ");
		const more = text.next === null ? [] : [`(continues: /lcm expand ${id} ${text.next})`];
		return [`${head}:`, printable(text.text), ...more].join("\n");
	} catch (error) {
		if (!(error instanceof EngineError)) throw error;
		return unknownId(name);
	}
}

function unknownId(name: string): string {
	return `Nothing has the id '${name}' here. '/lcm search WORDS' and '/lcm tree' show ids.`;
}
