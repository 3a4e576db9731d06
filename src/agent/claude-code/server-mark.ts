/**
 * A small file beside the plugin's data that says which server looks after a session. Hooks of a server that does not run fail
 * silently; the shell script at the end of an answer (plugin, hooks/is-running.sh) looks here and says so, once.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class ServerMark {
	readonly #folder: string | undefined;
	readonly #sessions = new Set<string>();

	constructor(env: NodeJS.ProcessEnv) {
		this.#folder = env["CLAUDE_PLUGIN_DATA"] || undefined;
	}

	/** Once for each session: after /clear the same server goes on with another one. */
	set(session: string): void {
		if (this.#folder === undefined || this.#sessions.has(session) || /[/\\]/.test(session)) return;
		this.#sessions.add(session);
		mkdirSync(this.#folder, { recursive: true });
		writeFileSync(this.#path("server", session), String(process.pid));
		rmSync(this.#path("told", session), { force: true });
	}

	clear(): void {
		for (const session of this.#sessions) rmSync(this.#path("server", session), { force: true });
	}

	#path(name: string, session: string): string {
		return join(this.#folder!, `${name}-${session}`);
	}
}
