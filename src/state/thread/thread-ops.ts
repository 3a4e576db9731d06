/**
 * A model's operations on the thread: read from its answer and checked before anything is recorded. A model points to what was said; it
 * does not invent. Each operation names the message that says so, and the words must be in that message. The user's items are not a
 * model's to change: a rule or a correction that it adds is a quotation of the user.
 */
import { asObject, asText } from "../../base/json/read.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import { itemId, type ThreadItem } from "./items.ts";
import { sharedCount, termsOf } from "./terms.ts";
import { MAX_WRITTEN_CHARS } from "./thread-ops-fold.ts";

/** As the event holds it. */
export interface ThreadOp {
	readonly op: "add" | "supersede" | "close";
	readonly kind?: string;
	readonly text?: string;
	readonly item?: string;
	readonly source: string;
}

/** A message that the model was shown. */
export interface ShownMessage {
	readonly role: "user" | "assistant";
	readonly text: string;
}

export interface CheckedOps {
	readonly ops: readonly ThreadOp[];
	readonly refused: readonly { readonly op: string; readonly why: string }[];
}

export interface OpsCheck {
	/** As they are now: the user may have spoken since the model was asked. */
	readonly items: readonly ThreadItem[];
	/** seq of the newest event when the model was asked. */
	readonly askedAt: number;
	readonly said: ReadonlyMap<string, ShownMessage>;
	/** Whether the user's words have replaced a text. */
	readonly isReplaced: (text: string) => boolean;
}

const MAX_OPS = 12;
const MIN_CHARS = 12;
const REFUSED_CHARS = 160;
/** Of the words that say what a text is about: how many of them its source has. */
const MIN_SUPPORTED_SHARE = 0.5;
/** The kinds that quote the user, and those that a model may say in its own words. */
const QUOTED: ReadonlySet<string> = new Set(["rule", "correction"]);
const WRITTEN: ReadonlySet<string> = new Set(["decision", "open", "finding", "dead-end"]);

/** `given`: whatever a model answered. */
export function checkThreadOps(given: unknown, check: OpsCheck): CheckedOps {
	const ops: ThreadOp[] = [];
	const refused: { op: string; why: string }[] = [];
	const list = Array.isArray(given) ? given : given === undefined || given === null ? [] : [given];
	for (const [at, each] of list.entries()) {
		if (at >= MAX_OPS) {
			refused.push({ op: `${list.length - MAX_OPS} more`, why: `an answer has at most ${MAX_OPS} operations` });
			break;
		}
		const checked = checkOp(each, check, ops);
		if (typeof checked === "string")
			refused.push({ op: cutWithEllipsis(JSON.stringify(each) ?? "", REFUSED_CHARS).toWellFormed(), why: checked });
		else ops.push(checked);
	}
	return { ops, refused };
}

/** The operation, or why it is refused. */
function checkOp(given: unknown, check: OpsCheck, before: readonly ThreadOp[]): ThreadOp | string {
	const fields = asObject(given);
	const op = asText(fields?.["op"]);
	if (!fields || (op !== "add" && op !== "supersede" && op !== "close")) return "op is add, supersede or close";
	const source = asText(fields["source"]) ?? "";
	const said = check.said.get(source);
	if (!said) return "its source is no message that the model was shown";
	const target = op === "add" ? undefined : check.items.find(({ id }) => id === asText(fields["item"]));
	if (op !== "add") {
		const why = whyUntouchable(target, check);
		if (why !== undefined) return why;
	}
	if (op === "close") {
		if (!target || sharedCount(termsOf(target.text), termsOf(said.text)) === 0)
			return "its source says nothing about it";
		return { op, item: target.id, source };
	}
	const kind = target?.kind === "plan" ? "open" : (target?.kind ?? asText(fields["kind"]) ?? "");
	const text = wordsInLine(asText(fields["text"]) ?? "").trim();
	const why = whyUnsupported(kind, text, said, check);
	if (why !== undefined) return why;
	const id = itemId({ kind: kind as ThreadItem["kind"], handle: source, text });
	const isKnown = check.items.some((item) => item.id === id) || before.some((each) => each.text === text);
	if (isKnown) return "the thread has it already";
	return { op, kind, text, ...(target && { item: target.id }), source };
}

