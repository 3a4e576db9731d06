/** Tells open pages when a log has grown: looks several times a second while somebody listens, whoever writes. */
import type { ServerResponse } from "node:http";
import type { Project } from "./projects.ts";

/** Five looks a second; each is one question to an index. */
const LOOK_MS = 200;
/** A proxy or a sleeping machine may drop a connection that says nothing. */
const SIGN_OF_LIFE_MS = 15_000;

export class LogWatch {
	readonly #watched = new Map<string, { readonly timer: NodeJS.Timeout; readonly listeners: Set<ServerResponse> }>();

	/** Keeps the response open until the page goes away. */
	listen(project: Project, response: ServerResponse): void {
		response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
		let seq = project.engine.log.newestSeq();
		response.write(`data: ${JSON.stringify({ seq })}\n\n`);
		const known = this.#watched.get(project.key);
		if (known) known.listeners.add(response);
		else {
			const listeners = new Set([response]);
			let quiet = 0;
			const timer = setInterval(() => {
				quiet += LOOK_MS;
				const newest = readSeq(project) ?? seq;
				if (newest !== seq) {
					seq = newest;
					quiet = 0;
					for (const each of listeners) each.write(`data: ${JSON.stringify({ seq })}\n\n`);
				} else if (quiet >= SIGN_OF_LIFE_MS) {
					quiet = 0;
					for (const each of listeners) each.write(": here\n\n");
				}
			}, LOOK_MS);
			this.#watched.set(project.key, { timer, listeners });
		}
		response.on("close", () => this.#leave(project.key, response));
	}

	close(): void {
		for (const { timer, listeners } of this.#watched.values()) {
			clearInterval(timer);
			for (const each of listeners) each.end();
		}
		this.#watched.clear();
	}

	#leave(key: string, response: ServerResponse): void {
		const watched = this.#watched.get(key);
		watched?.listeners.delete(response);
		if (watched?.listeners.size !== 0) return;
		clearInterval(watched.timer);
		this.#watched.delete(key);
	}
}

/** A log may be gone for a moment, while it is repaired or replaced. */
function readSeq({ engine }: Project): number | undefined {
	try {
		return engine.log.newestSeq();
	} catch {
		return undefined;
	}
}
