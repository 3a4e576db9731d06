/** The thing behind a handle: its kind, its origin, the requests that sent it, the summary that covers it, and its text in pages. */

import { EngineError } from "../base/error/engine-error.ts";
import { sha256 } from "../base/hash/sha256.ts";
import { asText } from "../base/json/read.ts";
import { formatBytes } from "../base/text/bytes.ts";
import { cutStart } from "../base/text/cut.ts";
import type { Engine } from "../engine.ts";
import { isMoment } from "../guard/rewind/moments.ts";
import { renderWayBack } from "../guard/rewind/request.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import { splitLast } from "../log/store/payload-text.ts";
import { findEvent, readEventText, type TextPage } from "./event.ts";
import { viewNode } from "./node.ts";
import type { SessionRequests } from "./requests.ts";
import { eventRow } from "./timeline.ts";

export interface PeekView {
	readonly handle: string;
	readonly kind: "event" | "message" | "summary" | "blob";
	readonly title: string;
	readonly seq: number | null;
	readonly ts: number | null;
	readonly session: string | null;
	readonly host: string | null;
	/** Handle of its cause. */
	readonly cause: string | null;
	readonly role: string | null;
	readonly bytes: number | null;
	readonly sha256: string | null;
	/** The first and the last request that held it. */
	readonly sentIn: { readonly first: number; readonly last: number } | null;
	/** The summary that covers it. */
	readonly toldBy: string | null;
	/** True: the newest request has it raw. */
	readonly inContext: boolean;
	/** Messages of the model that fetched it back. */
	readonly fetchedBy: readonly string[];
	/** Why the event is malformed or lost. */
	readonly wrong: string | null;
	/** The command that brings the project's files back to this moment; null: it is none. */
	readonly rewind: string | null;
	readonly text: TextPage;
}

export interface PeekOptions {
	readonly offset: number;
	readonly limit: number;
	/** The requests of an event's session; undefined: `sentIn` is not needed. */
	readonly requestsOf?: (session: { readonly session: string; readonly host: string }) => SessionRequests;
}

export function viewPeek(engine: Engine, handle: string, options: PeekOptions): PeekView {
	if (/^s-/.test(handle)) return peekSummary(engine, handle, options);
	if (/^b-/.test(handle)) return peekBlob(engine, handle, options);
	const { log, history } = engine;
	const stored = findEvent(log, handle);
	const { seq } = stored;
	const record = log.get(seq);
	if (!record) throw new EngineError("damaged", `Event ${seq} ${stored.lost}. 'weft repair' looks for a copy of it.`);
	const raw = splitLast(stored.text, "raw") ?? stored.text;
	const { session, host, entry } = record;
	const isMessage = record.type === "Message";
	const requests = isMessage ? options.requestsOf?.({ session, host }) : undefined;
	const sent = entry === null ? undefined : requests?.sentIn(entry);
	if (isMessage) history.catchUp();
	return {
		...NOTHING,
		handle: handleOf(record),
		kind: isMessage ? "message" : "event",
		title: record.type,
		seq,
		ts: record.ts,
		session,
		host,
		cause: record.cause === null ? null : (log.handleAt(record.cause) ?? null),
		role: isMessage ? [asText(record.payload["role"]), asText(record.payload["tool"])].filter(Boolean).join(" ") : null,
		bytes: Buffer.byteLength(raw),
		sha256: sha256(raw),
		sentIn: sent ? { first: sent.first, last: sent.last } : null,
		toldBy: isMessage ? (history.covering(seq)?.id ?? null) : null,
		inContext: entry !== null && (requests?.newestItems().includes(entry) ?? false),
		fetchedBy: isMessage ? fetches(engine, handleOf(record), session) : [],
		wrong: record.wrong ?? null,
		rewind: isMoment(record) ? rewindTo(engine, record) : null,
		text: readEventText(log, record, { raw: false, offset: options.offset, limit: options.limit }),
	};
}

const NOTHING = {
	seq: null,
	ts: null,
	session: null,
	host: null,
	cause: null,
	role: null,
	bytes: null,
	sha256: null,
	sentIn: null,
	toldBy: null,
	inContext: false,
	fetchedBy: [],
	wrong: null,
	rewind: null,
} as const;

/** Files may have been kept of another folder than the project's, such as a submodule. */
function rewindTo({ project }: Engine, record: EventRecord): string {
	const folder = isA(record, "FilesKept") && record.payload.path !== project.root ? record.payload.path : undefined;
	const files = folder === undefined ? [] : [folder];
	return renderWayBack(files, record.seq, { cwd: project.root, root: project.root });
}

function peekSummary({ history }: Engine, handle: string, options: PeekOptions): PeekView {
	const node = viewNode(history, handle);
	const [parent = null] = node.parents;
	const bytes = Buffer.byteLength(node.text);
	const title = `Summary of ${node.messages} messages, depth ${node.depth}`;
	return {
		...NOTHING,
		handle: node.id,
		kind: "summary",
		title,
		bytes,
		toldBy: parent,
		sha256: sha256(node.text),
		text: pageOf(node.text, options),
	};
}

function peekBlob({ log }: Engine, handle: string, options: PeekOptions): PeekView {
	const [hash] = log.blobHashes(handle.slice(2), 2);
	const bytes = hash && log.getBlob(hash);
	if (!hash || !bytes) throw new EngineError("not-found", `There is no stored output '${handle}' in this log.`);
	const text = pageOf(bytes.toString("utf8"), options);
	return {
		...NOTHING,
		handle,
		kind: "blob",
		title: `Stored output, ${formatBytes(bytes.length)}`,
		bytes: bytes.length,
		sha256: hash,
		text,
	};
}

function pageOf(whole: string, { offset, limit }: PeekOptions): TextPage {
	const text = cutStart(whole.slice(offset), limit);
	const end = offset + text.length;
	return { text, offset, total: whole.length, next: end < whole.length ? end : null };
}

/** The newest calls of lcm_expand with this handle. */
function fetches({ log }: Engine, handle: string, session: string): string[] {
	const { hits } = log.search.find({ text: handle, session, role: "assistant", order: "recent", limit: 5 });
	return hits.flatMap(({ seq }) => {
		const record = log.get(seq);
		return record && /lcm_expand/.test(eventRow(record).what) ? [handleOf(record)] : [];
	});
}
