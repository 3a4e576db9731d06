/**
 * Follows the rules, preferences and decisions of MEMORY.md and the user's own facts, and which sessions were given them. They open a
 * session and every seed, because an order that breaks a rule rarely shares a word with it. Facts come last: users often word a rule as a fact.
 */
import { asList, asName, asObject, asText } from "../../base/json/read.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import { type SessionRef, sessionKey } from "../../log/session-ref.ts";
import { quoteInList, wordsInLine } from "../../message/enclosure.ts";
import type { MemorySection } from "./section.ts";

export interface RememberedWords {
	readonly id: string;
	readonly section: string;
	readonly text: string;
	/** user, state, import, or a model. */
	readonly by: string;
	/** Host and session in which it was said; null: it was written into the file. */
	readonly saidIn: string | null;
}

export interface RememberedState {
	/** In the order of writing. */
	words: RememberedWords[];
	/** seq of the event that last gave them to a session, by host and session. */
	given: Recent<number>;
}

const MAX_WORDS = 400;
const MAX_SESSIONS = 200;
/** In the order of the text. */
const SECTIONS: readonly string[] = ["Constraints", "Preferences", "Decisions"] satisfies readonly MemorySection[];
const FACTS: MemorySection = "Facts";

export const rememberedFold: StateFold<RememberedState> = {
	name: "remembered",
	version: 2,
	initial: () => ({ words: [], given: emptyRecent() }),
	step(state, { type, session, host, payload, seq }) {
		if (type === "Given" && payload["opens"] === true)
			putRecent(state.given, sessionKey({ host, session }), seq, MAX_SESSIONS);
		if (type !== "MemoryWrite" || payload["file"] !== "memory") return;
		for (const each of asList(payload["ops"])) {
			const op = asObject(each) ?? {};
			const [id, text, section] = [asName(op["id"]), asText(op["text"]), asText(op["section"]) ?? ""];
			if (id === undefined || op["op"] === "confirm") continue;
			state.words = state.words.filter((known) => known.id !== id && known.id !== op["replaces"]);
			// Words on probation wait for a message that speaks of them.
			if (op["op"] === "invalidate" || text === undefined || op["until"] !== undefined) continue;
			const saidIn = op["source"] === undefined ? null : sessionKey({ host, session });
			const by = asText(op["by"]) ?? "";
			if (isStanding(section, by)) state.words.push({ id, section, text, by, saidIn });
		}
		state.words = state.words.slice(-MAX_WORDS);
	},
};

/** Whether words of this section open a session. */
export function isStanding(section: string, by: string): boolean {
	return SECTIONS.includes(section) || (section === FACTS && by === "user");
}

/** seq of the event that last gave them to the session. Undefined: none did. */
export function givenAt({ given }: RememberedState, session: SessionRef): number | undefined {
	return getRecent(given, sessionKey(session));
}

/** Sections of a seed know the session without its host. */
export function isSaidIn({ saidIn }: RememberedWords, session: string): boolean {
	return saidIn?.endsWith(` ${session}`) ?? false;
}

const MAX_TOKENS = 1_500;

export interface FittingWords {
	/** The user's own. */
	readonly own: readonly RememberedWords[];
	/** Words of a model, an import or the agent. */
	readonly noted: readonly RememberedWords[];
	/** How many do not fit. */
	readonly left: number;
}

/** The words that fit: rules before preferences before decisions, the user's before others, the newest first where not all fit. */
export function fittingWords(
	{ words }: Pick<RememberedState, "words">,
	isShown: (words: RememberedWords) => boolean,
): FittingWords {
	let room = bytesOfTokens(MAX_TOKENS);
	const rankOf = ({ by, section }: RememberedWords) =>
		section === FACTS ? SECTIONS.length * 2 : (by === "user" ? 0 : SECTIONS.length) + SECTIONS.indexOf(section);
	const live = words.filter((each) => !isShown(each));
	const chosen = live
		.toReversed()
		.toSorted((one, other) => rankOf(one) - rankOf(other))
		.filter(({ text }) => {
			const bytes = Buffer.byteLength(text) + 4;
			if (bytes > room) return false;
			room -= bytes;
			return true;
		});
	const inOrder = live.filter((each) => chosen.includes(each)).toSorted((one, other) => rankOf(one) - rankOf(other));
	return {
		own: inOrder.filter(({ by }) => by === "user"),
		noted: inOrder.filter(({ by }) => by !== "user"),
		left: live.length - chosen.length,
	};
}

export function renderWords({ text }: Pick<RememberedWords, "text">): string {
	return `- ${quoteInList(wordsInLine(text))}`;
}
