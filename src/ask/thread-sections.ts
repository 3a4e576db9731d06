/** Sections from the thread and from memory: what was decided, which rules hold, what is open, what was asked and done. */
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import type { RecallItem } from "../state/memory/recall/item-index.ts";
import { isOrdinary } from "../state/memory/recall/terms.ts";
import type { Aim } from "../state/thread/aims.ts";
import { isDecision, isQuestion } from "../state/thread/cues.ts";
import type { ItemKind } from "../state/thread/items.ts";
import { isDocument } from "../state/thread/rule-files.ts";
import { sentencesOf } from "../state/thread/sentences.ts";
import type { ThreadOrder } from "../state/thread/thread.ts";
import { currentFailures, isLeftOut } from "../state/work/failure/lifecycle.ts";
import { currentWords, isAboutPast, replacerLine } from "./current-words.ts";
import type { NarrowedQuestion } from "./narrowed-question.ts";
import { isEcho } from "./quotes.ts";
import { isTelling, rankTexts } from "./ranked-texts.ts";
import { type ItemOfSession, itemsOf, type Place, type ThreadOfSession } from "./session-threads.ts";
import type { AnswerLine, FoundSection } from "./types.ts";

const MAX_CHARS = 420;
const MAX_LINES = 12;

/** A line that can be ranked. */
interface Candidate extends AnswerLine {
	readonly seq: number;
	/** What is ranked; the text itself may be cut. */
	readonly words: string;
	readonly isReplaced?: boolean | undefined;
	/** Where `seq` is only its place among the others: when it was said. */
	readonly saidAt?: number | undefined;
}

/** `places`: the turns that speak of the subject, the best first. */
export function decisionSection(
	question: NarrowedQuestion,
	threads: readonly ThreadOfSession[],
	places: readonly Place[],
): FoundSection {
	const items = itemsOf(question, threads);
	const decided = items.filter(isOneOf("decision", "correction")).map(candidateOf);
	const said = threads.flatMap(({ session: { session }, thread }) =>
		thread.orders.flatMap(({ statements, text, handle, seq }) => [
			...statements
				.filter((each) => isDecision(each.text) && !OFFER.test(each.text))
				.map((each) => ({ ...line(each.text, each.handle, session), seq: each.seq, words: each.text })),
			...decidingParts(text).map((part) => ({ ...line(`user: ${part}`, handle, session), seq, words: part })),
		]),
	);
	const remembered = memoryLines(question, ["decision", "constraint", "preference", "fact"]);
	const candidates = [...decisionsOf(question), ...decided, ...remembered, ...said];
	// A reason may be something that was found, not decided.
	const isAsked = question.reading.aims.has("decisions");
	return {
		title: "Decided",
		share: isAsked ? 0.45 : 0.2,
		lines: isAsked
			? [...best(question, candidates), ...repliesTo(question, threads, places)]
			: best(question, candidates, MIN_REASON_SHARE),
	};
}

/** Of the words of a question for a reason that a decision must have to be the answer. */
const MIN_REASON_SHARE = 0.6;
/** A longer order is a plan or a paste: only its sentences that decide something count. */
const MAX_DECISION_CHARS = 600;

function decidingParts(text: string): readonly string[] {
	if (text.length <= MAX_DECISION_CHARS) return isDecision(text) ? [text] : [];
	return sentencesOf(text).filter(isDecision);
}

const MAX_REPLIES = 2;
const MAX_REPLY_CHARS = 300;

/** Whoever decides on a proposal rarely repeats its words: what the user said right after the subject was spoken of. */
function repliesTo(
	question: NarrowedQuestion,
	threads: readonly ThreadOfSession[],
	places: readonly Place[],
): readonly AnswerLine[] {
	const said = places.flatMap(({ session, to }) => {
		const thread = threads.find((each) => each.session.session === session)?.thread;
		const reply = thread?.orders.find(({ seq, via }) => seq === to && via !== "parent");
		return reply && reply.text.length <= MAX_REPLY_CHARS && !isQuestion(reply.text) ? [{ reply, session }] : [];
	});
	const unique = said.filter(({ reply }, at) => said.findIndex((other) => other.reply === reply) === at);
	return unique
		.slice(0, MAX_REPLIES)
		.toSorted((one, other) => other.reply.seq - one.reply.seq)
		.flatMap(({ reply: { text, handle, seq }, session }) => {
			const current = currentWords(question, { text, seq, session });
			const ts = question.sources.log.get(seq)?.ts;
			return current.text === "" ? [] : [{ ...line(`user, then: ${current.text}`, handle, session), ts }];
		});
}

