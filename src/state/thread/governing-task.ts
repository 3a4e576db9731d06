/** Which request governs the work, and which ones did before it: a side question or a short order within a task replaces none. */
import { isRequest } from "../session/intent.ts";
import { isQuestion, setsRule } from "./cues.ts";
import { asksForWork } from "./requested-work.ts";
import { sentencesOf } from "./sentences.ts";
import type { Proof, SessionThread, ThreadOrder } from "./thread.ts";
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
/** A longer text describes a task, though it ends with a question. */
const MAX_QUESTION_CHARS = 320;
/** Requests after a task that count as steps within it. */
const MAX_WITHIN_TASK = 8;
/** Words around a paste that is so many times as long. */
const [MAX_REPORT_CHARS, PASTE_FACTOR] = [100, 3];
/** Of the work that was done for the task so far: less is a step within it. */
const SHARE_OF_TASK = 0.4;
const DELIVERIES: ReadonlySet<Proof["kind"]> = new Set(["commit", "push", "pull-request"]);
/** Says what the user wants done, without an order's form. */
const WISH =
	/(?<!\p{L})(?:i(?:'d| would)? (?:want|like|need)|we(?:'d| would)? (?:want|like|need)|let's|lets|ich (?:möchte|will|brauche)|wir (?:möchten|wollen|brauchen)|lass uns|quiero|queremos|necesito|necesitamos|je veux|j'aimerais|хочу)(?!\p{L})|たい|ほしい|欲しい|(?:我|我们)(?:想|要|需要)|싶|필요/iu;

export function isGreeting(text: string): boolean {
	return GREETING.test(text.trim());
}

/** The first request of the session that is no greeting. */
export function firstRequest({ orders }: SessionThread): ThreadOrder | undefined {
	return orders.find(({ text }) => !isGreeting(text)) ?? orders[0];
}

/** An issue, a pull request or a document that says what is wanted: a few words with it describe a task. */
const DESCRIPTION =
	/https?:\/\/\S+\/(?:issues|pull|pulls|merge_requests|pull-requests|browse|tickets?)\/[\w-]*\d|(?:^|\s)@[\w./-]+\.(?:md|mdx|txt|adoc|rst)\b/i;

/** A request, with the work that was done until the next one. */
interface RequestedWork {
	readonly order: ThreadOrder;
	work: number;
	/** Of it, files changed and results proved: more than talk. */
	acts: number;
	/** What was said for the short requests after it that changed nothing either. */
	talk: number;
	readonly files: Set<string>;
	isCommitted: boolean;
	/** A branch was made for it. */
	hasBranch: boolean;
}

/** The task, and the tasks that the session had before it, the oldest first. */
export interface TaskLevels {
	readonly task: ThreadOrder | undefined;
	/** Its words alone say what is wanted: they are long, or name an issue or a document. */
	readonly isDescribed: boolean;
	/** Nothing was changed or proved for it, nor for the replies that agree to it. */
	readonly isTalk: boolean;
	readonly before: readonly ThreadOrder[];
}

export function governingTask(thread: Pick<SessionThread, "orders">): ThreadOrder | undefined {
	return taskLevels(thread).task;
}

export function taskLevels({ orders }: Pick<SessionThread, "orders">): TaskLevels {
	const { task, acts, begun } = tasksIn(orders);
	const first = orders.find(
		({ text }) => ownChars(text) >= MIN_TASK_CHARS && asksForSomething(text) && !isSideQuestion(text),
	);
	const earlier = new Set([...(first ? [first] : []), ...begun]);
	const at = task ? orders.indexOf(task) : -1;
	return {
		task,
		isDescribed: task !== undefined && (ownChars(task.text) >= TASK_CHARS || isReferred(task.text)),
		isTalk: acts === 0,
		before: [...earlier].filter((order) => orders.indexOf(order) < at),
	};
}

