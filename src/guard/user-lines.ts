/**
 * Did the user show these lines to the model: in a prompt, in an attached file, or by a command run by hand? Only whole
 * lines count: a word that the user mentions is no line of a file.
 */

import { plainText } from "../base/text/line-ends.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { ReadQuery } from "../log/types.ts";
import { viewMessage } from "../message/view.ts";

/** The session's newest messages, those of the model and its tools included. */
const MAX_MESSAGES = 1_000;

export type UserLineSource = (of: SessionRef, lines: readonly string[]) => boolean;

export function userLinesIn(log: { readonly read: (query: ReadQuery) => Iterable<EventRecord> }): UserLineSource {
	return ({ session, host }, wanted) => {
		const missing = new Set(wanted);
		const query = { session, host, types: ["Message"], order: "newest", limit: MAX_MESSAGES } as const;
		for (const { payload } of log.read(query)) {
			const { speaker, blocks, shown, isSent } = viewMessage(payload);
			if (speaker !== "user" || !isSent) continue;
			const texts = blocks.map((block) => (block.kind === "text" ? block.text : ""));
			const said = `\n${plainText(shown ?? texts.join("\n"))}\n`;
			for (const lines of missing) if (said.includes(`\n${lines}\n`)) missing.delete(lines);
			if (missing.size === 0) return true;
		}
		return false;
	};
}
