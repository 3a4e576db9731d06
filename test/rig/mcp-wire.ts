/** `weft mcp` without a client: the messages as they are on the wire. */
import { spawn } from "node:child_process";

export interface McpAnswer {
	readonly id: string | number | null;
	readonly result?: Readonly<Record<string, unknown>>;
	readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly name?: string } };
}

export class McpWire {
	readonly #child;
	readonly #answers: McpAnswer[] = [];
	readonly #closed: Promise<{ code: number | null; err: string }>;
	#rest = "";
	#hasEnded = false;
	#wake = () => {};

	/** `weft`: the command of weft, without Node. */
	constructor(weft: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
		const own = { WEFT_RESIDENT_SECONDS: "0", ...env };
		this.#child = spawn(process.execPath, [...weft, "mcp"], { cwd, env: own });
		this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
			const lines = (this.#rest + text).split("\n");
			this.#rest = lines.pop() ?? "";
			this.#answers.push(...lines.map((line) => JSON.parse(line) as McpAnswer));
			this.#wake();
		});
		let err = "";
		this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
			err += text;
		});
		// The server may be gone while something is written to it.
		this.#child.stdin.on("error", () => {});
		this.#closed = new Promise((done) => {
			this.#child.once("close", (code) => {
				this.#hasEnded = true;
				this.#wake();
				done({ code, err });
			});
		});
	}

	write(...lines: readonly string[]): void {
		this.#child.stdin.write(lines.join(""));
	}

	send(message: object): void {
		this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}

	/** The answers so far, once there are so many. */
	async answers(count: number): Promise<readonly McpAnswer[]> {
		while (this.#answers.length < count) {
			await this.#news();
		}
		return this.#answers;
	}

	/** The answer to one request. */
	async answer(id: string | number): Promise<McpAnswer> {
		for (;;) {
			const found = this.#answers.find((answer) => answer.id === id);
			if (found) return found;
			if (this.#hasEnded) throw new Error(`The server ended without an answer to ${id}.`);
			await this.#news();
		}
	}

	/** Ends the connection as a program that dies does, or as an agent that stops its server. */
	breakOff(how: "closeInput" | "closeOutput" | NodeJS.Signals): Promise<{ code: number | null; err: string }> {
		if (how === "closeInput") this.#child.stdin.destroy();
		else if (how === "closeOutput") {
			this.#child.stdout.destroy();
			this.send({ id: 0, method: "ping" });
			this.write('"}}\n');
			this.send({ id: 0, method: "ping" });
		} else this.#child.kill(how);
		return this.#closed;
	}

	end(): Promise<{ code: number | null; err: string }> {
		this.#child.stdin.end();
		return this.#closed;
	}

	#news(): Promise<void> {
		return new Promise((wake) => {
			this.#wake = wake;
		});
	}
}
