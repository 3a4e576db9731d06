/**
 * Keeps a port for an agent whose proxy runs in another process: in the project's resident, or where there is none in one of its
 * own. If that process dies, the agent only sees a dropped connection. This process listens, and hands each connection over. So the
 * port is never free while a dead proxy is replaced, and no other program can take it and read the agent's next request, with its key.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { newSecret } from "../../agent/proxy/secret.ts";
import { type ConnectionTaker, openProxyInResident } from "../../agent/resident/passed-proxy.ts";
import type { WeftCommand } from "../../agent/setup/contract.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { asInteger, asName, asObject, parseObject } from "../../base/json/read.ts";
import { OwnAccountServer } from "../../base/net/own-account-server.ts";
import type { ResidentPlace } from "./pass-to-resident.ts";

export interface KeptProxy {
	/** Contains the secret of this launch: only for the agent. */
	readonly address: string;
	end(): Promise<void>;
}

interface KeptProxyOptions {
	readonly weft: WeftCommand;
	/** Arguments for `weft proxy`. */
	readonly args: readonly string[];
	/** Where it may run. */
	readonly resident?: ResidentPlace | undefined;
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
}

const RESTART_AFTER_MS = 200;
/** A proxy that keeps dying is not restarted forever. */
const MAX_STARTS = 50;
/** Connections that wait for the next proxy. */
const MAX_WAITING = 64;

export async function keepProxy(options: KeptProxyOptions): Promise<KeptProxy> {
	const secret = newSecret();
	const door = new ProxyDoor();
	const port = await door.listen();
	const place = { ...options, env: { ...options.env, WEFT_PROXY_SECRET: secret } };
	const startOne = async () => (await startInResident(place, port)) ?? startChild(place, port);
	let isEnding = false;
	let starts = 1;
	let current = await startOne().catch((error: unknown) => {
		door.close();
		throw error;
	});
	let starting = Promise.resolve();
	const serve = (taker: ConnectionTaker): void => {
		door.lead(taker);
		void taker.ended.then(() => {
			door.lead(undefined);
			starting = startAgain();
		});
	};
	const startAgain = async (): Promise<void> => {
		for (;;) {
			await pause(RESTART_AFTER_MS);
			if (isEnding || ++starts > MAX_STARTS) return door.close();
			try {
				current = await startOne();
				return serve(current);
			} catch {
				// Meanwhile the agent waits, or reports that it cannot connect.
			}
		}
	};
	serve(current);
	return {
		address: `http://127.0.0.1:${port}/${secret}`,
		end: async () => {
			isEnding = true;
			door.close();
			// A proxy that comes up now would outlive this process and keep it running.
			await starting;
			await current.end();
		},
	};
}

/** The port that the agent is given. */
class ProxyDoor {
	/** The agent runs in this account. Its arguments, which others can read, may hold the address. */
	readonly #server = new OwnAccountServer((socket) => void this.#hand(socket));
	readonly #waiting = new Set<Socket>();
	#taker: ConnectionTaker | undefined;
	#isClosed = false;

	listen(): Promise<number> {
		return this.#server.listen();
	}

	/** Who gets the connections. Undefined: they wait, also those that the last one did not take. */
	lead(taker: ConnectionTaker | undefined): void {
		this.#taker = taker;
		const waiting = [...this.#waiting];
		this.#waiting.clear();
		for (const socket of waiting) void this.#hand(socket);
	}

	/** A connection that was not taken goes to the next one. */
	async #hand(socket: Socket): Promise<void> {
		if (!this.#taker) return this.#wait(socket);
		try {
			await this.#taker.take(socket);
		} catch {
			this.#wait(socket);
			await pause(RESTART_AFTER_MS);
			if (this.#waiting.delete(socket)) await this.#hand(socket);
		}
	}

	#wait(socket: Socket): void {
		if (this.#isClosed) socket.destroy();
		if (socket.destroyed) return;
		this.#waiting.add(socket);
		socket.once("close", () => this.#waiting.delete(socket));
		const [oldest] = this.#waiting;
		if (this.#waiting.size > MAX_WAITING) oldest?.destroy();
	}

	close(): void {
		this.#isClosed = true;
		this.#server.close();
		for (const socket of this.#waiting) socket.destroy();
	}
}

/** Undefined: a process of its own must do it. */
async function startInResident(
	{ resident, args, env, cwd }: KeptProxyOptions,
	port: number,
): Promise<ConnectionTaker | undefined> {
	if (!resident) return undefined;
	const words = [...resident.words, "proxy", "--port", String(port), ...args];
	const open = () => openProxyInResident(resident.address, { args: words, env, input: Buffer.from(cwd) });
	let taker = await open();
	if (taker === "absent" && (await resident.start())) taker = await open();
	return taker === "absent" ? undefined : taker;
}

function startChild(
	{ weft: [program, ...first], args, cwd, env }: KeptProxyOptions,
	port: number,
): Promise<ConnectionTaker> {
	// Not in the agent's process group, because Ctrl-C is for the agent.
	// The proxy ends when its standard input ends, so it ends however this process does.
	const options = ["--json", "proxy", "--until-eof", "--handed", "--port", String(port)];
	const child = spawn(program, [...first, ...options, ...args], {
		cwd,
		env,
		stdio: ["pipe", "pipe", "ignore", "ipc"],
		detached: true,
	});
	return new Promise((done, fail) => {
		const failed = () => fail(new EngineError("refused", "weft's proxy did not start. 'weft proxy' says why."));
		child.once("error", failed);
		child.once("exit", failed);
		let text = "";
		child.stdout?.on("data", (chunk: Buffer) => {
			text += chunk.toString("utf8");
			if (asName(parseObject(text)?.["address"]) === undefined) return;
			child.off("exit", failed);
			done(new ProxyChild(child));
		});
	});
}

/** A process of its own, which gets the sockets themselves. */
class ProxyChild implements ConnectionTaker {
	readonly #child: ChildProcess;
	/** Sent, and not yet taken. */
	readonly #sent = new Map<number, { readonly taken: () => void; readonly lost: () => void }>();
	#count = 0;
	readonly ended: Promise<void>;

	constructor(child: ChildProcess) {
		this.#child = child;
		this.ended = new Promise((resolve) => {
			child.once("exit", () => {
				for (const { lost } of this.#sent.values()) lost();
				resolve();
			});
		});
		child.on("message", (message) => this.#sent.get(asInteger(asObject(message)?.["taken"]) ?? 0)?.taken());
	}

	/** A connection stays here too until the proxy has taken it: one that dies in between must not take it along. */
	async take(socket: Socket): Promise<void> {
		const connection = ++this.#count;
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		this.#sent.set(connection, { taken: resolve, lost: reject });
		try {
			if (!this.#child.connected) reject();
			else this.#child.send({ connection }, socket, { keepOpen: true }, (error) => error && reject(error));
			await promise;
			socket.destroy();
		} finally {
			this.#sent.delete(connection);
		}
	}

	async end(): Promise<void> {
		this.#child.kill("SIGTERM");
		await this.ended;
	}
}
