/**
 * The files that the open work names: the plan's open items, and what the agent announced last. Their text is needed soon,
 * whether it was changed already or not. The user's requests do not count: they name files that are long done, and a seal that waits
 * for them costs more than it keeps.
 */
import { BoundedMap } from "../../base/collection/bounded.ts";
import type { SessionThread } from "../../state/thread/thread.ts";
import { baseName } from "../../state/work/project-path.ts";

const NEWEST_STATEMENTS = 2;
/** `src/a.ts`, `a.ts`, `Makefile.am`. */
const FILE_NAME = /[\p{L}\p{N}_$@][\p{L}\p{N}_$@./-]*\.\p{L}[\p{L}\p{N}]*/gu;

/** The texts change seldom and are looked at before every request. */
const known = new BoundedMap<string, ReadonlySet<string>>(64);

export function namesFile(thread: SessionThread | undefined): (path: string) => boolean {
	if (!thread) return () => false;
	const items = thread.plan.filter(({ state }) => state === "open" || state === "doing");
	const texts = [
		...(thread.orders.at(-1)?.statements ?? []).slice(-NEWEST_STATEMENTS).map(({ text }) => text),
		...items.map(({ text, detail = "" }) => `${text} ${detail}`),
	].map(namesIn);
	return (path) => texts.some((names) => names.has(baseName(path)));
}

function namesIn(text: string): ReadonlySet<string> {
	const before = known.get(text);
	if (before) return before;
	const names = new Set((text.match(FILE_NAME) ?? []).map(baseName));
	known.set(text, names);
	return names;
}
