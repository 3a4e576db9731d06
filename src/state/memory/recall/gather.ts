/** All that may be recalled in a project: its memory files, the user's own, failures that were resolved, and past sessions. */
import { join } from "node:path";
import type { Log } from "../../../log/log.ts";
import type { Failure } from "../../work/failure/fold.ts";
import { itemsIn, memoryItems } from "../items.ts";
import type { SessionName } from "../place.ts";
import { MemoryStore } from "../store.ts";
import { withoutForgotten } from "./forgotten.ts";
import type { RecallItem } from "./item.ts";
import { pastMessages } from "./past.ts";
import { resolvedItems } from "./resolved.ts";

export interface Sources {
	readonly root: string;
	/** The project's data folder. */
	readonly folder: string;
	readonly log: Log;
	/** Who asks; undefined: a person, from outside any session. */
	readonly session: SessionName | undefined;
	/** What the user said. */
	readonly text: string;
	readonly resolved: readonly Failure[];
}

/** The user's own, in the workspace: read, never written. */
const WORKSPACE_FILE = "MEMORY.md";

export function gatherItems({ root, folder, log, session, text, resolved }: Sources): readonly RecallItem[] {
	const items = [
		...memoryItems({ folder, session }),
		...itemsIn(join(root, WORKSPACE_FILE), "workspace"),
		...resolvedItems(log, resolved, session),
		...pastMessages(log, text, session),
	];
	return withoutForgotten(items, new MemoryStore(log).forgottenTexts());
}
