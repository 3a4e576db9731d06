/** Where a bullet of the memory files comes from, and the history of all writes. */

import { EngineError } from "../base/error/engine-error.ts";
import { asList, asObject, asText } from "../base/json/read.ts";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatMinute, formatTime } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { readTransform } from "../context/patch/transform.ts";
import { isRecall, recalledAfter, recalledInto } from "../context/session-patches.ts";
import type { Engine } from "../engine.ts";
import type { EventRecord } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import { stripRecalled } from "../message/recall-tags.ts";
import { userWords } from "../message/user-words.ts";
import { messageText, viewMessage } from "../message/view.ts";
import { MemoryFiles } from "../state/memory/memory-files.ts";
import { TEXT_ID } from "../state/memory/memory-items.ts";
import type { KnownBullet } from "../state/memory/store.ts";
import { gist } from "./event-gist.ts";
import { shortSession } from "./short-session.ts";
import { renderRuled, type TextStyle } from "./text-style.ts";

export interface MemoryStory {
	readonly id: string;
	readonly stands: readonly StandView[];
	/** How often a model was shown it, and when last. */
	readonly recalled: { readonly times: number; readonly last: RecallNote | null };
}

interface RecallNote {
	readonly at: number;
	readonly session: string;
	readonly handle: string;
}

interface SourceQuote {
	readonly text: string;
	readonly at: number;
	readonly agent: string;
}

/** One stay of the bullet in a file. */
interface StandView {
	readonly file: string;
	readonly section: string;
	readonly text: string;
	readonly by: string;
	readonly since: number;
	/** Why it was written, in which session, and the message or event behind it. */
	readonly why: string;
	readonly session: string;
	readonly cause: string | null;
	readonly source: string | null;
	/** The words behind it. */
	readonly quote: SourceQuote | null;
	readonly origin: string | null;
	readonly reason: string | null;
	readonly replaces: readonly string[];
	readonly until: number | null;
	readonly gone: {
		readonly at: number;
		readonly why: string;
		readonly by: string;
		readonly replacedBy: string | null;
		readonly isForgotten: boolean;
		readonly reason: string | null;
		readonly quote: SourceQuote | null;
	} | null;
}

export function memoryStory(engine: Engine, id: string): MemoryStory {
	const { store } = new MemoryFiles({ log: engine.log });
	refuseTextId(id);
	const found = store.byId(id);
	const name = found[0]?.id;
	if (name === undefined) throw new EngineError("not-found", `No bullet has the id '${id}'. 'weft memory' lists them.`);
	if (found.some((each) => each.id !== name)) throw ambiguousId(id);
	const stands = found
		.filter((each) => each.id === name)
		.map((each) => standOf(engine, each, store.replaced(each.file, name)));
	return { id: name, stands, recalled: recallsOf(engine, name) };
}

/** Enough for years of sessions. */
const MAX_RECALLS = 5_000;

/** The recalled blocks that name the bullet. */
function recallsOf({ log }: Engine, id: string): MemoryStory["recalled"] {
	const head = new RegExp(`^\\[[^\\]]+\\] .*\\b${id}\\b`, "m");
	let times = 0;
	let last: RecallNote | null = null;
	for (const record of log.read({ types: ["Transform"], order: "newest", limit: MAX_RECALLS })) {
		const transform = readTransform(record.payload);
		if (!isRecall(transform)) continue;
		const text = (recalledAfter(transform) ?? recalledInto(transform))?.text ?? "";
		if (!head.test(text)) continue;
		times++;
		last ??= { at: record.ts, session: record.session, handle: handleOf(record) };
	}
	return { times, last };
}

export function ambiguousId(id: string): EngineError {
	return new EngineError("usage", `'${id}' is the beginning of several ids. Type more of it.`);
}

/** Refuses an empty id, and the id of text between the bullets. */
export function refuseTextId(id: string): void {
	if (id.trim() === "") throw new EngineError("usage", "Say which bullet: 'weft memory' shows the id before each.");
	if (id.startsWith(TEXT_ID))
		throw new EngineError("usage", `'${id}' is your own text between the bullets: edit it in the file.`);
}

function standOf({ log }: Engine, bullet: KnownBullet, replaced: readonly KnownBullet[]): StandView {
	const record = log.get(bullet.seq);
	const op = opOf(record, bullet.id);
	const cause = record?.cause ?? null;
	const causing = cause === null ? undefined : log.get(cause);
	const end = bullet.gone_seq === null ? undefined : log.get(bullet.gone_seq);
	return {
		file: bullet.file.replace(/ .*/s, ""),
		section: bullet.section,
		text: bullet.text,
		by: bullet.by,
		since: bullet.ts,
		why: asText(record?.payload["why"]) ?? "",
		session: record?.session ?? "",
		cause: causing ? handleOf(causing) : null,
		source: asText(op["source"]) ?? null,
		quote: quoteOf(log, asText(op["source"])),
		origin: asText(op["origin"]) ?? null,
		reason: asText(op["reason"]) ?? null,
		replaces: replaced.map(({ text }) => text),
		until: bullet.until,
		gone: end
			? {
					at: end.ts,
					why: asText(end.payload["why"]) ?? "",
					by: asText(opOf(end, bullet.id)["by"]) ?? "",
					replacedBy: bullet.replaced_by,
					isForgotten: bullet.is_forgotten === 1,
					reason: asText(opOf(end, bullet.id)["reason"]) ?? null,
					quote: quoteOf(log, asText(opOf(end, bullet.id)["source"])),
				}
			: null,
	};
}

