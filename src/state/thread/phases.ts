/**
 * Positions in work that has an order: phases, steps or pull requests that a request or an approved plan numbers in its headings, and
 * how far the agent says it has come. Read by form: a word, a number and a title at the start of a line.
 */
import { cutStart } from "../../base/text/cut.ts";
import type { Passage, Phase, SessionThread } from "./thread.ts";

const NAME = String.raw`(?:phase|step|stage|milestone|part|pr|schritt|etappe|teil|fase|paso|étape|フェーズ|ステップ|阶段|步骤|단계) ?#?(\d{1,2})`;
/** `## Phase 2: Move the parser`, `- **Step 3** — tests` */
const HEADING = new RegExp(
	String.raw`^\s*(?:#{1,6}\s+|[-*+]\s+)?(?:\*\*)?(${NAME})(?:\*\*)?\s*[:.)–—-]+(?:\*\*)?\s*(\S.*)$`,
	"iu",
);
const CODE_FENCE = /^```[\s\S]*?^```/gm;
const NAMED = new RegExp(String.raw`(?<![\p{L}\d])${NAME}(?!\d)`, "giu");
const DONE =
	/\b(?:done|complete[ds]?|finished|implemented|landed|merged|committed)\b|✅|✓|fertig|abgeschlossen|erledigt|completad[oa]|terminad[oa]|完了|終わ|完成|완료/iu;
/** Of the words after a name. */
const SAID_CHARS = 60;
const [MIN_PHASES, MAX_PHASES, MAX_TITLE_CHARS] = [2, 20, 160];

/** A text that numbers its parts from one on replaces what was numbered before. */
export function notePhases(thread: SessionThread, { handle, text }: Passage): void {
	const phases: Phase[] = [];
	const prose = text.replaceAll(CODE_FENCE, "\n");
	// In a document its headings number the work; other lines number what the work is about.
	const isDocument = (prose.match(/^#{1,6} /gm) ?? []).length >= MIN_PHASES;
	for (const line of prose.split("\n").filter((each) => !isDocument || /^#{1,6} |^\*\*/.test(each))) {
		const [, name = "", number, title = ""] = HEADING.exec(line) ?? [];
		if (Number(number) !== phases.length + 1) continue;
		phases.push({ name, text: cutStart(title.replaceAll("**", "").trim(), MAX_TITLE_CHARS), handle, state: "open" });
		if (phases.length === MAX_PHASES) break;
	}
	if (phases.length >= MIN_PHASES) thread.phases = phases;
}

/** What the agent names is begun, and what was before it is done; it is done itself if the words after its name say so. */
export function movePhases(phases: readonly Phase[], said: string): void {
	if (phases.length === 0) return;
	for (const { 0: name, 1: number, index } of said.matchAll(NAMED)) {
		const at = Number(number) - 1;
		const phase = phases[at];
		if (!phase || wordIn(phase.name) !== wordIn(name)) continue;
		const rest = (said.slice(index + name.length).split("\n", 1)[0] ?? "").slice(0, SAID_CHARS);
		const isDone = DONE.test(rest.split(new RegExp(NAMED.source, "iu"), 1)[0] ?? "");
		if (isDone) for (const before of phases.slice(0, at + 1)) before.state = "done";
		else if (phase.state === "open" && phases.slice(0, at).every(({ state }) => state === "done"))
			phase.state = "doing";
	}
}

function wordIn(name: string): string {
	return name.toLowerCase().replace(/[\s#\d]+/g, "");
}
