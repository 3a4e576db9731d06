/** Which request governs the work: a side question or a short order within a task does not replace it. */
import { isRequest } from "../session/intent.ts";
import { isQuestion } from "./cues.ts";
import { asksForWork } from "./requested-work.ts";
import { sentencesOf } from "./sentences.ts";
import type { SessionThread, ThreadOrder } from "./thread.ts";
import { ownLines, typedChars } from "./user-prose.ts";

const GREETING =
	/^(?:(?:hello|hi|hey|hallo|moin|good (?:morning|evening|afternoon)|guten (?:morgen|tag|abend)|bonjour|salut|hola|ol[aá]|ciao|there|again|everyone|こんにちは|おはよう|안녕(?:하세요)?|你好|您好)[\s,.!…！。]*)+$/iu;
const QUESTION = /[?？]\s*$/;
/** A slash command with words for it. */
const COMMAND = /^\/\S+\s+\S/;
/** A request this long describes a task of its own. */
const TASK_CHARS = 160;
const MIN_TASK_CHARS = 20;
/** Work from which on a request is a task: one that describes it, any other, and one after work that was committed. */
const [DESCRIBED_WORK, MIN_WORK, NEXT_WORK] = [3, 12, 5];
/** Of the work that was done for the task so far: less is a step within it. */
const SHARE_OF_TASK = 0.4;

export function isGreeting(text: string): boolean {
	return GREETING.test(text.trim());
}

/** The first request of the session that is no greeting. */
export function firstRequest({ orders }: SessionThread): ThreadOrder | undefined {
	return orders.find(({ text }) => !isGreeting(text)) ?? orders[0];
}

/** A request, with the work that was done until the next one. */
interface RequestedWork {
	readonly order: ThreadOrder;
	work: number;
	/** Of it, files changed and results proved: more than talk. */
	acts: number;
	isCommitted: boolean;
	/** A branch was made for it. */
	hasBranch: boolean;
}

export function governingTask({ orders }: Pick<SessionThread, "orders">): ThreadOrder | undefined {
	const requests: RequestedWork[] = [];
	for (const [at, order] of orders.entries()) {
		const { text, via } = order;
		const isOwn =
			(via === "message" || via === "parent") && (isRequest(text) || COMMAND.test(text.trim())) && !isGreeting(text);
		// An answer to the agent's question, a refusal, words typed while it worked and a "go on" belong to a request before.
		if (isOwn && !isReply(text, orders[at - 1]))
			requests.push({ order, work: 0, acts: 0, isCommitted: false, hasBranch: false });
		const acts = order.changed.length * 3 + order.proofs.length * 2;
		const request = order === requests.at(-1)?.order ? requests.at(-1) : agreedOn(requests);
		if (!request) continue;
		request.acts += acts;
		request.work += acts + order.statements.length;
		request.hasBranch ||= order.hasBranch;
		request.isCommitted ||= order.proofs.some(({ kind }) => kind !== "tests" && kind !== "issue");
	}
	let task: RequestedWork | undefined;
	for (const request of requests) {
		if (beginsTask(request, task)) task = { ...request };
		else if (task && request.isCommitted) task.isCommitted = true;
	}
	const first = requests.find(({ order }) => ownChars(order.text) >= MIN_TASK_CHARS) ?? requests[0];
	return (task ?? first)?.order ?? orders[0];
}

/** Says yes, no or but to what came before, in the words that open it. */
const REPLY =
	/^(?:yes|yeah|yep|yup|no|nope|nah|but|and|or|wait|actually|hm+|uh|oh|ah|sure|exactly|agreed|correct|right|sounds good|do (?:this|that|it|both|all)|go for it|continue|proceed|go on|keep going|try again|weiter|sigue|let's do (?:this|that|it)|ja|nein|doch|aber|und|sí|si|pero|oui|non|mais|はい|続けて|いいえ|いや|うん|でも|じゃあ|继续|是的?|不是?|对|但是?|好|계속(?:진행|해)?|네|응|아니|그런데|근데)(?!\p{L})/iu;
/** After an opening word like this the work has a name of its own only in a longer text. */
const OPENING = /^(?:(?:ok(?:ay)?|alright|cool|great|nice|good|perfect|thanks?)[\s,.!-]+)+/iu;
/** Numbers of options, or a sentence that names nothing: "1+2", "fix it", "let's implement this". */
const NAMES_NOTHING =
	/^(?:[\d\s,+&.#a-e)-]+|(?:please |now |then |let's |lets |can you )*(?:\p{L}+ ){1,2}(?:it|this|that|them|both|all)(?: (?:now|please|then|first))?[.!]*)$/iu;
/** The agent asked, and this much is an answer. */
const MAX_ANSWER_CHARS = 60;

/** True: the words depend on what the agent or the user said before them. */
export function isReply(text: string, before: ThreadOrder | undefined): boolean {
	const words = text.trim().replace(OPENING, "");
	if (!before || ownChars(text) >= TASK_CHARS) return false;
	if (REPLY.test(words) || NAMES_NOTHING.test(words)) return true;
	return ownChars(text) <= MAX_ANSWER_CHARS && !asksForWork(words) && endsWithQuestion(before.outcome?.text ?? "");
}

function endsWithQuestion(text: string): boolean {
	return QUESTION.test(text.trimEnd().replace(/["'*_)\]]+$/, ""));
}

/** What a reply agrees to: the newest request that describes work, of those that were only talked about; else the newest. */
function agreedOn(requests: readonly RequestedWork[]): RequestedWork | undefined {
	const from = requests.findLastIndex(({ acts }) => acts > 0) + 1;
	const discussed = requests.slice(from);
	return discussed.findLast(({ order }) => ownChars(order.text) >= TASK_CHARS) ?? requests.at(-1);
}

/** Characters that the user typed, without terminals and quotations. */
function ownChars(text: string): number {
	return typedChars(ownLines(text).join("\n"));
}

function beginsTask(
	{ order: { text }, work, acts, hasBranch }: RequestedWork,
	task: RequestedWork | undefined,
): boolean {
	const chars = ownChars(text);
	if (chars < MIN_TASK_CHARS) return false;
	const [opening = ""] = sentencesOf(text);
	// A question with a long paste is still one.
	const isAsked = QUESTION.test(text) || (isQuestion(opening) && !asksForWork(opening));
	const isDescribed = (chars >= TASK_CHARS || COMMAND.test(text.trim())) && !isAsked;
	if (hasBranch && work >= DESCRIBED_WORK) return true;
	// Committed work is over: what is asked for next is a task of its own, once something is done for it.
	if (task?.isCommitted) return isDescribed ? work >= DESCRIBED_WORK : work >= (acts > 0 ? NEXT_WORK : MIN_WORK);
	return work >= (isDescribed ? DESCRIBED_WORK : MIN_WORK) && work >= SHARE_OF_TASK * (task?.work ?? 0);
}
