/** The command that resumes a session in its own agent. */
import { quoteWord } from "../base/shell/quote-word.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { placeOf } from "../state/session/session-state.ts";

const RESUMES: Readonly<Record<string, string>> = {
	"claude-code": "claude --resume",
	codex: "codex resume",
	"copilot-cli": "copilot --resume",
	"gemini-cli": "gemini --resume",
	opencode: "opencode --session",
	pi: "pi --session",
	"qwen-code": "qwen --resume",
};

/** Null: the agent has no such command, or the session is a sub-agent's. An agent looks for its sessions in the folder that they ran in. */
export function resumeCommand(log: Log, { session, host }: SessionRef): string | null {
	const command = Object.hasOwn(RESUMES, host) ? RESUMES[host] : undefined;
	if (command === undefined || session.includes("/")) return null;
	const { cwd } = placeOf(log, { session, host });
	return `${cwd === "" ? "" : `cd ${quoteWord(cwd)} && `}${command} ${quoteWord(session)}`;
}
