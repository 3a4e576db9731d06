/** Where we are and what is wanted; and the last line, which says how to get what was left out. Always present. */

import { getRecent } from "../../../fold/keyed.ts";
import { formatCount } from "../../../text/bytes.ts";
import { oneLine } from "../../../text/printable.ts";
import { baseName } from "../../../work/project-path.ts";
import { cutToBytes, type Section, tokensOf } from "../section.ts";
import type { WarpInput } from "./input.ts";

const NAME_BYTES = 120;
const MOST_INTENT_BYTES = 1_600;
const INTENT_SHARE = 0.15;

export function renderHeader(input: WarpInput, session: string | null, bytes: number): Section {
	const { state } = input;
	const map = state.repo.map;
	const info = session === null ? undefined : getRecent(state.sessions.sessions, session);
	const folder = (info?.root ?? info?.cwd ?? "").replace(/[/\\]+$/, "").replaceAll("\\", "/");
	const name = cutToBytes(oneLine(input.repository ?? (baseName(folder) || "unknown")), NAME_BYTES);
	const about = map
		? `${map.head?.slice(0, 7) ?? "no commit"}, ${formatCount(map.files)} ${map.files === 1 ? "file" : "files"}`
		: "no map of it yet";
	const repository = `Repository: ${name} (${about})`;

	const wanted = session === null ? undefined : getRecent(state.intent.sessions, session)?.current;
	const most = Math.min(MOST_INTENT_BYTES, Math.floor(bytes * INTENT_SHARE));
	const whole = oneLine(wanted?.text ?? "");
	const intent = wanted ? `Intent: "${cutToBytes(whole, most)}"` : "Intent: none given yet";
	return {
		lines: ["[WARP ENGINE CONTEXT]", repository, intent],
		items: [
			{
				id: "repository",
				kind: "header",
				tokens: tokensOf([repository]),
				why: "always",
				included: true,
				handle: map?.handle,
			},
			{
				id: "intent",
				kind: "header",
				tokens: tokensOf([intent]),
				why: Buffer.byteLength(whole) > most ? "always; cut to its share" : "always",
				included: true,
				handle: wanted?.handle,
			},
		],
	};
}

export function renderFooter(): Section {
	const line = "[END WARP ENGINE CONTEXT; what was left out: lcm_expand with a handle, lcm_grep with words]";
	return {
		lines: ["", line],
		items: [{ id: "footer", kind: "footer", tokens: tokensOf([line]), why: "always", included: true }],
	};
}