const QUOTE_CHARS = 240;

function quoteOf(log: Engine["log"], handle: string | undefined): SourceQuote | null {
	const seq = handle === undefined ? undefined : log.findHandle(handle);
	const record = seq === undefined ? undefined : log.get(seq);
	const text = record?.type === "Message" ? userWords(messageText(viewMessage(record.payload)), record.host) : "";
	return record && text !== ""
		? { text: cutWithEllipsis(oneLine(stripRecalled(text)), QUOTE_CHARS), at: record.ts, agent: record.host }
		: null;
}

function opOf(record: EventRecord | undefined, id: string): Readonly<Record<string, unknown>> {
	const ops = asList(record?.payload["ops"]).map((each) => asObject(each) ?? {});
	return ops.find((op) => op["id"] === id || op["replaces"] === id) ?? {};
}

export function renderStory({ id, stands, recalled }: MemoryStory, style: TextStyle): string[] {
	return stands.flatMap((stand, at) => {
		const pairs: [string, string][] = [
			["bullet", `${id}  ${oneLine(stand.text)}`],
			[stand.gone ? "was in" : "is in", `${stand.file.toUpperCase()}.md, ${oneLine(stand.section)}`],
			[
				"written",
				`${formatMinute(stand.since)} by ${writer(stand.by)} (${stand.why}), session ${shortSession(stand.session)}`,
			],
		];
		if (stand.quote) pairs.push(["said", renderQuote(stand.quote)]);
		if (stand.source !== null) pairs.push(["comes from", `${stand.source}: 'weft expand ${stand.source}' shows it`]);
		if (stand.cause !== null) pairs.push(["written at", `${stand.cause}: the newest message then`]);
		if (stand.origin !== null) pairs.push(["imported", oneLine(stand.origin)]);
		if (stand.reason !== null) pairs.push(["because", oneLine(stand.reason)]);
		for (const text of stand.replaces) pairs.push(["replaces", oneLine(text)]);
		if (stand.until !== null)
			pairs.push(["probation", `leaves on ${formatMinute(stand.until)}, unless it is recalled before`]);
		if (at === 0 && recalled.last !== null) pairs.push(["recalled", recallWords(recalled.times, recalled.last)]);
		if (stand.gone) pairs.push(["gone", goneWords(stand.gone)]);
		return [...(at > 0 ? [""] : []), ...renderWhole(style, pairs)];
	});
}

/** Cuts nothing: people come here for the whole text. */
function renderWhole(style: TextStyle, pairs: readonly (readonly [string, string])[]): string[] {
	const indent = Math.max(...pairs.map(([name]) => name.length)) + 2;
	const columns = style.columns === undefined ? undefined : Math.max(20, style.columns - indent);
	return pairs.flatMap(([name, value]) =>
		wrapWords(value, columns, "").map((line, at) =>
			at === 0 ? `${style.paint("bold", name)}${" ".repeat(indent - name.length)}${line}` : " ".repeat(indent) + line,
		),
	);
}

function recallWords(times: number, { at, session, handle }: RecallNote): string {
	const often = times === 1 ? "once" : `${times} times, last`;
	return `${often} on ${formatMinute(at)}, session ${shortSession(session)}: 'weft show ${handle}' shows it`;
}

function renderQuote({ text, at, agent }: SourceQuote): string {
	return `${formatMinute(at)} in ${agent}: "${text}"`;
}

function goneWords({ at, why, by, replacedBy, isForgotten, reason, quote }: NonNullable<StandView["gone"]>): string {
	const how =
		replacedBy !== null
			? `replaced by ${replacedBy}`
			: isForgotten
				? "forgotten: the same words stay deleted"
				: reason === null
					? `removed (${why})`
					: oneLine(reason);
	return `${formatMinute(at)} by ${writer(by)}: ${how}${quote ? `, ${renderQuote(quote)}` : ""}`;
}

function writer(by: string): string {
	return by === "user" ? "you" : by === "state" ? "weft, from the state" : by === "" ? "weft" : by;
}

export interface MemoryHistory {
	readonly writes: readonly {
		readonly seq: number;
		readonly ts: number;
		readonly session: string;
		readonly what: string;
	}[];
}

/** The newest first. */
export function memoryHistory(engine: Engine, limit: number): MemoryHistory {
	const { store } = new MemoryFiles({ log: engine.log });
	const writes = store.writes({ limit }).flatMap(({ seq, ts }) => {
		const record = engine.log.get(seq);
		return record ? [{ seq, ts, session: record.session, what: gist(record) }] : [];
	});
	return { writes };
}

export function renderMemoryHistory({ writes }: MemoryHistory, style: TextStyle): string[] {
	const columns = [
		{ title: "seq", align: "right" },
		{ title: "time" },
		{ title: "session" },
		{ title: "what", shrink: true },
	] as const;
	return renderRuled(
		style,
		columns,
		writes.map(({ seq, ts, session, what }) => [String(seq), formatTime(ts), oneLine(shortSession(session)), what]),
	);
}
