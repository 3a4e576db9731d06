/**
 * Runs weft's proxy for an agent in its own process: if it dies, the agent only sees a dropped connection. This process listens,
 * and hands each connection to the proxy. So the port is never free while a dead proxy is replaced, and no other program can take
 * it and read the agent's next request, with its key.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { newSecret } from "../../agent/proxy/secret.ts";
import type { WeftCommand } from "../../agent/setup/contract.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { asInteger, asName, asObject, parseObject } from "../../base/json/read.ts";
import { OwnAccountServer } from "../../base/net/own-account-server.ts";

export interface KeptProxy {
	/** Contains the secret of this launch: only for the agent. */
	readonly address: string;
	end(): Promise<void>;
}

interface KeptProxyOptions {
	readonly weft: WeftCommand;
	/** Arguments for `weft proxy`. */
	readonly args: readonly string[];
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
	const startOne = () => start({ ...options, env: { ...options.env, WEFT_PROXY_SECRET: secret } }, port);
	let isEnding = false;
	let starts = 1;
	let current = await startOne().catch((error: unknown) => {
		door.close();
		throw error;
	});
	let starting = Promise.resolve();
	const serve = (child: ChildProcess): void => {
		door.lead(child);
		child.once("exit", () => {
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
			if (current.exitCode !== null || current.signalCode !== null) return;
			const ended = new Promise((done) => current.once("exit", done));
			current.kill("SIGTERM");
			await ended;
		},
	};
}

/** The port that the agent is given. */
class ProxyDoor {
	/** The agent runs in this account. Its arguments, which others can read, may hold the address. */
	readonly #server = new OwnAccountServer((socket) => this.#hand(socket));
	readonly #waiting = new Set<Socket>();
	/** Sent to the proxy, which has not said that it has them. */
	readonly #handed = new Map<number, Socket>();
	#count = 0;
	#child: ChildProcess | undefined;

	listen(): Promise<number> {
		return this.#server.listen();
	}

	/** The process that gets the connections. Undefined: they wait, also those that the last one did not take. */
	lead(child: ChildProcess | undefined): void {
		this.#child = child;
		const waiting = [...this.#handed.values(), ...this.#waiting];
		this.#handed.clear();
		this.#waiting.clear();
		for (const socket of waiting) this.#hand(socket);
		child?.on("message", (message) => this.#taken(message));
	}

	/** A connection stays here too until the proxy has taken it: one that dies in between must not take it along. */
	#hand(socket: Socket): void {
		if (socket.destroyed) return;
		if (!this.#child?.connected) {
			this.#wait(socket);
			return;
		}
		const connection = ++this.#count;
		this.#handed.set(connection, socket);
		this.#child.send({ connection }, socket, { keepOpen: true }, (error) => {
			if (error && this.#handed.delete(connection)) this.#wait(socket);
		});
	}

	#taken(message: unknown): void {
		const connection = asInteger(asObject(message)?.["taken"]) ?? 0;
		this.#handed.get(connection)?.destroy();
		this.#handed.delete(connection);
	}

	#wait(socket: Socket): void {
		this.#waiting.add(socket);
		socket.once("close", () => this.#waiting.delete(socket));
		const [oldest] = this.#waiting;
		if (this.#waiting.size > MAX_WAITING) oldest?.destroy();
	}

	close(): void {
		this.#server.close();
		for (const socket of [...this.#waiting, ...this.#handed.values()]) socket.destroy();
	}
}

function start({ weft: [program, ...first], args, cwd, env }: KeptProxyOptions, port: number): Promise<ChildProcess> {
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
			done(child);
		});
	});
}
