/** What the user said, word for word: the task always, then the newest first as far as they fit. */

import type { Said, SessionSaid } from "../../../session/said-fold.ts";
import { bytesOfTokens } from "../../../tokens/estimate.ts";
import { clip, makeSection, type Section } from "./section.ts";

const NEWEST_WORDS_OF = 3;

export function usersSection(said: SessionSaid | undefined, budget: number): Section | undefined {
	if (!said?.task) return undefined;
	const { task, users } = said;
	const most = bytesOfTokens(budget);
	const taskText = clip(task.text, budget * 0.4, task.handle);
	let bytes = Buffer.byteLength(taskText) + 80;
	const chosen: string[] = [];
	let left = said.userCount - 1;
	for (const each of users.toReversed()) {
		if (each.handle === task.handle) continue;
		const text = `- (${each.handle}) ${clip(each.text, budget * 0.35, each.handle)}`;
		const size = Buffer.byteLength(text) + 1;
		if (bytes + size > most) break;
		bytes += size;
		chosen.unshift(text);
		left--;
	}
	const lines = ["## What the user said, word for word", `Task (${task.handle}): ${taskText}`];
	if (left > 0) lines.push(`[${left} more between are not shown: lcm_grep]`);
	return makeSection("users", [...lines, ...chosen].join("\n"), Math.max(0, left));
}

/** Identifiers and file names in the newest user messages. */
export function namedWords(said: SessionSaid | undefined): ReadonlySet<string> {
	const words = new Set<string>();
	for (const { text } of (said?.users ?? []).slice(-NEWEST_WORDS_OF) as readonly Said[]) {
		for (const [word] of text.slice(0, 8_000).matchAll(/[\w$./-]{4,}/g)) {
			words.add(word.replace(/^[./-]+|[./-]+$/g, ""));
			words.add(word.slice(word.lastIndexOf("/") + 1).replace(/[.-]+$/, ""));
		}
	}
	return words;
}
