/**
 * Some agents change their first message with every request: a clock, a list of files. The answers stay the same, and the proxy knows the
 * conversation by them: the newest answer of a session comes back, and so do those before it, in their order, with as many messages
 * between them as there were.
 */
import { type AnswerKeys, isSameByCalls, isTellingSame, sharesCall } from "./answer-keys.ts";

export interface AlignedMessage {
	/** Of an answer. */
	readonly keys: AnswerKeys | undefined;
	/** Of another message: a hash of its words. */
	readonly words: string | undefined;
}

export interface LineMessage extends AlignedMessage {
	readonly entry: string;
}

/** The entries of a session for the first messages of a request, up to the newest answer. Undefined: the request is of another session. */
export function align(line: readonly LineMessage[], request: readonly AlignedMessage[]): string[] | undefined {
	const newest = line.findLastIndex(({ keys }) => keys);
	// As many messages between the answers, and all answers at their places.
	if (newest !== request.findLastIndex(({ keys }) => keys)) return undefined;
	const [known, sent] = [line[newest]?.keys, request[newest]?.keys];
	if (!known || !sent || !isTellingSame(known, sent)) return undefined;
	// Ids of calls are unique. By words alone, everything but the first message must be the same.
	const isCertain = sharesCall(known, sent);
	const aligned = line.slice(0, newest + 1);
	const isAligned = aligned.every(({ keys, words }, at) => {
		const other = request[at];
		if (!keys) return other?.keys === undefined && (at === 0 || isCertain || words === other?.words);
		return other?.keys !== undefined && isSameByCalls(keys, other.keys);
	});
	return isAligned ? aligned.map(({ entry }) => entry) : undefined;
}
