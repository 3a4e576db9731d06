/**
 * The thread of a session for people and models: what was asked, what holds, what is done with proof, what is open and next. The
 * command, Pi, the model's tool, the page and a handover all render this one view.
 */
import { EngineError } from "../base/error/engine-error.ts";
import { plural } from "../base/text/bytes.ts";
import { closestFew } from "../base/text/closest-word.ts";
import { cutToBytes, cutWithEllipsis } from "../base/text/cut.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { bytesOfTokens } from "../base/tokens/estimate.ts";
import type { Engine } from "../engine.ts";
import { newestFirst } from "../log/fold/keyed.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { wordsInLine } from "../message/enclosure.ts";
import { type ItemKind, type ThreadItem, threadItems } from "../state/thread/items.ts";
import { provenWork } from "../state/thread/proofs.ts";
import { type SessionThread, type ThreadState, threadIn } from "../state/thread/thread.ts";
import { threadFold } from "../state/thread/thread-fold.ts";
import { wholeLog } from "../state/work/whole-log.ts";
import { shortSession } from "./short-session.ts";
import { PLAIN, type TextStyle } from "./text-style.ts";

/** The JSON of `weft thread`, and of the inspector's page. */
export interface ThreadView {
	readonly session: string;
	readonly host: string;
	/** Number of requests of the user. */
	readonly requests: number;
	readonly sections: readonly ThreadViewSection[];
}

export interface ThreadViewSection {
	readonly name: SectionName;
	readonly title: string;
	readonly items: readonly ThreadViewItem[];
	/** How many more there are: `all` shows them. */
	readonly left: number;
}

/** An item of the thread. `id` is null for a proof, which can be neither pinned nor struck out. */
export interface ThreadViewItem extends Omit<ThreadItem, "id" | "kind"> {
	readonly id: string | null;
	readonly kind: ItemKind | "proof";
}

const TITLES = {
	asked: "Asked",
	holds: "Holds",
	plan: "Plan",
	done: "Done, with proof",
	open: "Open",
	next: "Next",
	findings: "Findings",
	"dead-ends": "Dead ends",
	earlier: "Earlier requests",
	replaced: "Replaced",
	struck: "Struck out",
} as const;

type SectionName = keyof typeof TITLES;

/** Sections that only `all` shows. */
const HIDDEN: ReadonlySet<SectionName> = new Set(["earlier", "replaced", "struck"]);
/** Without `all`: the newest of a section that may be long. */
const MAX_SHOWN: Readonly<Partial<Record<SectionName, number>>> = { done: 12, findings: 5, "dead-ends": 5 };

interface ThreadViewOptions {
	/** With earlier requests, replaced and struck items, and long sections whole. */
	readonly all?: boolean | undefined;
}

export function viewThread(engine: Engine, of: SessionRef, { all = false }: ThreadViewOptions = {}): ThreadView {
	const { session, host } = of;
	const thread = threadOf(engine, of);
	if (!thread) return { session, host, requests: 0, sections: [] };
	const items = itemsOf(engine, thread, of);
	const bySection = Map.groupBy<SectionName, ThreadViewItem>(items, (item) => sectionOf(item, items));
	bySection.set("done", provenWork(thread).map(asItem));
	const sections = (Object.keys(TITLES) as SectionName[])
		.filter((name) => all || !HIDDEN.has(name))
		.map((name): ThreadViewSection => {
			const own = bySection.get(name) ?? [];
			const shown = all ? own : mostTelling(own, MAX_SHOWN[name] ?? own.length);
			return { name, title: TITLES[name], items: shown, left: own.length - shown.length };
		})
		.filter((section) => section.items.length > 0);
	return { session, host, requests: thread.orderCount, sections };
}

function threadOf(engine: Engine, session: SessionRef): SessionThread | undefined {
	return threadIn(threadStateOf(engine, session), session.session);
}

/** The state keeps the newest sessions; the thread of an older one, of which it may know only a mark, is folded from its events. */
export function threadStateOf(engine: Engine, { session, host }: SessionRef): ThreadState {
	const known = engine.stateFor({ session, host }).state.thread;
	if ((threadIn(known, session)?.orderCount ?? 0) > 0) return known;
	const state = threadFold.initial();
	for (const record of wholeLog(engine.log).read({ session })) threadFold.step(state, record);
	return state;
}

function itemsOf(engine: Engine, thread: SessionThread, of: SessionRef): ThreadItem[] {
	return threadItems(thread, of.session, engine.stateFor(of).state.decisions);
}