function whyUntouchable(target: ThreadItem | undefined, { askedAt }: OpsCheck): string | undefined {
	if (!target) return "there is no such item";
	if (target.by === "user" || target.foundBy !== undefined || target.isPinned) return "the item is the user's";
	if (target.kind === "task" || target.kind === "order") return "requests stay as they are";
	if (target.state === "struck" || target.state === "replaced") return "it is over already";
	if (target.seq > askedAt) return "it has changed since the model was asked";
	return undefined;
}

function whyUnsupported(kind: string, text: string, said: ShownMessage, { isReplaced }: OpsCheck): string | undefined {
	const quotes = QUOTED.has(kind);
	if (!quotes && !WRITTEN.has(kind)) return "kind is rule, correction, decision, open, finding or dead-end";
	if (text.length < MIN_CHARS || text.length > MAX_WRITTEN_CHARS)
		return `its text has ${MIN_CHARS} to ${MAX_WRITTEN_CHARS} characters`;
	if (quotes && said.role !== "user") return `a ${kind} quotes the user`;
	if (quotes && !squeezed(said.text).includes(squeezed(text))) return "it is not word for word in its source";
	if (!quotes && !isSupported(text, said.text)) return "its source does not say so";
	if (isReplaced(text)) return "the user has said otherwise";
	return undefined;
}

/** Numbers, paths and identifiers must be in the source as they are, and most other words in some form. */
function isSupported(text: string, source: string): boolean {
	const lower = source.toLowerCase();
	const names = text.split(/[\s"'`(),;!?]+/).map((word) => word.replace(/[.:…*]+$/, "").toLowerCase());
	if (names.some((name) => /[\d/_]|\w\.\w/.test(name) && !lower.includes(name))) return false;
	const terms = termsOf(text);
	return terms.size > 0 && sharedCount(terms, termsOf(source)) >= terms.size * MIN_SUPPORTED_SHARE;
}

function squeezed(text: string): string {
	return text
		.replace(/[\s*_`"“”'’]+/gu, " ")
		.trim()
		.toLowerCase();
}

const MAX_LISTED = 60;
const LISTED_CHARS = 200;
const LISTED_KINDS: ReadonlySet<string> = new Set([
	"rule",
	"correction",
	"decision",
	"plan",
	"open",
	"finding",
	"dead-end",
]);

/** The items as a model reads them, each with its id; the user's have none, because they are not its to change. */
export function listItems(items: readonly ThreadItem[]): string {
	const live = items.filter(({ kind, state }) => LISTED_KINDS.has(kind) && state !== "struck" && state !== "replaced");
	return live
		.slice(-MAX_LISTED)
		.map((item) => {
			const isUsers = item.by === "user" || item.isPinned;
			const state = item.kind === "plan" ? ` (${item.state})` : "";
			return `[${isUsers ? "the user's" : item.id}] ${item.kind}${state}: ${cutWithEllipsis(wordsInLine(item.text), LISTED_CHARS)}`;
		})
		.join("\n");
}

/** What a model is asked for. The answer's key is `thread`. */
export const THREAD_OPS_REQUEST = `- "thread": at most ${MAX_OPS} operations on the thread, which lists what holds and what is open. Only what its items miss or have wrong; an empty list is a good answer:
  {"op": "add", "kind": "rule|correction|decision|open|finding|dead-end", "text": "…", "source": "m-…"}
  {"op": "supersede", "item": "open-…", "text": "…", "source": "m-…"} and {"op": "close", "item": "open-…", "source": "m-…"}
  source is the handle of the message that says so. Write in the words and the language of that message, with its names and numbers. A rule or a correction quotes the user word for word. Leave the user's items alone.`;
