/**
 * Paragraphs that were said in earlier sessions of the project. The log's index chooses a pool, and recall ranks it like
 * everything else. Tool results are left out: they show an old state of the disk.
 */
import { handleOf } from "../../../log/handle.ts";
import type { Log } from "../../../log/log.ts";
import type { SessionName } from "../memory-file.ts";
import { stripRecalled } from "../recall-tags.ts";
import type { RecallItem } from "./item.ts";
import { isOrdinary } from "./stop-words.ts";
import { termsOf } from "./terms.ts";

const POOL = 30;
const MIN_CHARS = 40;
const MAX_CHARS = 900;
const MAX_PARAGRAPHS = 12;
const ROLES: Readonly<Record<string, string>> = { user: "the user said", assistant: "the agent said" };

export function pastMessages(log: Log, text: string, session: SessionName | undefined): readonly RecallItem[] {
	const words = termsOf(text).filter((word) => !isOrdinary(word));
	if (words.length === 0) return [];
	const documents = ["user", "assistant"].flatMap((role) => log.search.findAny({ words, limit: POOL, role }));
	const seen = new Set<number>();
	return documents.flatMap(({ seq, role, session: of, text: said, ts }) => {
		const heading = ROLES[role];
		if (heading === undefined || isOwn(of, session) || seen.has(seq)) return [];
		seen.add(seq);
		const record = log.get(seq);
		if (!record) return [];
		const handle = handleOf(record);
		return paragraphs(stripRecalled(said)).map(
			(paragraph, n): RecallItem => ({
				id: n === 0 ? handle : `${handle} (part ${n + 1})`,
				text: paragraph,
				heading,
				source: "history",
				kind: "message",
				date: ts,
				stretch: `${of} ${seq}`,
			}),
		);
	});
}

/** True for the session itself and its sub-agents, whose answers it has seen. */
function isOwn(of: string, session: SessionName | undefined): boolean {
	return session !== undefined && (of === session.session || of.startsWith(`${session.session}--`));
}

/** Tool calls come last, and their input may have many lines. */
const CALLS = /^\[tool: [\w.:-]+\([\s\S]*$/m;

/** Paragraphs that are worth showing whole. */
function paragraphs(text: string): readonly string[] {
	return text
		.replace(CALLS, "")
		.split(/\n{2,}/)
		.map((each) => each.trim())
		.filter(({ length }) => length >= MIN_CHARS && length <= MAX_CHARS)
		.slice(0, MAX_PARAGRAPHS);
}
