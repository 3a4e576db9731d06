/** Where the work stands: what is asked, what was done for it, what comes next. What an agent needs first after a seal. */
import { getRecent } from "../../fold/keyed.ts";
import type { Said, SessionSaid } from "../../session/said-fold.ts";
import { plural } from "../../text/bytes.ts";
import { ENCLOSURE_BYTES, enclose, nameInLine, wordsInLine } from "../../text/enclose.ts";
import type { ProgressState, SessionProgress } from "../../work/progress-fold.ts";
import { cutMiddle, cutToBytes, type Entry, renderList, type Section, type SectionStyle } from "./section.ts";

const ASKED_SHARE = 0.5;
const WORDS_SHARE = 0.3;
const LINE_BYTES = 300;
const MOST_FILES = 6;

export interface Standing {
	readonly said: SessionSaid | undefined;
	readonly progress: ProgressState;
	readonly session: string;
	/** The messages that stay raw: what stands there is not said again. */
	readonly raw: string;
}

export function renderStanding(
	{ said, progress, session, raw }: Standing,
	style: SectionStyle,
	bytes: number,
): Section {
	const asked = said?.users.at(-1);
	const words = said?.remarks.at(-1);
	const next = nextItem(said?.plan);
	const entries: Entry[] = [];
	const add = (id: string, line: string, handle?: string) =>
		entries.push({ id, kind: "standing", why: "where the work stands", handle, forms: [[line]] });
	const addWords = (id: string, what: string, { handle, text }: Said, most: number) => {
		const { until, end } = enclose(text, handle);
		const whose = until === "" ? handle : `${handle}, ${until}`;
		add(
			id,
			`${what} (${whose}): ${cutMiddle(text, until === "" ? most : most - ENCLOSURE_BYTES, handle)}${end}`,
			handle,
		);
	};
	if (asked && !raw.includes(asked.text)) addWords("asked", "Asked last", asked, bytes * ASKED_SHARE);
	for (const line of doneLines(getRecent(progress.sessions, session))) add("done", line);
	if (next !== undefined) add("next", `Next of the plan: ${cutToBytes(wordsInLine(next), LINE_BYTES)}`);
	if (words && !raw.includes(words.text)) addWords("words", "You said last", words, bytes * WORDS_SHARE);
	return renderList({ name: "standing", title: "Where the work stands", entries }, style, bytes);
}

function doneLines(progress: SessionProgress | undefined): string[] {
	if (!progress) return [];
	const { changes, added, removed, files, commands, failedCommands } = progress.sinceIntent;
	const names = files.slice(-MOST_FILES).reverse().join(", ");
	const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : "";
	const failed = failedCommands > 0 ? `, ${failedCommands} failed` : "";
	const ran = commands > 0 ? `; ${plural(commands, "command")} run${failed}` : "";
	const done = changes > 0 ? `changed ${names}${more} (+${added}/-${removed} lines)` : "nothing changed yet";
	return [cutToBytes(nameInLine(`Done for it: ${done}${ran}`), LINE_BYTES * 2)];
}

/** The item in progress, else the first that is open. */
function nextItem(plan: Said | null | undefined): string | undefined {
	const items = (plan?.text ?? "").split("\n");
	const found =
		items.find((item) => /^\s*[-*+] \[~\]/.test(item)) ?? items.find((item) => /^\s*[-*+] \[ \]/.test(item));
	return found?.replace(/^\s*[-*+] \[.\]\s*/, "");
}
