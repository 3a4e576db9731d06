/** The user's answers in a dialog of the agent. They arrive as the result of a call, between words of the agent. */

const DIALOG = /^(?:the )?user (?:has )?answered(?: your questions?)?:\s*(?=")/i;

/** `"Which one?"="The short one"`, one to a line. Undefined: the result is of no dialog. */
export function dialogIn(result: string): string | undefined {
	if (!DIALOG.test(result)) return undefined;
	// The agent's own advice follows the last answer.
	const pairs = result.slice(0, result.lastIndexOf('"') + 1).replace(DIALOG, "");
	return pairs.replaceAll('", "', '",\n"');
}

export interface DialogAnswer {
	readonly answer: string;
	/** `"Which one?"="The short one"`, as it is in the text: a choice says nothing without its question. */
	readonly pair: string;
}

/** Undefined: the text is of no dialog. */
export function answersIn(text: string): readonly DialogAnswer[] | undefined {
	if (!PAIR.test(text)) return undefined;
	return text.split(BETWEEN).flatMap((part) => {
		const pair = part.replace(/[,.]$/, "");
		const [, answer] = ANSWER.exec(pair) ?? [];
		return answer === undefined ? [] : [{ answer, pair }];
	});
}

/** The answer is an option as the agent offered it, not words of the user's own. */
export function isOffered(answer: string): boolean {
	return OFFERED.test(answer);
}

const OFFERED = /\((?:recommended|empfohlen|recomendado|recommandé|推奨|推荐|권장)\)$/i;

const PAIR = /^"[^"\n]+"="/;
const BETWEEN = /(?<=",)\n(?=")/;
const ANSWER = /"="([\s\S]+)"$/;
