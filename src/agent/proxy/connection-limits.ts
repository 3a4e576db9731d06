/**
 * How many connections the proxy keeps. Any account of the machine can open some, and none of them may keep the agent out: a
 * connection counts as the agent's from its first request with the secret on, and of the others the oldest make room.
 */
import type { Socket } from "node:net";

const MAX_CONNECTIONS = 512;
const MAX_STRANGERS = 64;
/** For the headers of its first request. */
const MAX_STRANGE_MS = 10_000;

export class ConnectionLimits {
	readonly #strangers = new Map<Socket, NodeJS.Timeout>();
	readonly #known = new Set<Socket>();

	add(socket: Socket): void {
		const timer = setTimeout(() => socket.destroy(), MAX_STRANGE_MS).unref();
		this.#strangers.set(socket, timer);
		socket.once("close", () => {
			clearTimeout(this.#strangers.get(socket));
			this.#strangers.delete(socket);
			this.#known.delete(socket);
		});
		const [oldest] = this.#strangers.keys();
		if (this.#strangers.size > MAX_STRANGERS) oldest?.destroy();
	}

	/** A request with the secret came. False: there are too many. */
	admit(socket: Socket): boolean {
		const timer = this.#strangers.get(socket);
		if (timer === undefined) return true;
		if (this.#known.size >= MAX_CONNECTIONS) return false;
		clearTimeout(timer);
		this.#strangers.delete(socket);
		this.#known.add(socket);
		return true;
	}

	closeAll(): void {
		for (const socket of [...this.#strangers.keys(), ...this.#known]) socket.destroy();
	}
}
