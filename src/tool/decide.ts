/** Records a decision that later work relies on, so that it outlives the conversation; can replace an earlier one. */
import { cutWithEllipsis } from "../base/text/cut.ts";
import { isWithin } from "../log/search/filter.ts";
import { type DecisionNote, decisionFold } from "../state/work/decision-fold.ts";
import { refusal, type ToolContext, type ToolRunner, textArgument } from "./types.ts";

const MAX_CHARS = 2_000;
const MAX_LISTED = 10;
const MAX_LISTED_CHARS = 80;

export const decide: ToolRunner = {
	async run(context, args) {
		const text = textArgument(args["decision"]).trim();
		const rationale = textArgument(args["rationale"]).trim();
		if (text === "") return refusal("bad-decision", "The decision is empty. Say what was decided.");
		if (text.length > MAX_CHARS || rationale.length > MAX_CHARS) {
			return refusal("bad-decision", `At most ${MAX_CHARS} characters for the decision and for the rationale, each.`);
		}
		const active = activeDecisions(context);
		const same = active.find((known) => known.text === text);
		if (same) {
			const { seq, handle } = same;
			return { text: `This decision already holds, as ${handle}.`, details: { seq, handle, added: false } };
		}
		const given = args["supersedes"] === undefined ? undefined : textArgument(args["supersedes"]);
		const replaced = given === undefined ? undefined : findDecision(given, active);
		if (given !== undefined && !replaced) return refusal("not-found", unknownDecision(given, active));
		const {
			seqs: [seq = 0],
		} = context.history.log.append([
			{
				type: "Decision",
				...context.session,
				ts: context.now,
				payload: {
					text,
					rationale: rationale === "" ? undefined : rationale,
					supersedes: replaced?.seq,
				},
			},
		]);
		const handle = context.history.log.handleAt(seq);
		const instead = replaced ? `, in place of ${replaced.handle}` : "";
		return { text: `Recorded as decision ${handle}${instead}.`, details: { seq, handle, added: true } };
	},
};

/** Read from the log each time, because another process may have just written one. There are few in any log. */
function activeDecisions({ history, scope }: ToolContext): readonly DecisionNote[] {
	const state = decisionFold.initial();
	for (const record of history.log.read({ types: ["Decision"] })) {
		if (isWithin(scope.recalled, record.session)) decisionFold.step(state, record);
	}
	return state.active;
}

/** Finds a decision by its handle, or by its seq, as `#12`, `e-12` or 12. */
function findDecision(given: string, active: readonly DecisionNote[]): DecisionNote | undefined {
	const name = given.trim().toLowerCase();
	const seq = /^#?(\d{1,9})$/.exec(name)?.[1];
	return active.find((known) => known.handle === name || (seq !== undefined && known.seq === Number(seq)));
}

function unknownDecision(given: string, active: readonly DecisionNote[]): string {
	const known = active
		.slice(-MAX_LISTED)
		.map(({ handle, text }) => `${handle} ${cutWithEllipsis(text, MAX_LISTED_CHARS)}`);
	const list = known.length === 0 ? "None is recorded yet: omit supersedes." : `Those that hold:\n${known.join("\n")}`;
	return `There is no decision '${given.slice(0, 40)}' that still holds. ${list}`;
}