/** `begun`: the requests that governed the work one after the other. */
function tasksIn(orders: SessionThread["orders"]): {
	readonly task: ThreadOrder | undefined;
	readonly acts: number;
	readonly begun: readonly ThreadOrder[];
} {
	const begun: ThreadOrder[] = [];
	const requests: RequestedWork[] = [];
	let current: RequestedWork | undefined;
	for (const [at, order] of orders.entries()) {
		const { text, via } = order;
		const isOwn =
			(via === "message" || via === "parent") && (isRequest(text) || COMMAND.test(text.trim())) && !isGreeting(text);
		// An answer to the agent's question, a refusal, words typed while it worked and a "go on" belong to a request before.
		if (isOwn && !isReply(text, orders[at - 1]) && !isTooShort(text, orders[at - 1]))
			requests.push({ order, work: 0, acts: 0, talk: 0, files: new Set(), isCommitted: false, hasBranch: false });
		// A commit or a pull request delivers work that is counted already.
		const results = order.proofs.filter(({ kind }) => !DELIVERIES.has(kind));
		const acts = order.changed.length * 3 + results.length * 2;
		const isNew = order === requests.at(-1)?.order;
		// "Continue" goes on with whatever was worked on last.
		const isGoingOn = CONTINUE.test(text.trim()) && current !== undefined;
		const request = isNew ? requests.at(-1) : isGoingOn ? current : agreedOn(requests, order);
		if (!request) continue;
		if (acts > 0) current = request;
		request.acts += acts;
		request.work += acts + order.statements.length;
		for (const file of order.changed) request.files.add(file);
		request.hasBranch ||= order.hasBranch;
		request.isCommitted ||= order.proofs.some(({ kind }) => kind !== "tests" && kind !== "issue");
	}
	noteTalk(requests);
	const requestsBetween = requestCounter(orders);
	let task: RequestedWork | undefined;
	let since = 0;
	for (const request of requests) {
		since = task ? requestsBetween(task.order, request.order) : 0;
		// A task that so many requests came after is over, though no commit says so.
		const before = task && since > MAX_WITHIN_TASK ? { ...task, isCommitted: true, files: new Set<string>() } : task;
		if (beginsTask(request, before)) {
			task = { ...request, files: new Set(request.files) };
			begun.push(request.order);
		} else if (task) {
			task.isCommitted ||= request.isCommitted;
			// Work on other files is not about the task.
			const isAbout = task.files.size === 0 || [...request.files].some((file) => task?.files.has(file));
			for (const file of isAbout ? request.files : []) task.files.add(file);
			if (before && isCarriedOut(request, before)) {
				task.acts += request.acts;
				task.work += request.work;
			}
		}
	}
	const last = requests.at(-1);
	// Another agent asks for nothing else than the task.
	const given = requests.findLast(({ order }) => order.via === "parent" && ownChars(order.text) >= MIN_TASK_CHARS);
	if (given) return { task: given.order, acts: given.acts, begun };
	// After so many requests that left its files alone, the newest one that asks for something says what the work is.
	if (task && last && requestsBetween(task.order, last.order) > MAX_WITHIN_TASK) {
		const { files } = task;
		const later = requests.slice(-MAX_WITHIN_TASK);
		if (!later.some((each) => [...each.files].some((file) => files.has(file)))) {
			const newest = later.findLast(
				({ order }) => ownChars(order.text) >= MIN_TASK_CHARS && asksForSomething(order.text),
			);
			if (newest) return { task: newest.order, acts: newest.acts, begun };
		}
	}
	const long = requests.filter(({ order }) => ownChars(order.text) >= MIN_TASK_CHARS);
	// Who begins with rules has the task after them.
	const first = long.find(({ order }) => !isOnlyRules(order.text)) ?? long[0] ?? requests[0];
	// Where no request is long enough to describe a task, the one that most was done for is it.
	const worked = requests.findLast(({ work, acts }) => work >= MIN_WORK && acts > 0);
	const chosen = task ?? worked ?? first;
	return { task: chosen?.order ?? orders[0], acts: chosen?.acts ?? 0, begun };
}

