/** In a conversation of several people, "my number" is another one when somebody else says it. */
import type { Correction } from "./thread.ts";
import { OWN } from "./word-forms.ts";

/**
 * True: the correction and the text speak of two people's own things. `sender`: who said the text; where it is unknown, the text may
 * begin with the name, as a bullet of MEMORY.md does.
 */
export function isOfOtherSpeaker(
	correction: Pick<Correction, "sender" | "text">,
	text: string,
	sender: string | undefined,
): boolean {
	const { sender: by } = correction;
	if (by === undefined || by === sender || text.startsWith(`${by}: `)) return false;
	return OWN.test(correction.text) || OWN.test(text);
}
