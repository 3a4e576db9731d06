/** What a tool gets when a model calls it: the same in every agent. */
import { existsSync } from "node:fs";
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { memoryFile, memoryFolder, memoryHomes, pathOf } from "../../state/memory/memory-files.ts";
import type { ProjectMemory, ToolContext } from "../../tool/types.ts";
import { itemsOf, recallBlock } from "./recall-block.ts";
import { rewindRenderer } from "./rewind-renderer.ts";
import { threadRenderer } from "./thread-renderer.ts";

type ToolCaller = Partial<Pick<ToolContext, "now" | "leaf" | "signal">>;

export function toolContext(engine: Engine, session: SessionRef, caller: ToolCaller = {}): ToolContext {
	return {
		history: engine.history,
		session,
		scope: engine.scope(session),
		now: Date.now(),
		...caller,
		memory: memoryOf(engine, session),
		renderThread: threadRenderer(engine, session),
		renderRewind: rewindRenderer(engine, session, caller.now ?? Date.now()),
		knowledge: {
			root: engine.project.root,
			state: () => engine.stateFor(session).state,
			memory: (words) => (engine.settings.memory ? itemsOf(engine, session, words) : []),
		},
	};
}

function memoryOf(engine: Engine, session: SessionRef): ProjectMemory {
	return {
		get state() {
			if (!engine.settings.memory) return "off";
			const folder = memoryFolder(engine.project.folder);
			return memoryHomes(engine.scope(session)).some((of) => existsSync(pathOf(folder, memoryFile(of))))
				? "kept"
				: "empty";
		},
		recall: async (words) => (await recallBlock(engine, session, words, { isAsked: true }))?.text,
	};
}
