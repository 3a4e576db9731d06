/** The parts of a summary that a model wrote, by their headings. */

/** `## Next Steps`, `7. Pending Tasks:`, `**Next Steps**:` */
const HEADING = /^(?:#{1,4} \**([^*:]{3,60})\**:?|\d{1,2}\. \**([^*:]{3,60})\**:\**|\*\*([^*:]{3,60}):?\*\*:?)$/;
/** Parts that say where the work was then, as agents ask their models for them. */
const OF_THEN = /\b(?:pending|current (?:work|state|task|focus)|next steps?|in progress|remaining|to-?do)\b/i;

/** A line that says how things were just then: most of them have been dealt with since. */
const STATE_OF_THEN =
	/\*\*(?:still|currently|remaining|in progress|pending)\b|\bcurrent(?:ly)?:|\b(?:still (?:needs?|to do|failing|fails?|open|missing)|currently (?:has|have|fails?|failing|broken)|remains? (?:unfixed|open|failing|to be)|unfixed|not yet (?:fixed|done|implemented|committed|pushed)|(?:has|have) not (?:yet )?been (?:fixed|done|committed|pushed)|nothing (?:has been|is) committed)\b/i;

/** Without what was in work and next when it was written: newer requests have replaced it. */
export function withoutOldSteps(summary: string): string {
	let isOld = false;
	return summary
		.split("\n")
		.filter((line) => {
			const [, marked, numbered, bold] = HEADING.exec(line.trim()) ?? [];
			const heading = marked ?? numbered ?? bold;
			if (heading !== undefined) isOld = OF_THEN.test(heading);
			return !isOld && !STATE_OF_THEN.test(line);
		})
		.join("\n");
}
