/** Passes bytes on to a server, and cuts connections in the middle of what is being said. */
import { connect, createServer, type Server, type Socket } from "node:net";
import { random as seeded } from "../../bench/corpus.ts";

export class CuttingProxy {
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	isCutting = true;
	cuts = 0;

	private constructor(server: Server) {
		this.#server = server;
	}

	static async start(port: number, seed: number): Promise<CuttingProxy> {
		const random = seeded(seed);
		const server = createServer();
		const proxy = new CuttingProxy(server);
		server.on("connection", (client) => {
			const upstream = connect(port, "127.0.0.1");
			// One in three lives to its end.
			let left = random() < 0.33 ? Number.POSITIVE_INFINITY : 500 + random() * 60_000;
			const cut = () => {
				client.destroy();
				upstream.destroy();
			};
			for (const [from, to] of [
				[client, upstream],
				[upstream, client],
			] as const) {
				proxy.#sockets.add(from);
				from.on("error", cut);
				from.on("close", () => {
					proxy.#sockets.delete(from);
					to.destroy();
				});
				from.on("data", (bytes) => {
					left -= bytes.length;
					if (left > 0 || !proxy.isCutting) {
						to.write(bytes);
						return;
					}
					proxy.cuts++;
					// Half of it still goes out.
					to.write(bytes.subarray(0, bytes.length / 2), cut);
				});
			}
		});
		const { promise, resolve } = Promise.withResolvers<void>();
		server.listen(0, "127.0.0.1", resolve);
		await promise;
		return proxy;
	}

	get port(): number {
		return (this.#server.address() as { port: number }).port;
	}

	close(): void {
		for (const socket of this.#sockets) socket.destroy();
		this.#server.close();
	}
}
