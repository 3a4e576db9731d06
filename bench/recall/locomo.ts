/**
 * Conversations with questions, as the LoCoMo benchmark writes them: turns with ids, and questions that name the turns that
 * answer them. Adversarial questions (category 5) are counted separately.
 */
import { readFileSync } from "node:fs";
import { EngineError } from "../../src/base/error/engine-error.ts";
import { asObject, asText } from "../../src/base/json/read.ts";
import { ItemIndex, type RecallItem } from "../../src/state/memory/recall/item-index.ts";
import { rank } from "../../src/state/memory/recall/rank.ts";
import { itemAt } from "../measure.ts";

const DEPTHS = [5, 10, 20, 50] as const;
const ADVERSARIAL = "5";
const MAX_SESSIONS = 1_000;

type Depth = `${(typeof DEPTHS)[number]}`;
export type RecallAt = Readonly<Record<Depth, number>>;

export interface LocomoReport {
	/** Without the adversarial ones. */
	readonly questions: number;
	/** Mean share of a question's evidence turns among the first k. */
	readonly recall: RecallAt;
	readonly byCategory: Readonly<Record<string, { readonly questions: number; readonly recall: RecallAt }>>;
}

export interface Conversation {
	readonly items: readonly RecallItem[];
	readonly questions: readonly Question[];
}

interface Question {
	readonly text: string;
	readonly evidence: readonly string[];
	readonly category: string;
}

export function measureLocomo(file: string): LocomoReport {
	const answers: { readonly category: string; readonly shares: readonly number[] }[] = [];
	for (const { items, questions } of readConversations(file)) {
		using index = new ItemIndex(items);
		for (const { text, evidence, category } of questions) {
			const { ranked } = rank(index, text, { limit: itemAt(DEPTHS, -1) });
			const found = ranked.map(({ row }) => itemAt(items, row).id);
			const shares = DEPTHS.map((k) => {
				const first = new Set(found.slice(0, k));
				return evidence.filter((id) => first.has(id)).length / evidence.length;
			});
			answers.push({ category, shares });
		}
	}
	const plain = answers.filter(({ category }) => category !== ADVERSARIAL);
	const categories = [...new Set(answers.map(({ category }) => category))].sort();
	return {
		questions: plain.length,
		recall: meanAt(plain),
		byCategory: Object.fromEntries(
			categories.map((category) => {
				const own = answers.filter((answer) => answer.category === category);
				return [category, { questions: own.length, recall: meanAt(own) }];
			}),
		),
	};
}

function meanAt(answers: readonly { readonly shares: readonly number[] }[]): RecallAt {
	const mean = (at: number) => {
		const sum = answers.reduce((total, { shares }) => total + itemAt(shares, at), 0);
		return answers.length === 0 ? 0 : Math.round((sum / answers.length) * 10_000) / 10_000;
	};
	return Object.fromEntries(DEPTHS.map((k, at) => [String(k), mean(at)])) as RecallAt;
}

/** Questions whose evidence is not among the turns cannot be answered, and are left out. */
export function readConversations(file: string): readonly Conversation[] {
	const data: unknown = JSON.parse(readFileSync(file, "utf8"));
	const samples = Array.isArray(data) ? data : [data];
	const conversations = samples.flatMap((sample) => {
		const conversation = asObject(asObject(sample)?.["conversation"]);
		if (!conversation) return [];
		const items = readTurns(conversation);
		const ids = new Set(items.map(({ id }) => id));
		return [{ items, questions: readQuestions(asObject(sample)?.["qa"], ids) }];
	});
	if (conversations.every(({ questions }) => questions.length === 0)) {
		throw new EngineError("usage", `${file} holds no conversations with questions. It must be in LoCoMo's format.`);
	}
	return conversations;
}

function readTurns(conversation: Readonly<Record<string, unknown>>): readonly RecallItem[] {
	const items: RecallItem[] = [];
	for (let session = 1; session <= MAX_SESSIONS; session++) {
		const turns = conversation[`session_${session}`];
		if (!Array.isArray(turns)) continue;
		const date = readDate(asText(conversation[`session_${session}_date_time`]) ?? "");
		for (const turn of turns.map(asObject)) {
			const id = asText(turn?.["dia_id"]);
			if (id === undefined) continue;
			const caption = asText(turn?.["blip_caption"]);
			const text = `${asText(turn?.["text"]) ?? ""}${caption === undefined ? "" : `\n[image: ${caption}]`}`;
			items.push({
				id,
				text,
				heading: asText(turn?.["speaker"]) ?? "",
				source: "history",
				kind: "message",
				date,
				stretch: `session ${session}`,
			});
		}
	}
	return items;
}

/** `1:56 pm on 8 May, 2023` */
function readDate(text: string): number | undefined {
	const day = /\d{1,2} \w+,? \d{4}/.exec(text)?.[0];
	const ms = day === undefined ? Number.NaN : Date.parse(`${day.replace(",", "")} UTC`);
	return Number.isNaN(ms) ? undefined : ms;
}

function readQuestions(data: unknown, turns: ReadonlySet<string>): readonly Question[] {
	return (Array.isArray(data) ? data : []).flatMap((entry) => {
		const question = asObject(entry);
		const text = asText(question?.["question"]);
		const named = Array.isArray(question?.["evidence"]) ? question["evidence"] : [];
		const evidence = [
			...new Set(
				named.flatMap((id) => (typeof id === "string" ? id.split(/[;,\s]+/) : [])).filter((id) => turns.has(id)),
			),
		];
		return text === undefined || evidence.length === 0
			? []
			: [{ text, evidence, category: String(question?.["category"]) }];
	});
}
