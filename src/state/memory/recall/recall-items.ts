/** Everything that a project can recall: its memory files, the user's own file, resolved failures, and past sessions. */
import { join } from "node:path";
import type { Log } from "../../../log/log.ts";
import type { Failure } from "../../work/failure/types.ts";
import { plainWords } from "../bullet.ts";
import type { SessionName } from "../memory-file.ts";
import { itemsIn, memoryItems } from "../memory-items.ts";
import { MemoryStore } from "../store.ts";
import type { RecallItem } from "./item.ts";
import { pastMessages } from "./past-messages.ts";
import { resolvedItems } from "./resolved-failures.ts";
import { termsOf } from "./terms.ts";

export interface RecallSources {
	readonly root: string;
	/** The project's data folder. */
	readonly folder: string;
	readonly log: Log;
	/** The asking session. Undefined: a person asks, outside any session. */
	readonly session: SessionName | undefined;
	/** The user's words. */
	readonly text: string;
	readonly resolved: readonly Failure[];
}

/** The user's own file in the workspace: read, never written. */
const WORKSPACE_FILE = "MEMORY.md";

export function gatherItems({ root, folder, log, session, text, resolved }: RecallSources): readonly RecallItem[] {
	const items = [
		...memoryItems({ folder, session }),
		...itemsIn(join(root, WORKSPACE_FILE), "workspace"),
		...resolvedItems(log, resolved, session),
		...pastMessages(log, text, session),
	];
	return withoutForgotten(items, new MemoryStore(log).forgottenTexts());
}

/** A shorter bullet is part of many texts that say something else. */
const MIN_FORGOTTEN_TERMS = 3;

/** Drops items that say what the user removed: a session's file or an old message must not bring it back. */
function withoutForgotten(items: readonly RecallItem[], forgotten: readonly string[]): readonly RecallItem[] {
	if (forgotten.length === 0) return items;
	const whole = new Set(forgotten.map(plainWords));
	const parts = forgotten.filter((text) => termsOf(text).length >= MIN_FORGOTTEN_TERMS).map(plainWords);
	return items.filter(({ source, text }) => {
		// The user controls the file in the workspace.
		if (source === "workspace") return true;
		const said = plainWords(text);
		return !whole.has(said) && !parts.some((part) => said.includes(part));
	});
}
