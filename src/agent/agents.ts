/**
 * All agents that weft knows. The shared rooms (`live`, `recorded`, `setup`, `mcp`, `proxy`) import no agent: their callers
 * hand them what they need from this list. No agent's folder imports it either. `agent-programs.ts` has those that weft starts.
 */
import { claudeCodeReader } from "./claude-code/reader.ts";
import { clineReader } from "./cline/reader.ts";
import { codexReader } from "./codex/reader.ts";
import { continueReader } from "./continue/reader.ts";
import { copilotReader } from "./copilot/reader.ts";
import { geminiReader } from "./gemini/reader.ts";
import { openclawReader } from "./openclaw/reader.ts";
import { kiloReader, opencodeReader } from "./opencode/reader.ts";
import { piReader } from "./pi/reader.ts";
import { qwenReader } from "./qwen/reader.ts";
import type { SessionReader } from "./recorded/session-reader.ts";

/** Readers that recognise their files for certain come first. */
export const READERS: readonly SessionReader[] = [
	piReader,
	codexReader,
	geminiReader,
	copilotReader,
	qwenReader,
	claudeCodeReader,
	opencodeReader,
	kiloReader,
	openclawReader,
	clineReader,
	continueReader,
];

/** `host`: of a session in the log. Undefined: no reader makes sessions of that name. */
export function readerOf(host: string | undefined): SessionReader | undefined {
	return READERS.find(({ kind }) => kind === host);
}
