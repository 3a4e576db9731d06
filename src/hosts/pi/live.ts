/** What the parts of the Pi extension share while a session runs. Made at `session_start`, gone at `session_shutdown`. */
import type { Weave } from "../../context/seal/weave.ts";
import type { Engine } from "../../engine.ts";
import type { Guard } from "../../guard/guard.ts";
import type { Compaction } from "../../history/compact.ts";
import type { SessionRef } from "../../session/tree.ts";
import type { Settings } from "../../settings/keys.ts";

export interface Live {
	readonly engine: Engine;
	readonly session: SessionRef;
	readonly cwd: string;
	readonly guard: Guard;
	mode(): Settings["mode"];
	/** For this session only; the settings decide the next one. */
	setMode(mode: Settings["mode"]): void;
	/** seq of the entry at which the agent stands. */
	leaf(): number | undefined;
	/** Undefined where no model is chosen yet. */
	weave(): Weave | undefined;
	/** What the last request carried, in tokens as we count them, and the most that it may. */
	lastRequest(): { readonly tokens: number; readonly ceiling: number; readonly messages: number } | undefined;
	/** Summarises now, with the host's models and what the user asks of the summary. */
	compact(options: { readonly instructions?: string; readonly signal?: AbortSignal }): Promise<Compaction>;
	/** What the model sees now, for people: Markdown. */
	contextMarkdown(): Promise<string>;
}
