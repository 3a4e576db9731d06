/**
 * Some agents change their first message with every request: a clock, a list of files. What the model answered stays, and by that the
 * conversation is known: the newest answer of a session comes back, and so do those before it, in their order, with as many
 * messages between them as there were.
 */

/** What an answer is known by, in whichever way an agent writes it. */
export interface AnswerKeys {
	readonly said: string;
	readonly calls: readonly string[];
	/** False: so short that others say the same. */
	readonly isTelling: boolean;
}

export interface AlignedMessage {
	/** Of an answer. */
	readonly keys: AnswerKeys | undefined;
	/** Of another message: what it says. */
	readonly words: string | undefined;
}

export interface PathMessage extends AlignedMessage {
	readonly entry: string;
}

/** Shorter ids of calls are numbers, which every conversation has. */
const TELLING_ID_CHARS = 9;

/** The entries of a session that the first messages of a request are, up to the newest answer. Undefined: it is not that session. */
export function align(path: readonly PathMessage[], asked: readonly AlignedMessage[]): string[] | undefined {
	const newest = path.findLastIndex(({ keys }) => keys);
	const last = asked.findLastIndex(({ keys }) => keys);
	// As many messages between the answers, and all answers at their places.
	if (newest < 0 || newest !== last) return undefined;
	// Nobody else has an id of a call. By words alone, everything but the first message must be the same.
	const isCertain = sharesCall(path[newest]!.keys!, asked[last]!.keys!);
	const isAligned = path.slice(0, newest + 1).every(({ keys, words }, at) => {
		const other = asked[at]!;
		if (keys === undefined) return other.keys === undefined && (at === 0 || isCertain || words === other.words);
		return other.keys !== undefined && isSameAnswer(keys, other.keys);
	});
	if (!isAligned || !isTellingSame(path[newest]!.keys!, asked[last]!.keys!)) return undefined;
	return path.slice(0, newest + 1).map(({ entry }) => entry);
}

/** The same words with other calls are another answer. */
function isSameAnswer(one: AnswerKeys, other: AnswerKeys): boolean {
	const haveIds = [one, other].every(({ calls }) => calls.some(isTellingId));
	return haveIds ? sharesCall(one, other) : isSame(one, other);
}

function sharesCall(one: AnswerKeys, other: AnswerKeys): boolean {
	return one.calls.some((id) => isTellingId(id) && other.calls.includes(id));
}

function isTellingId(id: string): boolean {
	return id.length >= TELLING_ID_CHARS;
}

/** They are the same, and no other conversation has it by chance. */
export function isTellingSame(one: AnswerKeys, other: AnswerKeys): boolean {
	const keys = new Set(tellingKeys(one));
	return tellingKeys(other).some((key) => keys.has(key));
}

export function tellingKeys({ said, calls, isTelling }: AnswerKeys): string[] {
	return [...(isTelling ? [said] : []), ...calls.filter(isTellingId)];
}

export function isSame(one: AnswerKeys, other: AnswerKeys): boolean {
	return one.said === other.said || one.calls.some((id) => other.calls.includes(id));
}
