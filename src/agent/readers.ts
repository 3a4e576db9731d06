/** The families of agents whose sessions are read. Those that know their files for certain stand first. */
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
import type { Reader } from "./recorded/reader.ts";

export const READERS: readonly Reader[] = [
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
