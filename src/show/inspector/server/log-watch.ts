/** Notifies open pages when a log grows, whichever process writes. Polls while at least one page listens. */
import type { ServerResponse } from "node:http";
import type { Project } from "./projects.ts";

/** Cheap enough: each poll is one index lookup. */
const POLL_MS = 200;
/** A proxy or a sleeping machine may drop a silent connection. */
const KEEP_ALIVE_MS = 15_000;

interface WatchedLog {
	readonly timer: NodeJS.Timeout;
	readonly listeners: Set<ServerResponse>;
}

export class LogWatch {
	readonly #watched = new Map<string, WatchedLog>();

	/** Keeps the response open until the page closes. */
	listen(project: Project, response: ServerResponse): void {
		response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
		const seq = project.engine.log.newestSeq();
		response.write(renderSeq(seq));
		const known = this.#watched.get(project.key);
		if (known) known.listeners.add(response);
		else this.#watched.set(project.key, watch(project, seq, response));
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

function watch(project: Project, from: number, first: ServerResponse): WatchedLog {
	const listeners = new Set([first]);
	let seq = from;
	let quietMs = 0;
	const send = (text: string) => {
		quietMs = 0;
		for (const each of listeners) each.write(text);
	};
	const poll = () => {
		quietMs += POLL_MS;
		const newest = readSeq(project) ?? seq;
		if (newest !== seq) {
			seq = newest;
			send(renderSeq(seq));
		} else if (quietMs >= KEEP_ALIVE_MS) send(": here\n\n");
	};
	return { timer: setInterval(poll, POLL_MS), listeners };
}

function renderSeq(seq: number): string {
	return `data: ${JSON.stringify({ seq })}\n\n`;
}

/** Undefined while the log is being repaired or replaced. */
function readSeq({ engine }: Project): number | undefined {
	try {
		return engine.log.newestSeq();
	} catch {
		return undefined;
	}
}
