/** Which request governs the work: a side question or a short order within a task does not replace it. */
import { isRequest } from "../session/intent.ts";
import type { SessionThread, ThreadOrder } from "./thread.ts";

const GREETING =
	/^(?:(?:hello|hi|hey|hallo|moin|good (?:morning|evening|afternoon)|guten (?:morgen|tag|abend)|bonjour|salut|hola|ol[aá]|ciao|there|again|everyone|こんにちは|おはよう|안녕(?:하세요)?|你好|您好)[\s,.!…！。]*)+$/iu;
const QUESTION = /[?？]\s*$/;
/** A request this long describes a task of its own. */
const TASK_CHARS = 160;
const MIN_TASK_CHARS = 24;

export function isGreeting(text: string): boolean {
	return GREETING.test(text.trim());
}

/** The first request of the session that is no greeting. */
export function firstRequest({ orders }: SessionThread): ThreadOrder | undefined {
	return orders.find(({ text }) => !isGreeting(text)) ?? orders[0];
}

export function governingTask({ orders }: SessionThread): ThreadOrder | undefined {
	const requests = orders.filter(({ text, via }) => via === "message" && isRequest(text) && !isGreeting(text));
	return requests.findLast(beginsTask) ?? requests[0] ?? orders[0];
}

/** A long request that is no question, and that files were changed or much was done for. */
function beginsTask({ text, changed, statements, proofs }: ThreadOrder): boolean {
	if (text.length < MIN_TASK_CHARS || (QUESTION.test(text) && changed.length === 0)) return false;
	const work = changed.length * 3 + statements.length + proofs.length * 2;
	return text.length >= TASK_CHARS ? work >= 3 : work >= 12;
}