function sectionOf({ kind, state, isPinned, handle }: ThreadViewItem, all: readonly ThreadItem[]): SectionName {
	if (state === "struck") return "struck";
	if (state === "replaced" || state === "dropped") return "replaced";
	switch (kind) {
		case "task":
			return "asked";
		case "order": {
			if (handle === all.find((item) => item.kind === "task")?.handle) return isPinned ? "holds" : "earlier";
			if (handle === all.findLast((item) => item.kind === "order")?.handle) return "asked";
			return isPinned ? "holds" : "earlier";
		}
		case "plan":
		case "open":
		case "next":
			return kind;
		case "finding":
		case "note":
			return "findings";
		case "dead-end":
			return "dead-ends";
		default:
			return "holds";
	}
}

function asItem({ seq, handle, text }: ReturnType<typeof provenWork>[number]): ThreadViewItem {
	return { id: null, kind: "proof", text, handle, seq, by: "tool", state: "done", isPinned: false };
}

/** Pinned items first, then open ones, then the newest; in their own order. */
function mostTelling(items: readonly ThreadViewItem[], most: number): readonly ThreadViewItem[] {
	if (items.length <= most) return items;
	const weight = ({ isPinned, state }: ThreadViewItem) =>
		(isPinned ? 2 : 0) + (state === "open" || state === "doing" ? 1 : 0);
	const ranked = items.toSorted((one, other) => weight(other) - weight(one) || other.seq - one.seq);
	const kept = new Set(ranked.slice(0, most));
	return items.filter((item) => kept.has(item));
}

interface RenderThreadOptions {
	/** The most characters of an item; by default some sentences. */
	readonly chars?: number | undefined;
	/** The last line. */
	readonly footer?: string | undefined;
	/** How to see what a section leaves out. */
	readonly more?: string | undefined;
}

const ITEM_CHARS = 480;
const ASKED_CHARS = 2_400;
const PROOF_CHARS = 110;

export function renderThreadView(view: ThreadView, style: TextStyle, options: RenderThreadOptions = {}): string[] {
	const { chars = ITEM_CHARS, footer, more = "--all" } = options;
	const name = `${shortSession(view.session)} (${view.host})`;
	if (view.sections.length === 0) return [`Session ${name} has no thread yet: nothing was asked in it.`];
	return [
		style.paint("bold", `Thread of session ${name}, ${plural(view.requests, "request")}`),
		...view.sections.flatMap(({ name, title, items, left }) => [
			"",
			style.paint("bold", title),
			...items.flatMap((item) => renderItem(item, style, name === "asked" ? askedChars(chars) : chars)),
			...(left > 0 ? [style.paint("dim", `  ${left} more: ${more}`)] : []),
		]),
		...(footer === undefined
			? []
			: ["", ...wrapWords(footer, style.columns, "").map((line) => style.paint("dim", line))]),
	];
}

/** The task and the newest request get more room than the others. */
function askedChars(chars: number): number {
	return chars >= ITEM_CHARS ? ASKED_CHARS : chars * 3;
}

function renderItem(item: ThreadViewItem, style: TextStyle, chars: number): string[] {
	const { id, text, handle, detail, state } = item;
	const isOpen = state === "open" || state === "doing";
	const words = cutWithEllipsis(wordsInLine(detail !== undefined && isOpen ? `${text}: ${detail}` : text), chars);
	const line = `${boxOf(item)}${id ?? "-"} ${marksOf(item)}${words}${proofOf(item)} [${handle}]`;
	const [first = "", ...rest] = wrapWords(`  ${line}`, style.columns, "  ");
	// Painted after the wrapping, which counts the columns.
	return [id === null ? first : first.replace(id, () => style.paint("dim", id)), ...rest];
}

const BOXES: Readonly<Record<string, string>> = { open: "[ ] ", doing: "[~] ", done: "[x] ", dropped: "[-] " };

function boxOf({ kind, state }: ThreadViewItem): string {
	return kind === "plan" ? (BOXES[state] ?? "") : "";
}

function marksOf({ isPinned, state, replacedBy, foundBy, closedBy, kind, by }: ThreadViewItem): string {
	const marks = [
		...(isPinned ? ["pinned"] : []),
		...(state === "struck" ? ["struck out"] : []),
		...(foundBy === undefined
			? []
			: [kind === "note" ? `note at a seal by ${foundBy}` : by === "user" ? `found by ${foundBy}` : `by ${foundBy}`]),
		...(state === "replaced" && replacedBy !== undefined ? [`replaced in ${replacedBy}`] : []),
		...(closedBy === undefined ? [] : [`closed by ${closedBy}`]),
	];
	return marks.length === 0 ? "" : `(${marks.join(", ")}) `;
}