/** Says yes, no or but to what came before, in the words that open it. */
const REPLY =
	/^(?:yes|yeah|yep|yup|no|nope|nah|but|and|or|wait|actually|hm+|uh|oh|ah|sure|exactly|agreed|correct|right|sounds good|do (?:this|that|it|both|all)|go for it|go ahead|continue|proceed|go on|keep going|try again|weiter|sigue|let's do (?:this|that|it)|ja|nein|doch|aber|und|sí|si|pero|oui|non|mais|はい|続けて|いいえ|いや|うん|でも|じゃあ|继续|是的?|不是?|对|但是?|好|계속(?:진행|해)?|네|응|아니|그런데|근데)(?!\p{L})/iu;
/** After an opening word like this the work has a name of its own only in a longer text. */
const OPENING = /^(?:(?:ok(?:ay)?|alright|cool|great|nice|good|perfect|thanks?)[\s,.!-]+)+/iu;
/** Numbers of options, or a sentence that names nothing: "1+2", "fix it", "let's implement this". */
const NAMES_NOTHING =
	/^(?:[\d\s,+&.#a-e)-]+|(?:please |now |then |let's |lets |can you )*(?:\p{L}+ ){1,2}(?:it|this|that|them|both|all)(?: (?:now|please|then|first))?[.!]*)$/iu;
/** Answers to the agent's points are no description of work, though they are long. */
const MAX_POINTS_CHARS = 900;
/** The agent asked, and this much is an answer. */
const MAX_ANSWER_CHARS = 60;

/** True: the words depend on what the agent or the user said before them. */
export function isReply(text: string, before: ThreadOrder | undefined): boolean {
	const words = text.trim().replace(OPENING, "");
	if (!before) return false;
	if (answersPoints(words, before)) return true;
	if (ownChars(text) >= TASK_CHARS) return false;
	if (REPLY.test(words) || NAMES_NOTHING.test(words)) return true;
	return ownChars(text) <= MAX_ANSWER_CHARS && !asksForWork(words) && endsWithQuestion(before.outcome?.text ?? "");
}

/** `1. full 2. yes 3. not yet`: each number is one of the agent's own list. */
function answersPoints(words: string, { outcome }: ThreadOrder): boolean {
	const numbers = [...words.matchAll(/(?:^|\s)(\d{1,2})[.):](?=\s)/g)].map(([, number]) => number);
	if (numbers.length < 2 || !/^\d/.test(words) || ownLines(words).join(" ").length > MAX_POINTS_CHARS) return false;
	const listed = new Set(
		[...(outcome?.text ?? "").matchAll(/^\s*(?:[-*#]+ )?(?:\*\*)?(\d{1,2})[.):]/gm)].map(([, number]) => number),
	);
	return numbers.every((number) => listed.has(number));
}

/** So few words describe no task once the agent has spoken: they go on with what was asked before. */
function isTooShort(text: string, before: ThreadOrder | undefined): boolean {
	return before?.outcome != null && ownChars(text) < MIN_TASK_CHARS && !COMMAND.test(text.trim());
}

/** Counts the requests after one up to another: reports and replies too, without "go on". */
function requestCounter(orders: readonly ThreadOrder[]): (from: ThreadOrder, to: ThreadOrder) => number {
	const before = new Map<ThreadOrder, number>();
	let count = 0;
	for (const order of orders) {
		if ((order.via === "message" || order.via === "parent") && isRequest(order.text)) count++;
		before.set(order, count);
	}
	return (from, to) => (before.get(to) ?? 0) - (before.get(from) ?? 0);
}

const CONTINUE =
	/^(?:(?:ok(?:ay)?|yes|please)[,.! ]+)*(?:continue|go on|keep going|carry on|resume|weiter(?:machen)?|mach weiter|sigue|continúa|続けて|계속(?:해|진행)?|继续)[.! ]*$/iu;

function endsWithQuestion(text: string): boolean {
	return QUESTION.test(text.trimEnd().replace(/["'*_)\]]+$/, ""));
}

/**
 * What a reply agrees to: the newest request that describes work, of those that were only talked about. Else the one whose files
 * it changes; else the newest. One that was carried out already was a step of the work before it on the same files.
 */
function agreedOn(requests: readonly RequestedWork[], { changed }: ThreadOrder): RequestedWork | undefined {
	const newest = requests.at(-1);
	if (newest && newest.acts === 0 && proposesWork(newest.order.text)) return newest;
	const from = requests.findLastIndex(({ acts }) => acts > 0) + 1;
	const discussed = requests
		.slice(from)
		.findLast(({ order: { text } }) => (ownChars(text) >= TASK_CHARS || isReferred(text)) && asksForSomething(text));
	if (discussed) return discussed;
	let at = requests.findLastIndex(({ files }) => changed.some((file) => files.has(file)));
	if (at === -1) at = requests.length - 1;
	for (let earlier = at - 1; earlier >= 0; earlier--) {
		const [step, before] = [requests[at], requests[earlier]];
		if (!step || !before || before.isCommitted) break;
		if ([...step.files].some((file) => before.files.has(file))) at = earlier;
	}
	return requests[at];
}

/** "Can we cache it?": a question that is an offer of work, and a yes to it has it done. */
const PROPOSAL =
	/(?<!\p{L})(?:(?:can|could|should|shall|may|might|would it (?:help|make sense)|why (?:not|don't)|what (?:if|about)|how about) (?:we|you|i)(?!\p{L})|(?:können|könnten|sollen|sollten|wollen) wir|was wäre,? wenn|podemos|podríamos|deberíamos|et si|peut-on|pourrait-on|(?:можем|давай))|(?:しましょうか|したほうが|できます?か|できない)|(?:能不能|可不可以|要不要|是不是可以|可以.{0,20}吗)|(?:할까요?|하면 어때|할 수 있)/iu;

function proposesWork(text: string): boolean {
	return (
		ownChars(text) >= MIN_TASK_CHARS &&
		sentencesOf(ownLines(text).join("\n")).some((each) => isQuestion(each) && PROPOSAL.test(each))
	);
}

/** Talk about a request goes on in short ones until the next that describes something, or that something is done for. */
function noteTalk(requests: readonly RequestedWork[]): void {
	let described: RequestedWork | undefined;
	for (const request of requests) {
		const { text } = request.order;
		if (request.acts > 0) described = undefined;
		else if (ownChars(text) >= TASK_CHARS && asksForSomething(text)) described = request;
		else if (described) described.talk += request.work;
	}
}

function isReferred(text: string): boolean {
	return DESCRIPTION.test(ownLines(text).join("\n"));
}

/** A sentence of it asks for work or an answer; other texts, however long, are remarks on the work in hand. */
export function asksForSomething(text: string): boolean {
	return (
		COMMAND.test(text.trim()) ||
		sentencesOf(ownLines(text).join("\n")).some(
			(sentence) => asksForWork(sentence) || isQuestion(sentence) || WISH.test(sentence),
		)
	);
}

function isOnlyRules(text: string): boolean {
	return !asksForSomething(text) && sentencesOf(ownLines(text).join("\n")).some(setsRule);
}

/** Characters that the user typed, without terminals and quotations. */
function ownChars(text: string): number {
	return typedChars(ownLines(text).join("\n"));
}

function beginsTask(request: RequestedWork, task: RequestedWork | undefined): boolean {
	const { acts, files, hasBranch } = request;
	const { text } = request.order;
	const chars = ownChars(text);
	if (chars < MIN_TASK_CHARS || (task && isDelivery(text))) return false;
	// A few words on top of a paste report on the work in hand.
	if (task && !hasBranch && isReport(text)) return false;
	const isAsked = isSideQuestion(text);
	// A remark that nothing was changed for is about the work in hand.
	if (task && acts === 0 && !isReferred(text) && !asksForSomething(text)) return false;
	// What was only answered is a side question, however long the answer is.
	if (isAsked && acts === 0 && (task?.acts ?? 0) > 0) return false;
	const hasDescription = isReferred(text) && !isAsked;
	const isDescribed = (chars >= TASK_CHARS || COMMAND.test(text.trim()) || hasDescription) && !isAsked;
	const work = request.work + (isDescribed && acts === 0 ? request.talk : 0);
	// Nothing changed, and work was delivered: that of the task.
	if (task && acts === 0 && request.isCommitted && !isDescribed && work < MIN_WORK) return false;
	if (hasBranch && work >= DESCRIBED_WORK) return true;
	const isOrder = hasDescription || (isDescribed && asksForSomething(text));
	if (task && !isOrder) {
		// Short words and remarks that only led to changes in the task's files belong to it.
		if (files.size > 0 && [...files].every((file) => task.files.has(file))) return false;
		if (isDescribed && acts === 0 && work < MIN_WORK && !task.isCommitted) return false;
		if (!isDescribed && isCarriedOut(request, task)) return false;
	}
	// Committed work is over: what is asked for next is a task of its own, once something is done for it.
	if (task?.isCommitted && isDescribed) return work >= DESCRIBED_WORK;
	if (task?.isCommitted) return work >= (acts > 0 && !isAsked ? NEXT_WORK : MIN_WORK);
	// So does an order that is carried out in other files end a task.
	if (task && isOrder && files.size > 0 && ![...files].some((file) => task.files.has(file)))
		return work >= DESCRIBED_WORK;
	if (work < (isDescribed ? DESCRIBED_WORK : MIN_WORK)) return false;
	// A few words after a whole description, before its work is delivered, add to it.
	const isStep = task !== undefined && !isDescribed && ownChars(task.order.text) >= TASK_CHARS;
	// What was pasted with a few words was a fault to look into: the first real order takes its place.
	const share = task && isReport(task.order.text) ? 0 : isStep ? 1 : SHARE_OF_TASK;
	return work >= share * (task?.work ?? 0);
}

function isReport(text: string): boolean {
	const chars = ownChars(text);
	return chars < MAX_REPORT_CHARS && text.length > chars * PASTE_FACTOR;
}

/** Asks first of all to commit, push or publish what is there. */
export function isDelivery(text: string): boolean {
	const [first = ""] = ownLines(text).join("\n").trim().split(DELIVERY_END);
	return typedChars(first) <= MAX_DELIVERY_CHARS && ownChars(text) < TASK_CHARS && DELIVERY.test(first);
}

const MAX_DELIVERY_CHARS = 60;

const DELIVERY_END = /[.,;:!?、，；。\n]|\s(?:and|then|und|y|et)\s/iu;
const DELIVERY =
	/(?<!\p{L})(?:commit|push|rebase|squash|publish|(?:open|create|make|raise|submit) (?:a |the )?(?:draft )?(?:pr|pull request|merge request)|committe|pushe|haz (?:un )?commit|publica)(?!\p{L})|コミット|プッシュ|リリース|提交|推送|发布|커밋|푸시|배포/iu;

/** A short request after a task that was only talked about has it carried out. */
function isCarriedOut({ order: { text }, hasBranch }: RequestedWork, task: RequestedWork): boolean {
	return (
		!hasBranch &&
		!task.isCommitted &&
		task.acts === 0 &&
		!isSideQuestion(task.order.text) &&
		ownChars(text) < TASK_CHARS &&
		!COMMAND.test(text.trim())
	);
}

/** A question that asks for no work; one with a long paste too. */
function isSideQuestion(text: string): boolean {
	const [opening = ""] = sentencesOf(text);
	return (QUESTION.test(text) && ownChars(text) < MAX_QUESTION_CHARS) || (isQuestion(opening) && !asksForWork(opening));
}
