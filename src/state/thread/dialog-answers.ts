/** The user's answers in a dialog of the agent. They arrive as the result of a call, between words of the agent. */

const DIALOG = /^(?:the )?user (?:has )?answered(?: your questions?)?:\s*(?=")/i;

/** `"Which one?"="The short one"`, one to a line. Undefined: the result is of no dialog. */
export function dialogIn(result: string): string | undefined {
	if (!DIALOG.test(result)) return undefined;
	// The agent's own advice follows the last answer.
	const pairs = result.slice(0, result.lastIndexOf('"') + 1).replace(DIALOG, "");
	return pairs.replaceAll('", "', '",\n"');
}

/** The answers alone. Undefined: the text is of no dialog. */
export function answersIn(text: string): readonly string[] | undefined {
	if (!PAIR.test(text)) return undefined;
	return [...text.matchAll(ANSWER)].map(([, answer = ""]) => answer);
}

const PAIR = /^"[^"\n]+"="/;
const ANSWER = /"="((?:[^"]|"(?!,|\.|$))+)"/gm;