function proofOf({ kind, state, proof }: ThreadViewItem): string {
	if (kind !== "plan" || state !== "done") return "";
	return proof ? ` — ${cutWithEllipsis(wordsInLine(proof.text), PROOF_CHARS)}` : " (not proved)";
}

/** Items of a section, and characters of an item: every item gets a short line before any gets a long one. */
const MOST_ITEMS = [Number.POSITIVE_INFINITY, 24, 12, 6, 3] as const;
const LINE_CHARS = [ITEM_CHARS, 240, 120, 80] as const;

interface BoundedThreadOptions extends Omit<RenderThreadOptions, "chars"> {
	readonly maxTokens: number;
}

/** The view within a number of tokens, for a model. */
export function renderBoundedThread(view: ThreadView, { maxTokens, ...options }: BoundedThreadOptions): string {
	const bytes = bytesOfTokens(maxTokens);
	let text = "";
	for (const most of MOST_ITEMS) {
		const capped = withAtMost(view, most);
		for (const chars of LINE_CHARS) {
			text = renderThreadView(capped, PLAIN, { ...options, chars }).join("\n");
			if (Buffer.byteLength(text) <= bytes) return text;
		}
	}
	return cutToBytes(text, bytes);
}

function withAtMost(view: ThreadView, most: number): ThreadView {
	const sections = view.sections.map((section) => {
		const items = mostTelling(section.items, most);
		return { ...section, items, left: section.left + section.items.length - items.length };
	});
	return { ...view, sections };
}

export type ThreadMarkWord = "pin" | "strike" | "clear";

export interface MarkedItem {
	readonly id: string;
	readonly mark: ThreadMarkWord;
	readonly session: string;
	readonly text: string;
}

/** Records the user's mark on an item. `given`: its id, or the beginning of it. */
export function markThread(
	engine: Engine,
	of: SessionRef,
	given: string,
	mark: ThreadMarkWord,
	now: number,
): MarkedItem {
	const { session, host } = of;
	const thread = threadOf(engine, of);
	const items = thread ? itemsOf(engine, thread, of) : [];
	// The mark of an item that is no longer listed can still be taken away.
	const gone = mark === "clear" ? Object.keys(thread?.marks ?? {}) : [];
	const id = itemNamed([...new Set([...items.map((item) => item.id), ...gone])], given, () =>
		elsewhere(engine, of, given),
	);
	engine.record([{ type: "ThreadMark", session, host, ts: now, payload: { item: id, mark, by: "user" } }]);
	return { id, mark, session, text: items.find((item) => item.id === id)?.text ?? "" };
}

const MAX_NAMED = 5;

function itemNamed(ids: readonly string[], given: string, elsewhere: () => string | undefined): string {
	const name = given.trim().toLowerCase();
	if (ids.includes(name)) return name;
	const [only, ...others] = name === "" ? [] : ids.filter((id) => id.startsWith(name));
	if (only !== undefined && others.length === 0) return only;
	if (only !== undefined) {
		const some = [only, ...others].slice(0, MAX_NAMED).join(", ");
		throw new EngineError(
			"usage",
			`More than one item begins with '${name}': ${some}${others.length >= MAX_NAMED ? ", …" : ""}.`,
		);
	}
	const other = elsewhere();
	const near = closestFew(name, ids, MAX_NAMED);
	const hint = other ?? (near.length > 0 ? `The nearest are ${near.join(", ")}.` : "The session has no items yet.");
	throw new EngineError("not-found", `There is no item '${given.slice(0, 40)}' in this session's thread. ${hint}`);
}

/** An item of another session of the project, with the way to mark it there. */
function elsewhere(engine: Engine, of: SessionRef, given: string): string | undefined {
	const { thread, decisions } = engine.state().state;
	for (const [session, other] of newestFirst(thread.sessions)) {
		if (session === of.session) continue;
		if (threadItems(other, session, decisions).some(({ id }) => id === given))
			return `Session ${shortSession(session)} has it: name that session.`;
	}
	return undefined;
}

export function renderMarked({ id, mark, text }: MarkedItem, style: TextStyle): string[] {
	const did = { pin: "Pinned", strike: "Struck out", clear: "Cleared" }[mark];
	const after = {
		pin: "It stays in every context.",
		strike: "No context shows it again.",
		clear: "The log decides again.",
	}[mark];
	const words = cutWithEllipsis(wordsInLine(text), ITEM_CHARS);
	return [...wrapWords(`${did} ${id}${words === "" ? "" : `: ${words}`}`, style.columns), after];
}
