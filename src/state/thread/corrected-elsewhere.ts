/**
 * The thread of a session as the user's words in other sessions of its scope have corrected it. Two agents work in one project: what the
 * user corrects in one must not open the other's next epoch as true. Only corrections that name the old value count here, and only where
 * this session has said that value about the same.
 */
import { hasValue } from "./corrections.ts";
import { sentencesOf } from "./sentences.ts";
import { disproves, replaces } from "./supersession.ts";
import { sharedCount, termsOf } from "./terms.ts";
import { type Correction, type SessionThread, type ThreadState, threadIn } from "./thread.ts";

/** The value, and a word of what it is the value of. */
const MIN_SHARED = 2;
/** The newest ones: an older one has long been said here too. */
const MAX_CORRECTIONS = 200;

/** `state`: of the sessions that this one may read. */
export function correctedThread(state: ThreadState, session: string): SessionThread | undefined {
	const own = threadIn(state, session);
	const news = own ? newsFor(own, state, session) : [];
	if (!own || news.length === 0) return own;
	const remarks = own.remarks.map((remark) => {
		const later = news.find((each) => each.seq > remark.seq && isOver(remark.text, each));
		return later && remark.replacedBy === null ? { ...remark, replacedBy: later.handle } : remark;
	});
	const added = news.map(({ handle, seq, text }) => ({
		kind: "correction" as const,
		handle,
		seq,
		text,
		replacedBy: null,
	}));
	const inOrder = <Item extends { readonly seq: number }>(items: Item[]) =>
		items.sort((one, other) => one.seq - other.seq);
	return {
		...own,
		remarks: inOrder([...remarks, ...added]),
		corrections: inOrder([...own.corrections, ...news]),
	};
}

function newsFor(own: SessionThread, { sessions }: ThreadState, session: string): readonly Correction[] {
	const first = own.orders[0]?.seq ?? Number.POSITIVE_INFINITY;
	const elsewhere = Object.entries(sessions.items)
		.filter(([name]) => name !== session)
		.flatMap(([, { corrections }]) => corrections.filter(({ seq, wrong }) => wrong !== "" && seq > first))
		.toSorted((one, other) => one.seq - other.seq)
		.slice(-MAX_CORRECTIONS);
	// What was said here too is known here, and its own words name the old value.
	const isOwn = ({ wrong }: Correction) => own.corrections.some((each) => each.wrong === wrong);
	return elsewhere.filter((each) => !isOwn(each) && isAbout(own, each));
}

/** The session said the old value about the same before, and nothing of the new one since. */
function isAbout({ orders, remarks }: SessionThread, correction: Correction): boolean {
	const { seq, right } = correction;
	const before = [
		...orders.filter((order) => order.seq < seq).flatMap((order) => [order.text, order.outcome?.text ?? ""]),
		...remarks.filter((remark) => remark.seq < seq).map((remark) => remark.text),
	];
	const isSaid = before.some((words) => isOver(words, correction));
	return isSaid && !orders.some((order) => order.seq > seq && right !== "" && hasValue(order.text, right));
}

function isOver(words: string, correction: Correction): boolean {
	if (!hasValue(words, correction.wrong)) return false;
	const terms = termsOf(correction.text);
	return sentencesOf(words).some(
		(sentence) =>
			hasValue(sentence, correction.wrong) &&
			sharedCount(terms, termsOf(sentence)) >= MIN_SHARED &&
			(disproves(correction, sentence) || replaces(correction, sentence)),
	);
}
