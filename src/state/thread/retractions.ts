/** What the agent found and then took back: no cause that was given up is shown as one. */
import { isFinding, takesBackFinding } from "./cues.ts";
import { sharedCount, termsOf } from "./terms.ts";
import type { Statement } from "./thread.ts";

/** Findings back to which a retraction reaches. */
const RETRACTION_REACH = 8;

/** What the agent found and then took back: the newest finding before the retraction that is about the same. */
export function retractedIn(statements: readonly Statement[]): ReadonlySet<Statement> {
	const retracted = new Set<Statement>();
	for (const [at, { text, seq }] of statements.entries()) {
		if (!takesBackFinding(text)) continue;
		const terms = termsOf(text);
		const before = statements
			.slice(Math.max(0, at - RETRACTION_REACH), at)
			.findLast((each) => each.seq < seq && isFinding(each.text) && sharedCount(termsOf(each.text), terms) > 1);
		if (before) retracted.add(before);
	}
	return retracted;
}
