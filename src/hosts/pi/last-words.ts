/**
 * LAST: what the model should know before this request and cannot know from its messages: files that it has seen and that
 * somebody else has changed since. Said once, at the end, outside of what is cached; short, or not at all.
 */

import { guardState } from "../../context/project-state.ts";
import { cutToBytes } from "../../context/section/section.ts";
import { baseFromLog } from "../../guard/base-text.ts";
import { DiskFiles } from "../../guard/disk.ts";
import { lookAgain } from "../../guard/look-again.ts";
import type { GuardEvent } from "../../guard/types.ts";
import { bytesOfTokens } from "../../tokens/estimate.ts";
import type { LiveSession } from "./live-session.ts";

const MOST_TOKENS = 300;
const MOST_NAMED = 8;

export function lastWords(live: LiveSession): string | undefined {
	if (live.engine.settings.policyMode === "report") return undefined;
	const leaf = live.ctx.sessionManager.getLeafId();
	// A request that is tried again says the same once more.
	if (live.said?.leaf === leaf) return live.said.text;
	const events = changesBehindItsBack(live);
	const text = sayChanges(events);
	if (events.length > 0) live.engine.record(events);
	live.said = { leaf, text };
	return text;
}

function changesBehindItsBack(live: LiveSession): GuardEvent[] {
	const { engine, session, cwd } = live;
	const now = Date.now();
	const call = { ...session, cwd, tool: "", callId: "", input: {} };
	const world = {
		state: guardState(engine.state()),
		files: new DiskFiles(),
		base: baseFromLog(engine.log),
		settings: engine.settings,
		now,
	};
	return lookAgain(call, { startedAt: now }, world).events.map(byOthers);
}

/** No call of the model's runs now. */
function byOthers(event: GuardEvent): GuardEvent {
	if (event.type !== "FileChanged") return event;
	const { tool: _tool, callId: _callId, ...payload } = event.payload;
	return { ...event, payload: { ...payload, actor: "other" } };
}

function sayChanges(events: readonly GuardEvent[]): string | undefined {
	const changes = events.flatMap((event) => (event.type === "FileChanged" ? [event.payload] : []));
	if (changes.length === 0) return undefined;
	const named = changes.slice(0, MOST_NAMED).map(({ path, kind, added, removed }) => {
		if (kind === "delete") return `${path} (deleted)`;
		return removed === null ? path : `${path} (+${added}/−${removed})`;
	});
	const more = changes.length - named.length;
	const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
	const text = `[weft] Changed on disk since you last saw it, not by you: ${list}. Read what you need of it again before you edit it.`;
	return cutToBytes(text, bytesOfTokens(MOST_TOKENS));
}