/** A heading, or one of the ways that an agent offers. */
const OFFER = /^[\s*-]*(?:#|option \w+\b)/i;

/** Recorded with `decide`; also those of sessions whose thread is gone. */
function decisionsOf({ sources, sessions }: NarrowedQuestion): Candidate[] {
	const { active, superseded } = sources.state().decisions;
	const named = new Set(sessions.map(({ session }) => session));
	const replaced = superseded.map((each) => ({ ...each, isReplaced: true }));
	return [...active.map((each) => ({ ...each, isReplaced: false })), ...replaced]
		.filter(({ session }) => named.has(session) || !isAgentsSession(sources, session))
		.map(({ text, rationale, handle, session, seq, ts, isReplaced }) => {
			const whole = rationale === null ? text : `${text} Because: ${rationale}`;
			const mark = isReplaced ? "no longer: " : "";
			return { ...line(`${mark}${whole}`, handle, session), ts, seq, words: whole, isReplaced };
		});
}

function isAgentsSession({ log }: NarrowedQuestion["sources"], session: string): boolean {
	for (const _first of log.read({ session, types: ["Message"], limit: 1 })) return true;
	return false;
}

/** Few rules hold at a time, and one that matters may share no word with the question: those come last. */
export function ruleSections(question: NarrowedQuestion, threads: readonly ThreadOfSession[]): readonly FoundSection[] {
	const items = itemsOf(question, threads)
		.filter(isOneOf("rule", "correction", "decision"))
		.map(candidateOf);
	const files = threads.flatMap(({ session: { session }, thread }) =>
		// A document that a task names binds that task.
		thread.ruleFiles
			.flatMap((file) => (isDocument(file) ? [] : file))
			.flatMap(({ path, handle, lines }) =>
				lines.map((each) => ({ ...line(`${path}: ${each}`, handle, session), seq: 0, words: each })),
			),
	);
	const remembered = memoryLines(question, ["constraint", "preference", "decision", "fact"]);
	const { bearing, rest } = rankCandidates(question, [...remembered, ...items, ...files]);
	const isAboutAll = question.reading.subject.split(" ").every(isOrdinary);
	if (isAboutAll) return [{ title: "Rules", share: 0.45, lines: [...bearing, ...rest] }];
	return [
		{ title: "Rules", share: 0.45, lines: bearing },
		{ title: bearing.length > 0 ? "Other rules" : "Rules", share: 0.25, lines: rest, isBeside: true },
	];
}

export function openSection(question: NarrowedQuestion, threads: readonly ThreadOfSession[]): FoundSection {
	const { failures } = question.sources.state().failures;
	const [first, ...rest] = threads;
	const lines = [first, ...rest.slice(0, 2)].flatMap((each) => (each ? openLines(question, each) : []));
	const red = currentFailures(failures)
		.slice(-4)
		.reverse()
		.map(
			(failure): AnswerLine => ({
				...line(
					`${isLeftOut(failure) ? "failed, and skipped since" : "fails"}: ${failure.command}: ${failure.message}`,
					failure.lastHandle,
					undefined,
				),
				ts: failure.lastTs,
			}),
		);
	return { title: "Open and next", share: 0.6, lines: [...lines, ...red] };
}

function openLines(question: NarrowedQuestion, of: ThreadOfSession): AnswerLine[] {
	const { session } = of.session;
	const items = itemsOf(question, [of]);
	const last = of.thread.orders.at(-1);
	const shown = (kind: ItemKind, label: string, most: number) =>
		items
			.filter((item) => item.kind === kind && (item.state === "open" || item.state === "doing"))
			.slice(-most)
			.map(({ text, handle }) => line(`${label}: ${text}`, handle, session));
	return [
		...(last ? [line(`asked last: ${last.text}`, last.handle, session)] : []),
		...(last?.outcome ? [line(`answered: ${ending(last.outcome.text)}`, last.outcome.handle, session)] : []),
		...(last?.proofs.slice(-MAX_PROOFS) ?? []).map((proof) =>
			line(`${proof.kind}: ${proof.text}`, proof.handle, session),
		),
		...shown("next", "next", 1),
		...shown("plan", "plan, open", 8),
		...shown("open", "open", 5),
	];
}

const MAX_PROOFS = 2;

/** The end of an answer says how far it came. */
function ending(text: string): string {
	const flat = oneLine(text);
	return flat.length <= MAX_CHARS
		? flat
		: `${flat.slice(0, MAX_CHARS / 2)} … ${flat.slice(-MAX_CHARS / 2)}`.toWellFormed();
}

const MAX_DELIVERIES = 24;

/** Commits, pushes and pull requests, the newest of each session first. A commit without a later push says so. */
export function commitSection({ reading }: NarrowedQuestion, threads: readonly ThreadOfSession[]): FoundSection {
	const lines = threads.flatMap(({ session: { session }, thread }) => {
		const proofs = thread.orders.flatMap((order) => order.proofs.filter(({ kind }) => kind !== "tests"));
		const pushed = proofs.findLastIndex(({ kind }) => kind === "push" || kind === "pull-request");
		const told = proofs.map(({ kind, text, handle }, at) =>
			line(
				`${kind}: ${text}${kind === "commit" && at > pushed ? " (no push recorded after it)" : ""}`,
				handle,
				session,
			),
		);
		return reading.end === "first" ? told : told.reverse();
	});
	return { title: "Committed and published", share: 0.4, lines: lines.slice(0, MAX_DELIVERIES) };
}

/** The user's requests that bear on the subject, each with what became of it. */
export function turnSection(question: NarrowedQuestion, threads: readonly ThreadOfSession[]): FoundSection {
	const { reading, span, sources } = question;
	const turns = threads.flatMap(({ session: { session }, thread }) =>
		thread.orders
			.filter(({ text, outcome }) => outcome !== null || !isEcho(text, reading.text))
			.map((order) => ({ order, session, text: turnWords(order), stretch: session })),
	);
	const timeOf = (seq: number) => sources.log.get(seq)?.ts ?? 0;
	const timed =
		span === undefined
			? turns
			: turns.filter(({ order: { seq } }) => timeOf(seq) >= span.since && timeOf(seq) < span.until);
	const ranked = rankTexts(timed, reading.subject, MAX_LINES)
		.filter(isTelling)
		.map(({ item }) => item);
	const isAll =
		reading.subject === "" &&
		(reading.aims.has("work") ||
			reading.aims.has("requests") ||
			reading.aims.has("agents") ||
			reading.aims.has("commits"));
	const isFirst = reading.end === "first";
	const inTime = timed.toSorted((one, other) =>
		isFirst ? timeOf(one.order.seq) - timeOf(other.order.seq) : other.order.seq - one.order.seq,
	);
	const chosen = ranked.length > 0 ? ranked : isAll ? inTime.slice(0, MAX_LINES) : [];
	const isWork =
		reading.aims.has("work") ||
		reading.aims.has("agents") ||
		reading.aims.has("requests") ||
		reading.aims.has("commits");
	return {
		title: "Asked and done",
		share: isWork ? 0.55 : 0.3,
		lines: chosen.flatMap(({ order, session }) => turnLines(question, order, session)),
	};
}

function turnWords({ text, outcome, changed, proofs, statements }: ThreadOrder): string {
	return [
		text,
		outcome?.text ?? "",
		changed.join(" "),
		...proofs.map((proof) => proof.text),
		...statements.slice(-4).map((each) => each.text),
	]
		.join("\n")
		.slice(0, 6_000);
}

const MAX_TURN_CHARS = 200;
const MAX_TURN_FILES = 6;

function turnLines(question: NarrowedQuestion, order: ThreadOrder, session: string): AnswerLine[] {
	const { text, handle, seq, outcome, changed, proofs } = order;
	const asked = currentWords(question, { text, seq, session });
	const answered = outcome ? currentWords(question, { text: outcome.text, seq, session, isAgents: true }) : undefined;
	const newer = [...new Set([...asked.replacers, ...(answered?.replacers ?? [])])];
	const parts = [
		...(asked.text === "" ? [] : [`asked: ${cut(asked.text, MAX_TURN_CHARS)}`]),
		...(outcome && answered?.text ? [`answered (${outcome.handle}): ${cut(answered.text, MAX_TURN_CHARS)}`] : []),
		...(changed.length > 0
			? [
					`changed ${changed.slice(-MAX_TURN_FILES).join(", ")}${changed.length > MAX_TURN_FILES ? ` and ${changed.length - MAX_TURN_FILES} more` : ""}`,
				]
			: []),
		...proofs.slice(-2).map((proof) => `${proof.kind}: ${cut(proof.text, 120)}`),
	];
	const turn = { ...line("", handle, session), text: parts.join("; ") };
	return [...newer.flatMap((each) => replacerLine(question, each) ?? []), ...(parts.length === 0 ? [] : [turn])];
}

/** Bullets of the memory files of the kinds; all of them where a question has words. */
export function memorySection(question: NarrowedQuestion): FoundSection {
	return {
		title: "Remembered",
		share: 0.3,
		lines: best(question, memoryLines(question, undefined)),
	};
}

function memoryLines(
	{ sources, reading, isNamed }: NarrowedQuestion,
	kinds: readonly RecallItem["kind"][] | undefined,
): Candidate[] {
	// Memory belongs to all sessions of an owner, so it says nothing about one of them.
	if (isNamed) return [];
	return sources
		.memory(reading.words)
		.filter(
			({ source, kind }) =>
				source !== "history" && source !== "session" && (kinds === undefined || kinds.includes(kind)),
		)
		.map(({ text, id, heading, date, seq }) => ({
			text: cut(`memory, ${heading}: ${text}`, MAX_CHARS),
			handle: id,
			ts: date,
			seq: Number.MAX_SAFE_INTEGER,
			saidAt: seq ?? -1,
			words: text,
		}));
}

/** Those that bear on the question; without words in it, all of them. */
function best(question: NarrowedQuestion, candidates: readonly Candidate[], minShare?: number): readonly AnswerLine[] {
	const { bearing, rest } = rankCandidates(question, candidates, minShare);
	const { subject, aims } = question.reading;
	return subject !== "" || !hasAim(aims) ? bearing : [...bearing, ...rest].slice(0, MAX_LINES);
}

interface RankedCandidates {
	readonly bearing: readonly AnswerLine[];
	/** The newest of those that share no word with the question, and still hold. */
	readonly rest: readonly AnswerLine[];
}

/** The newest of two that say the same; what was replaced comes last, and only where it is asked for. */
function rankCandidates(question: NarrowedQuestion, candidates: readonly Candidate[], minShare = 0): RankedCandidates {
	const { reading, sources } = question;
	const known = new Set<string>();
	const newest = candidates
		.toSorted((one, other) => other.seq - one.seq)
		.filter(({ words }) => {
			const key = oneLine(words).toLowerCase();
			return !known.has(key) && known.add(key);
		})
		.map((each) => withLaterWords(question, each));
	const asLine = ({ text, handle, session, ts, seq }: Candidate): AnswerLine => ({
		text,
		handle,
		session,
		ts: ts ?? (seq === Number.MAX_SAFE_INTEGER || seq === 0 ? undefined : sources.log.get(seq)?.ts),
	});
	const ranked = rankTexts(
		newest.map((each) => ({ ...each, text: each.words, line: each })),
		reading.subject,
		MAX_LINES,
	).filter((each) => isTelling(each) && each.share >= minShare);
	const found = ranked.map(({ item }) => item.line);
	const rest = newest.filter((each) => !found.includes(each) && !each.isReplaced);
	const replaced = isAboutPast(question) ? found.filter((each) => each.isReplaced) : [];
	return {
		bearing: [...found.filter((each) => !each.isReplaced), ...replaced].map(asLine),
		rest: rest.slice(0, MAX_LINES - found.length).map(asLine),
	};
}

/** The thread knows what was replaced in its own session; later sessions replace too. Lines of rule files are not the user's words. */
function withLaterWords(question: NarrowedQuestion, candidate: Candidate): Candidate {
	const { text, words, seq, saidAt = seq, session, isReplaced } = candidate;
	if (isReplaced || seq === 0) return candidate;
	const [later] = currentWords(question, { text: words, seq: saidAt, session }).replacers;
	return later ? { ...candidate, text: `no longer (see ${later.handle}): ${text}`, isReplaced: true } : candidate;
}

function hasAim(aims: ReadonlySet<Aim>): boolean {
	return aims.has("decisions") || aims.has("rules");
}

function isOneOf(...kinds: readonly ItemKind[]): (item: ItemOfSession) => boolean {
	return ({ kind, state }) => kinds.includes(kind) && state !== "struck";
}

function candidateOf({ kind, text, handle, session, seq, state, replacedBy, by }: ItemOfSession): Candidate {
	const isReplaced = state === "replaced" || state === "dropped";
	const mark = isReplaced ? `no longer${replacedBy === undefined ? "" : ` (see ${replacedBy})`}: ` : "";
	return {
		...line(`${mark}${by === "user" ? "user" : by}, ${kind}: ${text}`, handle, session),
		seq,
		words: text,
		isReplaced,
	};
}

function line(text: string, handle: string, session: string | undefined): AnswerLine {
	return { text: cut(text, MAX_CHARS), handle, session };
}

function cut(text: string, chars: number): string {
	return cutWithEllipsis(oneLine(text), chars);
}
