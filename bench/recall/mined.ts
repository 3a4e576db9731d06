/**
 * Questions that a coding session asks of itself. A term (an identifier, a path, an error line) that comes back at least 20
 * messages after it was first seen is one question: the later message without the term is the text, and a hit is an earlier
 * message, out of the last 20, that holds the term. Each term is asked once, when it first comes back.
 */
import { EngineError } from "../../src/base/error/engine-error.ts";
import { openRecording } from "../../src/replay/recording.ts";
import { ItemIndex, type ItemIndexOptions, type RecallItem } from "../../src/state/memory/recall/item-index.ts";
import { type Ingredients, rank } from "../../src/state/memory/recall/rank.ts";
import { searchable } from "../../src/state/session/searchable.ts";
import { itemAt } from "../measure.ts";

const DISTANCE_MESSAGES = 20;
const MIN_TERM_CHARS = 8;
const MAX_TERM_CHARS = 200;
const MAX_QUESTIONS = 100;
const DEPTHS = [5, 10, 20] as const;
const PATH = /(?:[\w.-]*\/)+[\w.-]+\.\w+/g;
const IDENTIFIER = /[A-Za-z_$][\w$]{7,}/g;
const ERROR_LINE = /^.*\b(?:error|failed|panic|exception)\b.*$/gim;

/** The ingredients of the ranking, each left out once. */
const VARIANTS: Readonly<Record<string, Ingredients & ItemIndexOptions>> = {
	all: {},
	"without stems": { stem: false },
	"without stop words": { stopWords: false },
	"without rarity": { rarity: false },
	"without neighbours": { neighbours: false },
	"without stretches": { stretches: false },
	"without heading, day and paths": { about: false, headings: false },
};

type HitsAt = Readonly<Record<`${(typeof DEPTHS)[number]}`, number>>;

export interface MinedReport {
	readonly messages: number;
	readonly questions: number;
	/** Share of questions with a hit among the first k. */
	readonly recall: HitsAt;
	/** By where in the session the question is asked: its first, second and last third. */
	readonly byPosition: Readonly<
		Record<"early" | "middle" | "late", { readonly questions: number; readonly recall: HitsAt }>
	>;
	readonly variants: Readonly<Record<string, HitsAt>>;
}

export async function measureSession(file: string): Promise<MinedReport> {
	const items = await readMessages(file);
	const questions = mineQuestions(items);
	if (questions.length === 0) {
		throw new EngineError(
			"usage",
			`${file}: no term comes back after ${DISTANCE_MESSAGES} messages. Take a longer session.`,
		);
	}
	const answers = Object.entries(VARIANTS).map(
		([name, variant]) => [name, answerAll(items, questions, variant)] as const,
	);
	const all = itemAt(answers, 0)[1];
	const third = (n: number) => {
		const own = questions.flatMap(({ at }, q) => (Math.floor((at * 3) / items.length) === n ? [itemAt(all, q)] : []));
		return { questions: own.length, recall: hitsAt(own) };
	};
	return {
		messages: items.length,
		questions: questions.length,
		recall: hitsAt(all),
		byPosition: { early: third(0), middle: third(1), late: third(2) },
		variants: Object.fromEntries(answers.map(([name, found]) => [name, hitsAt(found)])),
	};
}

interface MinedQuestion {
	readonly at: number;
	readonly term: string;
	readonly text: string;
}

async function readMessages(file: string): Promise<readonly RecallItem[]> {
	const recording = await openRecording(file);
	try {
		const items: RecallItem[] = [];
		let run = 0;
		for (const record of recording.log.read()) {
			const doc = record.type === "Message" ? searchable(record) : undefined;
			if (!doc || doc.text === "") continue;
			if (doc.role === "user") run++;
			items.push({
				id: String(record.seq),
				text: doc.text,
				heading: doc.tool ?? doc.role,
				source: "history",
				kind: "message",
				date: record.ts,
				stretch: `${record.session} ${run}`,
			});
		}
		return items;
	} finally {
		recording.close();
	}
}

function mineQuestions(items: readonly RecallItem[]): readonly MinedQuestion[] {
	const first = new Map<string, number>();
	const asked = new Set<string>();
	const questions: MinedQuestion[] = [];
	for (const [at, { text }] of items.entries()) {
		for (const term of termsIn(text)) {
			const seen = first.get(term);
			if (seen === undefined) first.set(term, at);
			else if (at - seen >= DISTANCE_MESSAGES && !asked.has(term)) {
				asked.add(term);
				questions.push({ at, term, text: text.replaceAll(term, " ") });
			}
		}
	}
	const step = Math.max(1, questions.length / MAX_QUESTIONS);
	return questions.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
}

function termsIn(text: string): ReadonlySet<string> {
	const words = (text.match(IDENTIFIER) ?? []).filter((word) => /[a-z][A-Z]|_|\d/.test(word));
	const all = [...words, ...(text.match(PATH) ?? []), ...(text.match(ERROR_LINE) ?? []).map((line) => line.trim())];
	return new Set(all.filter(({ length }) => length >= MIN_TERM_CHARS && length <= MAX_TERM_CHARS));
}

/** For each question the place of its first hit, from 0; beyond all depths: none. */
function answerAll(
	items: readonly RecallItem[],
	questions: readonly MinedQuestion[],
	variant: Ingredients & ItemIndexOptions,
): readonly number[] {
	using index = new ItemIndex(items, variant);
	return questions.map(({ at, term, text }) => {
		const before = at - DISTANCE_MESSAGES + 1;
		const { ranked } = rank(index, text, { ...variant, limit: itemAt(DEPTHS, -1), before });
		const place = ranked.findIndex(({ row }) => itemAt(items, row).text.includes(term));
		return place === -1 ? Number.POSITIVE_INFINITY : place;
	});
}

function hitsAt(places: readonly number[]): HitsAt {
	const share = (k: number) =>
		places.length === 0
			? 0
			: Math.round((places.filter((place) => place < k).length / places.length) * 10_000) / 10_000;
	return Object.fromEntries(DEPTHS.map((k) => [String(k), share(k)])) as HitsAt;
}
