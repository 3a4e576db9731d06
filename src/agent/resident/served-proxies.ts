/**
 * The resident's end of the proxies that `weft run` keeps. That process listens on a port for its agent, sends itself over a
 * connection that stays, and gets a name; over another connection for each one of the agent it passes on the bytes.
 */
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { untilAborted } from "../../base/async/until-aborted.ts";
import { newSecret } from "../proxy/secret.ts";
import { PIPE_NAME } from "./call-lines.ts";
import type { HookRequest } from "./hook-request.ts";
import { readOpening } from "./opening.ts";

/** A proxy without a port of its own. */
export interface OpenProxy {
	accept(connection: Socket): void;
	/** Resolves when each request is answered. */
	drain(): Promise<void>;
	close(): Promise<void>;
}

export interface ServedProxiesOptions {
	/** Undefined: the resident is not the one for this process. */
	readonly open: (process: HookRequest) => Promise<OpenProxy | undefined>;
	/** The resident ends: what has begun is answered, and the agent's next connections find another proxy. */
	readonly ending: AbortSignal;
	/** How long what has begun may take then. */
	readonly graceMs: number;
}

export class ServedProxies {
	readonly #options: ServedProxiesOptions;
	readonly #open = new Map<string, OpenProxy>();

	constructor(options: ServedProxiesOptions) {
		this.#options = options;
	}

	/** Resolves when the process on the other end, or the resident, has ended, and the proxy is closed. */
	async serve(stream: Duplex): Promise<void> {
		const { open, ending, graceMs } = this.#options;
		const gone = new AbortController();
		for (const end of ["end", "close"]) stream.once(end, () => gone.abort());
		const opened = await readOpening(stream, ending);
		const proxy = opened && (await open(opened));
		if (!proxy) return;
		const name = newSecret();
		try {
			this.#open.set(name, proxy);
			stream.write(`${name}\n`);
			stream.resume();
			const over = AbortSignal.any([ending, gone.signal]);
			if (!over.aborted) await once(over, "abort");
			this.#open.delete(name);
			stream.end();
			if (!gone.signal.aborted) await untilAborted(AbortSignal.timeout(graceMs), () => proxy.drain()).catch(() => {});
		} finally {
			this.#open.delete(name);
			await proxy.close();
		}
	}

	/** False: there is no such proxy any more. */
	take(name: string | undefined, stream: Socket): boolean {
		const proxy = this.#open.get(name ?? "");
		if (!proxy) return false;
		stream.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PIPE_NAME}\r\n\r\n`);
		proxy.accept(stream);
		return true;
	}
}
