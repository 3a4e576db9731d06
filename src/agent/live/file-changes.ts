/** Files that somebody else has changed, for the end of a request: short, or nothing. */
import { cutToBytes } from "../../base/text/cut.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import type { GuardEvent } from "../../guard/types.ts";

const MAX_TOKENS = 300;
const MAX_NAMED = 8;

export function renderFileChanges(events: readonly GuardEvent[]): string | undefined {
	const changes = events.flatMap((event) => (event.type === "FileChanged" ? [event.payload] : []));
	if (changes.length === 0) return undefined;
	const named = changes.slice(0, MAX_NAMED).map(({ path, kind, added, removed }) => {
		if (kind === "delete") return `${path} (deleted)`;
		return removed === null ? path : `${path} (+${added}/−${removed})`;
	});
	const more = changes.length - named.length;
	const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
	const text = `[weft] Changed on disk since you last saw it, not by you: ${list}. Read what you need of it again before you edit it.`;
	return cutToBytes(text, bytesOfTokens(MAX_TOKENS));
}
