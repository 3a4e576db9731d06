/**
 * Where the work is: Current State and Next Steps of SESSION.md at this moment, which an agent needs first after a seal.
 * Notes of a model or the user appear word for word; the rest comes from state.
 */

import { cutMiddle, cutToBytes } from "../../base/text/cut.ts";
import { getRecent } from "../../log/fold/keyed.ts";
import { ENCLOSURE_BYTES, enclose, nameInLine, wordsInLine } from "../../message/enclosure.ts";
import type { Note } from "../../state/memory/session/notes-fold.ts";
import { doneLines, nextSteps } from "../../state/memory/session/state-draft.ts";
import type { Quote, SessionConversation } from "../../state/session/conversation.ts";
import type { ProgressState } from "../../state/work/progress.ts";
import { type ListEntry, renderList, type Section, type SectionStyle } from "./section.ts";

const ASKED_SHARE = 0.5;
const WORDS_SHARE = 0.3;
const LINE_BYTES = 300;
const MAX_STEPS = 2;

export interface CurrentStateInput {
	readonly said: SessionConversation | undefined;
	readonly progress: ProgressState;
	/** Notes in SESSION.md by a model or the user. */
	readonly notes: readonly Note[];
	readonly session: string;
	/** The messages that stay raw; their texts are not repeated. */
	readonly raw: string;
}

export function renderCurrentState(
	{ said, progress, notes, session, raw }: CurrentStateInput,
	style: SectionStyle,
	bytes: number,
): Section {
	const asked = said?.users.at(-1);
	const words = said?.remarks.at(-1);
	const entries: ListEntry[] = [];
	const add = (id: string, line: string, handle?: string) =>
		entries.push({ id, kind: "standing", why: "where the work stands", handle, forms: [[line]] });
	const addWords = (id: string, what: string, { handle, text }: Quote, most: number) => {
		const { until, end } = enclose(text, handle);
		const whose = until === "" ? handle : `${handle}, ${until}`;
		add(
			id,
			`${what} (${whose}): ${cutMiddle(text, until === "" ? most : most - ENCLOSURE_BYTES, handle)}${end}`,
			handle,
		);
	};
	if (asked && !raw.includes(asked.text)) addWords("asked", "Asked last", asked, bytes * ASKED_SHARE);
	for (const line of doneLines(getRecent(progress.sessions, session))) {
		add("done", cutToBytes(nameInLine(line), LINE_BYTES * 2));
	}
	for (const { id, text } of notesOf(notes, "Current State")) add(id, bulletLine(text));
	if (words && !raw.includes(words.text)) addWords("words", "You said last", words, bytes * WORDS_SHARE);
	return renderList({ name: "standing", title: "Current State", entries }, style, bytes);
}

export function renderNextSteps({ said, notes }: CurrentStateInput, style: SectionStyle, bytes: number): Section {
	const written = notesOf(notes, "Next Steps");
	// Failures and plans have their own sections: this one says where to begin.
	const steps = written.length > 0 ? written.map(({ text }) => text) : nextSteps(said, []).slice(0, MAX_STEPS);
	const entries = steps.map((text, at): ListEntry => {
		const why = written.length > 0 ? "written into SESSION.md" : "open in the plan, or announced";
		return { id: `next:${at}`, kind: "next", why, forms: [[bulletLine(text)]] };
	});
	return renderList({ name: "next", title: "Next Steps", entries }, style, bytes);
}

function notesOf(notes: readonly Note[], section: Note["section"]): Note[] {
	return notes.filter((note) => note.section === section);
}

function bulletLine(text: string): string {
	return `- ${cutToBytes(wordsInLine(text), LINE_BYTES)}`;
}
