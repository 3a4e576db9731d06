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

export interface PathMessage {
	readonly entry: string;
	/** Of an answer. */
	readonly keys: AnswerKeys | undefined;
}

/** Shorter ids of calls are numbers, which every conversation has. */
const TELLING_ID_CHARS = 9;

/** The entries of a session that the first messages of a request are, up to the newest answer. Undefined: it is not that session. */
export function align(
	path: readonly PathMessage[],
	asked: readonly { readonly keys: AnswerKeys | undefined }[],
): string[] | undefined {
	const newest = path.findLastIndex(({ keys }) => keys);
	const last = asked.findLastIndex(({ keys }) => keys);
	// As many messages between the answers, and all answers at their places.
	if (newest < 0 || newest !== last) return undefined;
	const isAligned = path.slice(0, newest + 1).every(({ keys }, at) => {
		const other = asked[at]!.keys;
		return keys === undefined ? other === undefined : other !== undefined && isSame(keys, other);
	});
	if (!isAligned || !isTellingSame(path[newest]!.keys!, asked[last]!.keys!)) return undefined;
	return path.slice(0, newest + 1).map(({ entry }) => entry);
}

/** They are the same, and no other conversation has it by chance. */
export function isTellingSame(one: AnswerKeys, other: AnswerKeys): boolean {
	const keys = new Set(tellingKeys(one));
	return tellingKeys(other).some((key) => keys.has(key));
}

export function tellingKeys({ said, calls, isTelling }: AnswerKeys): string[] {
	return [...(isTelling ? [said] : []), ...calls.filter((id) => id.length >= TELLING_ID_CHARS)];
}

export function isSame(one: AnswerKeys, other: AnswerKeys): boolean {
	return one.said === other.said || one.calls.some((id) => other.calls.includes(id));
}
