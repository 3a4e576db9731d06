/** The sentences that open a seed. Agents store a seed as their own summary, and it must not be taken for one of a model. */
export const SEED_OPENING = "The work so far, computed from the log of this session.";
export const TALK_OPENING = "The conversation so far, computed from the log of this session.";

export function holdsSeed(text: string): boolean {
	return text.includes(SEED_OPENING) || text.includes(TALK_OPENING);
}
