/** One line per session: who worked, when, on what, with which result. */
import { plural } from "../base/text/bytes.ts";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatMinute } from "../base/text/time.ts";
import type { NarrowedQuestion } from "./narrowed-question.ts";
import type { ThreadOfSession } from "./session-threads.ts";
import type { AnswerLine, FoundSection } from "./types.ts";

const MAX_SESSIONS = 8;
const TITLE_CHARS = 160;
const OUTCOME_CHARS = 260;
const MAX_FILES = 8;

export function digestSection({ sessions }: NarrowedQuestion, threads: readonly ThreadOfSession[]): FoundSection {
	const lines = threads.slice(0, MAX_SESSIONS).map(digestLine);
	const total = sessions.length;
	return { title: total > lines.length ? `Sessions, the nearest of ${total}` : "Sessions", share: 0.5, lines };
}

function digestLine({ session: { session, host, title, first_ts, last_ts }, thread }: ThreadOfSession): AnswerLine {
	const { orders, orderCount } = thread;
	const files = [...new Set(orders.flatMap(({ changed }) => changed))];
	const proofs = orders.flatMap((order) => order.proofs).slice(-3);
	const outcome = orders.at(-1)?.outcome;
	const parts = [
		`${host} ${session}, ${formatMinute(first_ts)} to ${formatMinute(last_ts)}, ${plural(orderCount, "request")}: "${cut(title ?? orders[0]?.text ?? "", TITLE_CHARS)}"`,
		...(files.length > 0
			? [
					`changed ${files.slice(-MAX_FILES).join(", ")}${files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : ""}`,
				]
			: ["changed no file"]),
		...proofs.map(({ kind, text }) => `${kind}: ${cut(text, 100)}`),
		...(outcome ? [`last answer (${outcome.handle}): ${cut(outcome.text, OUTCOME_CHARS)}`] : []),
	];
	return { text: parts.join("; "), handle: orders[0]?.handle, session, ts: first_ts };
}

function cut(text: string, chars: number): string {
	return cutWithEllipsis(oneLine(text), chars);
}
