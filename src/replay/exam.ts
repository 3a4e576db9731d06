/**
 * The continuity exam: does the context that would be sent hold what an agent must know to continue? Somebody who read the
 * recording wrote questions for some of its requests, each with the literals that an answer needs. A row holds a question if
 * its request contains them. Literals are a stand-in for understanding; the exam is one judge beside cost and support.
 */

import { readFileSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { RE2JS } from "re2js";
import { EngineError } from "../base/error/engine-error.ts";
import { errorText } from "../base/error/error-text.ts";
import { asList, asObject, asText } from "../base/json/read.ts";
import { BYTES_PER_TOKEN } from "../base/tokens/estimate.ts";
import type { EnvelopeMessage } from "../context/envelope/envelope.ts";
import { guessForm, readWire, shownText } from "../message/view.ts";
import { type ModelCall, type Recording, rawPath } from "./recording.ts";
import type { ReplayedRequest } from "./requests.ts";

export const EXAM_KINDS = [
	"task",
	"rule",
	"correction",
	"decision",
	"done",
	"open",
	"error",
	"next",
	"where",
	"value",
] as const;
export type ExamKind = (typeof EXAM_KINDS)[number];

type AnswerFinder = (folded: string) => boolean;

interface ExamItem {
	/** Asked before the request with this number, from 0. */
	readonly index: number;
	readonly kind: ExamKind;
	readonly question: string;
	/** An answer needs one alternative of each group. */
	readonly needs: readonly (readonly AnswerFinder[])[];
}

export type Exam = readonly ExamItem[];

export type HeldCount = readonly [held: number, of: number];

export interface ExamReport {
	readonly held: number;
	readonly of: number;
	/** Tokens of the messages in the requests that were asked about, without system prompt and tools. */
	readonly meanTokens: number;
	/** Questions that the newest messages alone would hold, in as many tokens. */
	readonly heldByTail: number;
	readonly kinds: Readonly<Partial<Record<ExamKind, HeldCount>>>;
	readonly missed: readonly { readonly index: number; readonly kind: ExamKind; readonly question: string }[];
}

/** The exam of a recording: a file, or a folder that has NAME.json for a recording NAME.jsonl. Undefined: the folder has none. */
export function readExam(path: string, recording: string): Exam | undefined {
	const stat = statSync(path, { throwIfNoEntry: false });
	if (!stat) throw new EngineError("not-found", `There is no exam ${path}.`);
	const file = stat.isDirectory() ? join(path, `${basename(recording, extname(recording))}.json`) : path;
	if (stat.isDirectory() && !statSync(file, { throwIfNoEntry: false })) return undefined;
	let items: unknown;
	try {
		items = JSON.parse(readFileSync(file, "utf8"));
	} catch (cause) {
		throw new EngineError("refused", `${file} is not an exam: ${errorText(cause)}`, { cause });
	}
	if (!Array.isArray(items)) throw new EngineError("refused", `${file} is not an exam: it must be a list of items.`);
	return items.map((item, at) => {
		const read = readItem(item);
		if (typeof read === "string") throw new EngineError("refused", `${file}, item ${at}: ${read}.`);
		return read;
	});
}

/** A text says what is wrong. */
function readItem(given: unknown): ExamItem | string {
	const item = asObject(given) ?? {};
	const { index } = item;
	const question = asText(item["question"]);
	const kind = EXAM_KINDS.find((each) => each === item["kind"]);
	if (typeof index !== "number" || !Number.isInteger(index) || index < 0)
		return "index must be the number of a request";
	if (kind === undefined) return `kind must be one of ${EXAM_KINDS.join(", ")}`;
	if (question === undefined) return "question is missing";
	const groups = asList(item["needs"]).map((group) => asList(group).flatMap((each) => asText(each) ?? []));
	if (groups.length === 0 || groups.some((group) => group.length === 0)) return "needs must be lists of alternatives";
	try {
		return { index, kind, question, needs: groups.map((group) => group.map(finderOf)) };
	} catch (cause) {
		return `a pattern cannot be read: ${errorText(cause)}`;
	}
}

const PATTERN = "re:";

function finderOf(alternative: string): AnswerFinder {
	if (alternative.startsWith(PATTERN)) {
		const pattern = RE2JS.compile(alternative.slice(PATTERN.length), RE2JS.CASE_INSENSITIVE);
		return (folded) => pattern.test(folded);
	}
	const literal = fold(alternative).trim();
	return (folded) => folded.includes(literal);
}

function fold(text: string): string {
	return text.replace(/\s+/g, " ").toLowerCase();
}

function isHeld({ needs }: ExamItem, folded: string): boolean {
	return needs.every((group) => group.some((finds) => finds(folded)));
}

/** With the answer in one of these, the question would be trivial. */
const NEWEST_MESSAGES = 4;

/** Grades the requests of each row. Only questions that the history can answer, and its newest messages cannot, count. */
export class ExamGrader {
	readonly #byIndex: ReadonlyMap<number, Exam>;
	readonly #histories = new Map<number, readonly ExamText[]>();

	constructor(exam: Exam, { reader, calls }: Pick<Recording, "reader" | "calls">) {
		const asked = calls.flatMap((call) => {
			const items = exam.filter(({ index }) => index === call.index);
			if (items.length === 0) return [];
			const history = historyOf(reader, call);
			this.#histories.set(call.index, history);
			const [whole, newest] = [joined(history), joined(history.slice(-NEWEST_MESSAGES))];
			return [[call.index, items.filter((item) => isHeld(item, whole) && !isHeld(item, newest))] as const];
		});
		this.#byIndex = new Map(asked);
	}

	/** For one row. */
	start(): RowExam {
		const asked: GradedItem[] = [];
		return {
			add: ({ call, envelope }) => {
				const items = this.#byIndex.get(call.index);
				if (!items) return;
				const messages = [...envelope.messages.cached, ...envelope.messages.uncached].map(examText);
				const text = joined(messages);
				const tokens = messages.reduce((sum, message) => sum + message.tokens, 0);
				for (const item of items) asked.push({ item, tokens, isHeld: isHeld(item, text) });
			},
			report: () => this.#report(asked),
		};
	}

	#report(asked: readonly GradedItem[]): ExamReport {
		const tokens = asked.reduce((sum, each) => sum + each.tokens, 0) / Math.max(1, asked.length);
		const kinds: Partial<Record<ExamKind, HeldCount>> = {};
		for (const { item, isHeld } of asked) {
			const [held, of] = kinds[item.kind] ?? [0, 0];
			kinds[item.kind] = [held + (isHeld ? 1 : 0), of + 1];
		}
		return {
			held: asked.filter(({ isHeld }) => isHeld).length,
			of: asked.length,
			meanTokens: Math.round(tokens),
			heldByTail: asked.filter(({ item }) => isHeld(item, this.#tail(item.index, tokens))).length,
			kinds,
			missed: asked.flatMap(({ item: { index, kind, question }, isHeld }) =>
				isHeld ? [] : [{ index, kind, question }],
			),
		};
	}

	/** The newest messages before a request, in so many tokens; at least one. */
	#tail(index: number, maxTokens: number): string {
		const history = this.#histories.get(index) ?? [];
		let size = 0;
		const first = history.findLastIndex((message, at) => {
			size += message.tokens;
			return size > maxTokens && at < history.length - 1;
		});
		return joined(history.slice(first + 1));
	}
}

interface GradedItem {
	readonly item: ExamItem;
	readonly tokens: number;
	readonly isHeld: boolean;
}

export interface RowExam {
	add(request: Pick<ReplayedRequest, "call" | "envelope">): void;
	report(): ExamReport;
}

interface ExamText {
	readonly folded: string;
	readonly tokens: number;
}

const texts = new WeakMap<EnvelopeMessage, ExamText>();

/** Without thinking: a provider may drop it, and other models cannot read it. */
function examText(message: EnvelopeMessage): ExamText {
	const known = texts.get(message);
	if (known) return known;
	const view = readWire(message, guessForm(message));
	const text = shownText({ ...view, blocks: view.blocks.filter(({ kind }) => kind !== "thinking") });
	const made = { folded: fold(text), tokens: Buffer.byteLength(text, "utf8") / BYTES_PER_TOKEN };
	texts.set(message, made);
	return made;
}

function historyOf(reader: Recording["reader"], call: ModelCall): ExamText[] {
	return rawPath(reader, call).messages.map(({ sent }) => examText(sent));
}

function joined(history: readonly ExamText[]): string {
	return history.map(({ folded }) => folded).join(" ");
}

/** Sums the exams of several recordings; `meanTokens` is the mean over all questions. */
export function sumExams(reports: readonly ExamReport[]): ExamReport | undefined {
	if (reports.length === 0) return undefined;
	const sum = (of: (report: ExamReport) => number) => reports.reduce((all, report) => all + of(report), 0);
	const kinds: Partial<Record<ExamKind, HeldCount>> = {};
	for (const kind of EXAM_KINDS) {
		const counts = reports.flatMap((report) => (report.kinds[kind] ? [report.kinds[kind]] : []));
		if (counts.length > 0) {
			kinds[kind] = [counts.reduce((all, [held]) => all + held, 0), counts.reduce((all, [, of]) => all + of, 0)];
		}
	}
	const of = sum((report) => report.of);
	return {
		held: sum(({ held }) => held),
		of,
		meanTokens: Math.round(sum((report) => report.meanTokens * report.of) / Math.max(1, of)),
		heldByTail: sum(({ heldByTail }) => heldByTail),
		kinds,
		missed: reports.flatMap(({ missed }) => missed),
	};
}
