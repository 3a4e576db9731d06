/**
 * A file in the plugin's data that names the server of a session. Hooks fail silently if their server does not run; the
 * plugin's hooks/is-running.sh, which runs at the end of an answer, then misses this file and tells the user, once.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class ServerMark {
	readonly #folder: string | undefined;
	readonly #pid: number;
	readonly #sessions = new Set<string>();

	/** `pid`: the process that Claude Code has started as the server. */
	constructor(env: NodeJS.ProcessEnv, pid: number) {
		this.#folder = env["CLAUDE_PLUGIN_DATA"] || undefined;
		this.#pid = pid;
	}

	/** Once for each session: after /clear the same server gets another session. */
	set(session: string): void {
		const folder = this.#folder;
		if (folder === undefined || this.#sessions.has(session) || /[/\\]/.test(session)) return;
		this.#sessions.add(session);
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, `server-${session}`), String(this.#pid));
		rmSync(join(folder, `told-${session}`), { force: true });
	}

	clear(): void {
		const folder = this.#folder;
		if (folder === undefined) return;
		for (const session of this.#sessions) rmSync(join(folder, `server-${session}`), { force: true });
	}
}
