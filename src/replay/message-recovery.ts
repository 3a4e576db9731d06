/** Fetches every message of a session back with the model's own tool, page by page, and compares the hashes. */
import { hash } from "node:crypto";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { History } from "../state/history/history.ts";
import { lcmExpand } from "../tool/expand.ts";

export interface MessageRecovery {
	readonly messages: number;
	/** Messages that came back with the same SHA-256. */
	readonly recovered: number;
	readonly bytes: number;
	readonly recoveredBytes: number;
	readonly share: number;
}

/** More pages of one message than this mean that the tool loops. */
const MAX_PAGES = 100_000;
const PAGE_TOKENS = 8_000;

export async function recoverMessages(log: Log, sessions: readonly SessionRef[]): Promise<MessageRecovery> {
	const history = new History(log);
	const counts = { messages: 0, recovered: 0, bytes: 0, recoveredBytes: 0 };
	for (const of of sessions) {
		for (const record of log.read({ session: of.session, host: of.host, types: ["Message"] })) {
			const { seq } = record;
			const original = Buffer.from(log.rawText(seq) ?? log.getStored(seq)?.text ?? "", "utf8");
			const fetched = await fetchMessage(history, of, handleOf(record));
			counts.messages++;
			counts.bytes += original.length;
			if (hash("sha256", fetched, "hex") !== hash("sha256", original, "hex")) continue;
			counts.recovered++;
			counts.recoveredBytes += original.length;
		}
	}
	return { ...counts, share: counts.bytes === 0 ? 1 : counts.recoveredBytes / counts.bytes };
}

/** As a model would read it: the text between the first and the last line of each page. */
async function fetchMessage(history: History, session: SessionRef, handle: string): Promise<Buffer> {
	const pages: Buffer[] = [];
	let offset: number | undefined = 0;
	for (let page = 0; offset !== undefined && page < MAX_PAGES; page++) {
		const args = { summary_id: handle, max_tokens: PAGE_TOKENS, offset };
		const answer = await lcmExpand.run({ history, session, now: 0 }, args);
		if (answer.isError) break;
		const body = answer.text.slice(answer.text.indexOf("\n") + 1, answer.text.lastIndexOf("\n"));
		pages.push(Buffer.from(body, answer.details["encoding"] === "base64" ? "base64" : "utf8"));
		offset = answer.details["next"] as number | undefined;
	}
	return Buffer.concat(pages);
}
