/**
 * How many connections the proxy keeps. Any account of the machine can open some, and none of them may keep the agent out: a
 * connection counts as the agent's from its first request with the secret on. In a crowd, those of other accounts are closed
 * where the system tells them apart, and then the oldest of the rest.
 */
import type { Socket } from "node:net";
import { PeerAccounts } from "../../base/net/peer-account.ts";

const MAX_CONNECTIONS = 512;
const MAX_STRANGERS = 64;
/** For the headers of its first request. */
const MAX_STRANGE_MS = 10_000;

export class ConnectionLimits {
	readonly #strangers = new Map<Socket, NodeJS.Timeout>();
	/** With the requests that are not answered. */
	readonly #known = new Map<Socket, number>();
	readonly #accounts = new PeerAccounts();
	#isMakingRoom = false;

	add(socket: Socket): void {
		const timer = setTimeout(() => socket.destroy(), MAX_STRANGE_MS).unref();
		this.#strangers.set(socket, timer);
		socket.once("close", () => {
			clearTimeout(this.#strangers.get(socket));
			this.#strangers.delete(socket);
			this.#known.delete(socket);
		});
		if (this.#strangers.size > MAX_STRANGERS && !this.#isMakingRoom) void this.#makeRoom();
	}

	/** The first request of the agent may wait to be read in the midst of a crowd. */
	async #makeRoom(): Promise<void> {
		this.#isMakingRoom = true;
		while (this.#strangers.size > MAX_STRANGERS) {
			const crowd = [...this.#strangers.keys()];
			const owned = await Promise.all(crowd.map((socket) => this.#accounts.isOwn(socket)));
			for (const [at, socket] of crowd.entries()) {
				if (owned[at] === false && this.#strangers.has(socket)) this.#drop(socket);
			}
			const rest = crowd.filter((socket) => this.#strangers.has(socket));
			for (const socket of rest.slice(0, Math.max(0, rest.length - MAX_STRANGERS))) this.#drop(socket);
		}
		this.#isMakingRoom = false;
	}

	#drop(socket: Socket): void {
		clearTimeout(this.#strangers.get(socket));
		this.#strangers.delete(socket);
		socket.resetAndDestroy();
	}

	/** A request with the secret came. False: there are too many. */
	admit(socket: Socket): boolean {
		const timer = this.#strangers.get(socket);
		if (timer !== undefined && this.#known.size >= MAX_CONNECTIONS) return false;
		clearTimeout(timer);
		this.#strangers.delete(socket);
		if (!socket.destroyed) this.#known.set(socket, (this.#known.get(socket) ?? 0) + 1);
		return true;
	}

	/** A request that was admitted is answered, or will not be. */
	release(socket: Socket): void {
		const requests = this.#known.get(socket);
		if (requests !== undefined) this.#known.set(socket, requests - 1);
	}

	get isEmpty(): boolean {
		return this.#strangers.size + this.#known.size === 0;
	}

	closeIdle(): void {
		for (const [socket, requests] of this.#known) if (requests === 0) socket.destroySoon();
	}

	closeAll(): void {
		for (const socket of [...this.#strangers.keys(), ...this.#known.keys()]) socket.destroy();
	}
}
