/**
 * A port of 127.0.0.1 that serves this account alone, where the system tells whose a connection is. Every connection waits,
 * unread, until its account is known; one of another account is reset, so that a crowd of them costs the owner nothing.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { MAX_BACKLOG, PeerAccounts } from "./peer-account.ts";

export class OwnAccountServer {
	readonly #server: Server = createServer({ pauseOnConnect: true, noDelay: true });
	readonly #accounts = new PeerAccounts();
	readonly #arriving = new Set<Socket>();

	/** `onConnection` gets a paused connection. */
	constructor(onConnection: (socket: Socket) => void) {
		this.#server.on("connection", async (socket) => {
			socket.on("error", () => {});
			this.#arriving.add(socket);
			const isOwn = await this.#accounts.isOwn(socket);
			this.#arriving.delete(socket);
			// After a reset there is no socket left that the next look-up would have to read past.
			if (isOwn === false) socket.resetAndDestroy();
			else if (!socket.destroyed) onConnection(socket);
		});
	}

	/** Resolves with the port. 0: any free port. */
	async listen(port = 0): Promise<number> {
		this.#server.listen({ port, host: "127.0.0.1", backlog: MAX_BACKLOG });
		await once(this.#server, "listening");
		return (this.#server.address() as AddressInfo).port;
	}

	/** Connections that were passed on stay open. */
	close(): void {
		this.#server.close();
		for (const socket of this.#arriving) socket.destroy();
	}
}
