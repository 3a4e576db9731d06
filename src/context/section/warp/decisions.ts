/** What was decided and still holds, the newest first. */
import { oneLine } from "../../../text/printable.ts";
import { type ContextItem, cutToBytes, Room, type Section, tokensOf } from "../section.ts";
import type { WarpInput } from "./input.ts";

const TEXT_BYTES = 600;
const NOTICE_BYTES = 60;

export function renderDecisions({ state }: WarpInput, bytes: number): Section {
	const decisions = [...state.decisions.active].reverse();
	if (decisions.length === 0) return { lines: [], items: [] };
	const room = new Room(bytes - NOTICE_BYTES);
	let left = room.add("", "Decisions:") ? 0 : decisions.length;
	const items: ContextItem[] = [];
	for (const { handle, text, rationale } of decisions) {
		const line = `- ${cutToBytes(oneLine(rationale === null ? text : `${text} (${rationale})`), TEXT_BYTES)}`;
		const included = left === 0 && room.add(line);
		if (!included) left++;
		const why = included ? "holds" : "holds, but its section's share was used up";
		items.push({
			id: `decision:${handle}`,
			kind: "decision",
			tokens: tokensOf([line]),
			why,
			included,
			handle,
		});
	}
	const cut = left > 0 && room.lines.length > 0;
	return { lines: cut ? [...room.lines, `  … ${left} more, older: weft state`] : room.lines, items };
}
