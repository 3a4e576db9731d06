/** Which request governs the work: a side question or a short order within a task does not replace it. */
import { isRequest } from "../session/intent.ts";
import type { SessionThread, ThreadOrder } from "./thread.ts";
import { typedChars } from "./user-prose.ts";

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
	isCommitted: boolean;
}

export function governingTask({ orders }: SessionThread): ThreadOrder | undefined {
	const requests: RequestedWork[] = [];
	for (const order of orders) {
		const { text, via } = order;
		const isOwn = via === "message" && (isRequest(text) || COMMAND.test(text.trim())) && !isGreeting(text);
		// An answer to the agent's question, a refusal and a "go on" belong to the request before.
		if (isOwn) requests.push({ order, work: 0, isCommitted: false });
		const request = requests.at(-1);
		if (!request) continue;
		request.work += order.changed.length * 3 + order.statements.length + order.proofs.length * 2;
		request.isCommitted ||= order.proofs.some(({ kind }) => kind !== "tests" && kind !== "issue");
	}
	let task: RequestedWork | undefined;
	for (const request of requests) {
		if (beginsTask(request, task)) task = { ...request };
		else if (task && request.isCommitted) task.isCommitted = true;
	}
	const first = requests.find(({ order }) => typedChars(order.text) >= MIN_TASK_CHARS) ?? requests[0];
	return (task ?? first)?.order ?? orders[0];
}

function beginsTask({ order: { text }, work }: RequestedWork, task: RequestedWork | undefined): boolean {
	const chars = typedChars(text);
	if (chars < MIN_TASK_CHARS) return false;
	const isDescribed = chars >= TASK_CHARS && !QUESTION.test(text);
	// Committed work is over: what is asked for next is a task of its own.
	if (task?.isCommitted) return work >= (isDescribed ? DESCRIBED_WORK : NEXT_WORK);
	return work >= (isDescribed ? DESCRIBED_WORK : MIN_WORK) && work >= SHARE_OF_TASK * (task?.work ?? 0);
}
